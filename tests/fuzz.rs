//! Arbitrary input never panics, never hangs, and every place that is told lies in the text. Mutations of a small corpus
//! (`fuzz/corpus/`), a bounded number in each run. `cargo xtask fuzz` looks for inputs guided by coverage instead.
#![allow(clippy::disallowed_methods, reason = "tests make and read projects")]

#[path = "../fuzz/oracle.rs"]
mod oracle;

use std::fs;
use std::path::Path;

const ROUNDS: usize = 1_500;

/// A small generator of pseudo-random numbers; equal seeds give equal runs.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| fs::read(path).unwrap()).collect()
}

/// One input of the corpus with some damage: bytes changed, parts removed, repeated, or brought in from another input.
fn mutated(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    const WORDS: [&str; 20] = [
        "{", "}", "[", "]", "(", ")", "'", "\"", "`", "${", "---\n", ": ", "...", "=", "\u{feff}", "\r\n",
        "\0", "é", "\\u", "<a>",
    ];
    let mut bytes = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(24)).min(bytes.len());
        match random.below(6) {
            0 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            1 => drop(bytes.drain(at..end)),
            2 => {
                let part = bytes[at..end].repeat(1 + random.below(40));
                drop(bytes.splice(at..at, part));
            }
            3 => {
                let other = &corpus[random.below(corpus.len())];
                let from = random.below(other.len() + 1);
                let to = (from + random.below(60)).min(other.len());
                drop(bytes.splice(at..at, other[from..to].iter().copied()));
            }
            _ => {
                let word = WORDS[random.below(WORDS.len())].repeat(1 + random.below(3));
                drop(bytes.splice(at..at, word.into_bytes()));
            }
        }
    }
    bytes
}

/// The corpus as it stands, then with damage.
fn fuzz(name: &str, seed: u64, run: impl Fn(usize, &[u8])) {
    let corpus = corpus(name);
    corpus.iter().for_each(|bytes| run(bytes.len(), bytes));
    let mut random = Random(seed);
    for round in 0..ROUNDS {
        run(round, &mutated(&mut random, &corpus));
    }
}

#[test]
fn modules() {
    fuzz("module", 1, oracle::module);
}

#[test]
fn manifests() {
    fuzz("manifest", 2, oracle::manifest);
}

#[test]
fn configurations() {
    fuzz("config", 4, oracle::config);
}

#[test]
fn frontmatter() {
    fuzz("frontmatter", 3, oracle::frontmatter);
}
