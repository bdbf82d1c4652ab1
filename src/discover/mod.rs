//! Which files are what: the conventions table applied to the project tree.

mod inventory;

pub use inventory::{DocumentFile, Inventory, ModuleFile, ServerFiles, SkillDir, Unsupported};

use crate::diagnostic::Diagnostic;
use crate::manifest::Manifest;
use crate::world::{Root, World};

/// What the conventions and the manifest make of the tree below `root`.
pub fn discover(_world: &dyn World, _root: &Root, _manifest: &Manifest) -> (Inventory, Vec<Diagnostic>) {
    Default::default()
}
