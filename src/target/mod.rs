//! Hosts: what each of them installs, and how the plugin is said in its words.
//!
//! A host is data: `targets/<host>.toml` in the vocabulary of [`definition`], templates beside it, and our own
//! schemas of the documents. [`slices`] cuts from the model what one host's documents show, and [`project`] turns
//! a slice into files; both are pure. Documents of components (`SKILL.md`, commands, rules) are lowered one by one.
//!
//! The artifact's root is shared. Where one host's documents would hide another's, [`slices`] gives the first a
//! folder of its own.

mod capability;
pub mod declared;
mod definition;
mod documents;
mod events;
mod install;
mod lower;
mod names;
mod placeholders;
mod project;
mod registry;
mod schema;
mod settings;
mod skills;
mod slice;
mod template;
mod textual;
mod tokens;

#[cfg(test)]
mod tests;

pub use capability::{Places, check_selection, check_selection_in};
pub use documents::{DocumentKind, document_hosts, lower_document};
pub use install::{INSTALL_DOCUMENT, INSTALL_SCRIPT, install_surface};
pub use project::{Mount, Projection, project};
pub use registry::{Registry, Target};
pub use schema::validate_document;
pub use skills::{Lowered, SkillOutput, lower_skill, skill_outputs};
pub use slice::{Slice, SliceLaunch, SliceServer, logo_path, slices};
pub use tokens::{PLUGIN_DATA, PLUGIN_ROOT, PLUGIN_ROOT_VARIABLE, WORKSPACE_ROOT};
