//! What the binary does, seen from outside: projects on disk in, exit codes, documents and running servers out.
#![allow(clippy::disallowed_methods, reason = "tests make and read the files that they are about")]

mod artifact;
mod bad_input;
mod cases;
mod commands;
mod contract;
mod crash;
mod documents;
mod hosts;
mod incremental;
mod modules;
mod output;
mod projects;
mod record;
mod reproducible;
mod server;
mod servers;
mod setup_bundles;
mod support;
mod walk;
