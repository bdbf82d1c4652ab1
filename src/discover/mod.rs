//! Which files are what: the conventions table applied to the project tree.

mod inventory;

pub use inventory::{DocumentFile, Inventory, ModuleFile, ServerFiles, SkillDir, Unsupported};
