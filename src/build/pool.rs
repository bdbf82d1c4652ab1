//! Threads for building. They are made when there is work for them: a build that finds nothing changed has one thread.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::OnceLock;

/// Runs `work` on the pool for nodes, of `jobs` threads (0: one a core; the first call decides).
///
/// The bundler uses rayon's global pool from threads of its own. Nodes run on a pool beside it, since a node that waits
/// for the bundler would otherwise hold the very thread that the bundler waits for.
pub(super) fn on_pool<T: Send>(jobs: usize, work: impl FnOnce() -> T + Send) -> T {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let pool = POOL.get_or_init(|| {
        drop(ThreadPoolBuilder::new().num_threads(jobs).build_global());
        ThreadPoolBuilder::new().num_threads(jobs).build().ok()
    });
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}
