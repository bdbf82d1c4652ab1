//! A client of built servers: list, call, run.

mod client;
mod launch;

pub use client::{CallFailure, Listing, call_tool, list};
pub use launch::{Launched, find_server, launch_command, servers};
