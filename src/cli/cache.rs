//! `agent-bundle cache stats|prune|verify|clear`

use super::{Exit, Printer};
use crate::cache::{Pruned, Store, store_directory};
use crate::diagnostic::{Code, Diagnostic};
use crate::world::OsWorld;
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct CacheArgs {
    #[command(subcommand)]
    command: CacheCommand,
    /// Directory of the store; default: AGENT_BUNDLE_CACHE_DIR, else the user's cache directory.
    #[arg(long, global = true, value_name = "DIR")]
    cache_dir: Option<PathBuf>,
    /// Print one JSON document on standard output.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum CacheCommand {
    /// Show where the store lies and what it holds.
    Stats,
    /// Remove what was used least recently until the store is within its bound.
    Prune {
        /// Bound in MiB; default: AGENT_BUNDLE_CACHE_SIZE (bytes), else 2048 MiB.
        #[arg(long, value_name = "MIB")]
        to: Option<u64>,
    },
    /// Read everything and remove what is damaged.
    Verify,
    /// Remove everything.
    Clear,
}

pub(super) fn run(args: &CacheArgs, printer: &Printer) -> Exit {
    let Some(directory) = store_directory(&OsWorld, args.cache_dir.as_deref()) else {
        let found = Diagnostic::new(
            Code::AB5005,
            "there is no place for a store: neither a home nor a cache directory",
        )
        .help("name one with --cache-dir");
        printer.diagnostics(std::path::Path::new("."), &[found]);
        return Exit::Failure;
    };
    let store = Store::new(&directory, &OsWorld);
    let pruned = match args.command {
        CacheCommand::Stats => return stats(&store, args.json, printer),
        CacheCommand::Prune { to } => store.prune(to.map(|mib| mib << 20)),
        CacheCommand::Verify => store.verify(),
        CacheCommand::Clear => store.clear(),
    };
    report(pruned, args.json, printer);
    Exit::Success
}

fn stats(store: &Store, as_json: bool, printer: &Printer) -> Exit {
    let stats = store.stats();
    if as_json {
        printer.document(&stats);
    } else {
        printer.line(&format!(
            "{}: {} blobs and {} records, {:.1} of {} MiB",
            stats.directory.display(),
            stats.blobs,
            stats.records,
            stats.bytes as f64 / f64::from(1 << 20),
            stats.limit >> 20,
        ));
    }
    Exit::Success
}

fn report(pruned: Pruned, as_json: bool, printer: &Printer) {
    if as_json {
        printer.document(&json!(pruned));
    } else {
        let mib = pruned.bytes as f64 / f64::from(1 << 20);
        printer.line(&format!("{} removed ({mib:.1} MiB), {} kept", pruned.removed, pruned.kept));
    }
}
