//! Command line of agent-bundle.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // The allocator asks for huge pages, and a build touches little of many: zeroing them costs more than a whole
    // bundle. Where the system has none, there is nothing to turn off.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    agent_bundle::cli::run()
}
