//! Arbitrary input never panics, never hangs, and every place that is told lies in the text. Mutations of a small corpus
//! (`tests/fuzz/`), a bounded number in each run; `FUZZ_SECONDS=600` runs for ten minutes.
#![allow(clippy::disallowed_methods, reason = "tests make and read projects")]

use agent_bundle::diagnostic::{Diagnostic, fix};
use agent_bundle::extract::{DocumentKind, document, extract_module, skill};
use agent_bundle::manifest;
use agent_bundle::model::ModuleKind;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz").join(name);
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

fn fuzz(name: &str, seed: u64, run: impl Fn(usize, &[u8]) -> Vec<Diagnostic>) {
    let corpus = corpus(name);
    let mut random = Random(seed);
    let seconds = std::env::var("FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    let until = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut round = 0;
    while until.map_or(round < ROUNDS, |until| Instant::now() < until) {
        let bytes = mutated(&mut random, &corpus);
        for diagnostic in run(round, &bytes) {
            let Some(span) = &diagnostic.span else { continue };
            assert!(span.start <= span.end && span.end <= bytes.len(), "{span:?} in {bytes:?}");
            assert!(!diagnostic.message.contains("gave up"), "{bytes:?}");
        }
        round += 1;
    }
}

/// What the edits of findings make of the text: any text, never a panic.
fn mend(bytes: &[u8], diagnostics: &[Diagnostic], is_manifest: bool) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for fixes in fix::fixes_by_path(diagnostics).values() {
        match is_manifest {
            true => drop(manifest::edit(text, fixes)),
            false => drop(fix::apply(text, fixes)),
        }
    }
}

#[test]
fn modules() {
    use ModuleKind::*;
    const KINDS: [ModuleKind; 12] =
        [Tool, Resource, Prompt, App, Layout, Provider, Entry, Command, Projection, Event, Script, State];
    const PATHS: [&str; 4] = ["src/events/model-switch/before.ts", "src/a.tsx", "src/a.cjs", "src/a.jsx"];
    fuzz("module", 1, |round, bytes| {
        let found =
            extract_module(KINDS[round % KINDS.len()], PATHS[round / KINDS.len() % PATHS.len()], bytes);
        mend(bytes, &found.diagnostics, false);
        found.diagnostics
    });
}

#[test]
fn manifests() {
    fuzz("manifest", 2, |_, bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return Vec::new() };
        let found = manifest::parse(text).err().unwrap_or_default();
        mend(bytes, &found, true);
        found
    });
}

#[test]
fn configurations() {
    fuzz("config", 4, |_, bytes| {
        let found = manifest::parse_config(bytes).err().unwrap_or_default();
        mend(bytes, &found, false);
        found
    });
}

#[test]
fn frontmatter() {
    let files = ["SKILL.md".to_owned(), "b.md".to_owned()];
    fuzz("frontmatter", 3, |round, bytes| {
        let found = match round % 3 {
            0 => skill("src/skills/notes/SKILL.md", bytes, "notes", &files).diagnostics,
            1 => document(DocumentKind::Rule, "src/rules/a.mdc", bytes).diagnostics,
            _ => document(DocumentKind::Command, "src/commands/a.md", bytes).diagnostics,
        };
        mend(bytes, &found, false);
        found
    });
}
