//! From what was found and extracted to a model, and from a model to a graph of nodes. Nothing runs here.

mod apps;
mod assemble;
mod commands;
mod composite;
mod declared;
mod documents;
mod graph;
mod index;
mod modules;
mod options;
mod projection;
mod surface;

pub use assemble::{Assembly, assemble};
pub use graph::{Plan, module_nodes, plan_model};
pub use index::{IndexInputs, NODE_FLOOR};
pub use modules::ModuleJob;
