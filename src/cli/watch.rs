//! `build --watch`: the same build in a loop over file events. Events say *when* to look, never *what* changed: each
//! round is an ordinary build, whose fast path decides, and rounds come without events too.

use super::build::{BuildArgs, Built, once};
use super::{Exit, Printer};
use crate::build::load_history;
use crate::world::{Kind, Root};
use notify::{RecursiveMode, Watcher};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// An editor's save is several events; they are gathered for so long.
const SETTLE: Duration = Duration::from_millis(30);

/// Without events, a look is taken this often: a watch may be lost with its directory, or never have been possible.
const LOOK: Duration = Duration::from_secs(1);

pub(super) fn run(args: &BuildArgs, printer: &Printer) -> Exit {
    let (send, events) = channel();
    let mut watcher = notify::recommended_watcher(move |_: notify::Result<notify::Event>| {
        let _ = send.send(());
    })
    .ok();
    let mut watched = BTreeSet::new();
    let mut last = String::new();
    loop {
        let built = once(args, printer);
        let said = built.story();
        if said != last {
            built.print_findings(args, printer);
        }
        if said != last || built.worked() {
            built.print_outcome(args, printer);
        }
        last = said;
        if let Some(watcher) = &mut watcher {
            follow(watcher, &mut watched, directories(&built));
        }
        match events.recv_timeout(LOOK) {
            Ok(()) => {
                std::thread::sleep(SETTLE);
                while events.try_recv().is_ok() {}
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(LOOK),
        }
    }
}

/// Directories whose entries matter: those of every path that the last builds used.
fn directories(built: &Built) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for path in built.roots() {
        let root = Root::new(path.clone());
        found.insert(path);
        for build in load_history(&root).builds.into_iter().take(1) {
            for state in &build.states {
                let absolute = root.absolute(&state.path);
                match state.link {
                    Some((Kind::Dir, _)) => drop(found.insert(absolute)),
                    Some(_) => drop(absolute.parent().map(|parent| found.insert(parent.to_owned()))),
                    None => {}
                }
            }
        }
    }
    found
}

fn follow(watcher: &mut impl Watcher, watched: &mut BTreeSet<PathBuf>, wanted: BTreeSet<PathBuf>) {
    for gone in watched.difference(&wanted) {
        drop(watcher.unwatch(gone));
    }
    // Watching again is harmless, and brings back what was lost when a directory was replaced.
    *watched =
        wanted.into_iter().filter(|path| watcher.watch(path, RecursiveMode::NonRecursive).is_ok()).collect();
}
