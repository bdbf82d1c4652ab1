//! A small harness: a project in a temporary directory, runs of the binary, trees to compare, servers to talk to.

mod project;
mod run;
mod server;
mod tree;

pub use project::{Project, repository};
pub use run::{Run, STORE, agent_bundle};
pub use server::Server;
pub use tree::Tree;
