//! Every case has a test that bears its id, or a stated reason why it has none.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// One case a line: its id, and behind a colon the reason where it has no test.
const CASES: &str = include_str!("cases.txt");

#[test]
fn every_case_has_a_test_or_a_reason() {
    let cases: BTreeMap<&str, Option<&str>> = CASES
        .lines()
        .filter(|line| line.starts_with('T'))
        .map(|line| match line.split_once(':') {
            Some((id, reason)) => (id.trim(), Some(reason.trim())),
            None => (line.trim(), None),
        })
        .collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tested = BTreeSet::new();
    for folder in ["tests/workspace", "src/workspace"] {
        collect(&root.join(folder), &mut tested);
    }
    let untested: Vec<&&str> = cases
        .iter()
        .filter(|(id, reason)| reason.is_none() && !tested.contains(**id))
        .map(|(id, _)| id)
        .collect();
    assert!(untested.is_empty(), "no test bears these ids: {untested:?}");
    let stale: Vec<&&str> = cases
        .iter()
        .filter(|(id, reason)| reason.is_some() && tested.contains(**id))
        .map(|(id, _)| id)
        .collect();
    assert!(stale.is_empty(), "these have a test and a reason for having none: {stale:?}");
    let unknown: Vec<&String> = tested.iter().filter(|id| !cases.contains_key(id.as_str())).collect();
    assert!(unknown.is_empty(), "these are no cases: {unknown:?}");
    let gaps = cases.values().filter(|reason| reason.is_some()).count();
    assert!(gaps <= MOST_GAPS, "{gaps} cases have no test; the number may only fall");
}

/// How many cases may be without a test.
const MOST_GAPS: usize = 2;

/// Ids in the names of test functions: `fn t001_t002_what_holds()`.
fn collect(folder: &Path, tested: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, tested);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            for name in text.lines().filter_map(|line| line.trim().strip_prefix("fn t")) {
                let name = format!("t{}", name.split('(').next().unwrap());
                let ids = name.split('_').take_while(|word| {
                    word.len() == 4
                        && word.starts_with('t')
                        && word[1..].bytes().all(|byte| byte.is_ascii_digit())
                });
                tested.extend(ids.map(str::to_uppercase));
            }
        }
    }
}
