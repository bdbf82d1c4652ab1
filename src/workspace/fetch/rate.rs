//! How often one caller may fetch.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// So many fetches…
const MOST: usize = 10;
/// …in so many seconds.
const WINDOW: i64 = 60;

/// Fetches of the last minute by caller; clones count together.
#[derive(Debug, Clone, Default)]
pub struct Rate(Arc<Mutex<BTreeMap<String, Vec<i64>>>>);

impl Rate {
    /// Counts a fetch of `who` at `now`; whether it may be made.
    pub fn admit(&self, who: &str, now: i64) -> bool {
        let mut callers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        callers.retain(|_, times| {
            times.retain(|at| now - at < WINDOW);
            !times.is_empty()
        });
        let times = callers.entry(who.to_owned()).or_default();
        let admitted = times.len() < MOST;
        if admitted {
            times.push(now);
        }
        admitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_caller_has_a_minute_of_its_own() {
        let rate = Rate::default();
        for at in 0..10 {
            assert!(rate.clone().admit("a", 1_000 + at), "{at}");
        }
        assert!(!rate.admit("a", 1_010));
        assert!(rate.admit("b", 1_010));
        assert!(!rate.admit("a", 1_059));
        assert!(rate.admit("a", 1_060), "the first one is a minute old");
        assert!(!rate.admit("a", 1_060));
        assert!(rate.admit("a", 9_000));
        assert_eq!(rate.0.lock().unwrap().len(), 1, "callers of long ago are forgotten");
    }
}
