//! Build system for AI-agent plugins.
//!
//! One project (a manifest and a `src/` tree) becomes one directory that every selected host installs as it is.
//! The rooms are described in `docs/architecture.md`.

pub mod artifact;
pub mod build;
pub mod cache;
pub mod cli;
pub mod compile;
pub mod diagnostic;
pub mod discover;
pub mod engine;
pub mod extract;
pub mod manifest;
pub mod model;
pub mod plan;
pub mod serve;
pub mod target;
pub mod workspace;
pub mod world;
