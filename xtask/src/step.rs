//! One step of a task: a child process whose output is shown, kept and counted.

use crate::root;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a step came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Checks that held.
    pub passed: usize,
    /// Checks that did not.
    pub failed: usize,
    /// Checks that could not be made.
    pub skipped: usize,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// One step.
pub struct Step {
    /// Name, as the summary shows it.
    pub name: &'static str,
    /// What this step takes for granted: a later one is not run where it failed.
    pub needs: &'static [&'static str],
    program: PathBuf,
    arguments: Vec<String>,
    directory: PathBuf,
    environment: Vec<(&'static str, PathBuf)>,
}

/// How a step ended.
pub struct Outcome {
    /// Counted checks; one where the program counts nothing itself.
    pub counts: Counts,
    /// Lines that say what could not be checked.
    pub unchecked: Vec<String>,
    /// How long it took.
    pub took: Duration,
}

impl Step {
    /// Runs `program` in the repository.
    pub fn new(name: &'static str, program: impl AsRef<Path>, arguments: &[&str]) -> Self {
        Self {
            name,
            needs: &[],
            program: program.as_ref().to_owned(),
            arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
            directory: root(),
            environment: Vec::new(),
        }
    }

    /// In a directory of the repository.
    pub fn at(mut self, directory: &str) -> Self {
        self.directory = root().join(directory);
        self
    }

    /// After these.
    pub fn needs(mut self, names: &'static [&'static str]) -> Self {
        self.needs = names;
        self
    }

    /// With a path in the environment.
    pub fn env(mut self, name: &'static str, path: PathBuf) -> Self {
        self.environment.push((name, path));
        self
    }

    /// Runs it to its end.
    pub fn run(&self) -> Outcome {
        let started = Instant::now();
        let mut counts = Counts::default();
        let mut unchecked = Vec::new();
        let child = Command::new(&self.program)
            .args(&self.arguments)
            .current_dir(&self.directory)
            .envs(self.environment.iter().map(|(name, path)| (name, path)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn();
        let succeeded = match child {
            Err(error) => {
                eprintln!("{} cannot be started: {error}", self.program.display());
                false
            }
            Ok(mut child) => {
                let mut out = std::io::stdout();
                for line in child.stdout.take().into_iter().flat_map(|stdout| BufReader::new(stdout).lines())
                {
                    let Ok(line) = line else { break };
                    drop(writeln!(out, "{line}"));
                    counts += counted(&line);
                    if line.contains("NOT CHECKED") {
                        unchecked.push(line);
                    }
                }
                child.wait().is_ok_and(|status| status.success())
            }
        };
        if succeeded && counts == Counts::default() {
            counts.passed = 1;
        }
        if !succeeded && counts.failed == 0 {
            counts.failed = 1;
        }
        Outcome { counts, unchecked, took: started.elapsed() }
    }
}

/// What one line of output counts, in the dialects of cargo, Node.js and our own runner.
fn counted(line: &str) -> Counts {
    let mut counts = Counts::default();
    if let Some(result) = line.trim().strip_prefix("test result: ") {
        for part in result.split(['.', ';']) {
            match number_before(part) {
                Some((number, "passed")) => counts.passed = number,
                Some((number, "failed")) => counts.failed = number,
                Some((number, "ignored")) => counts.skipped = number,
                _ => {}
            }
        }
        return counts;
    }
    if let Some(rest) = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ ")) {
        let mut words = rest.split(' ');
        let (name, number) = (words.next(), words.next().and_then(|word| word.parse().ok()));
        match (name, number, words.next()) {
            (Some("pass"), Some(number), None) => counts.passed = number,
            (Some("fail" | "cancelled"), Some(number), None) => counts.failed = number,
            (Some("skipped" | "todo"), Some(number), None) => counts.skipped = number,
            _ => {}
        }
        return counts;
    }
    let parts: Vec<Option<(usize, &str)>> = line.split(", ").map(number_before).collect();
    if let [Some((passed, "passed")), Some((failed, "failed")), Some((skipped, "skipped"))] = parts[..] {
        return Counts { passed, failed, skipped };
    }
    counts
}

/// `12 passed` as a number and a word.
fn number_before(text: &str) -> Option<(usize, &str)> {
    let (number, word) = text.trim().split_once(' ')?;
    Some((number.parse().ok()?, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dialect_is_counted() {
        let counts = |passed, failed, skipped| Counts { passed, failed, skipped };
        let cargo = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 7 filtered out; finished in 1.0s";
        assert_eq!(counted(cargo), counts(12, 3, 1));
        assert_eq!(counted("# pass 4"), counts(4, 0, 0));
        assert_eq!(counted("ℹ fail 2"), counts(0, 2, 0));
        assert_eq!(counted("ℹ skipped 2"), counts(0, 0, 2));
        assert_eq!(counted("9 passed, 1 failed, 2 skipped"), counts(9, 1, 2));
        for other in
            ["# Subtest: pass 4", "ℹ pass 4 times", "12 passed", "", "ok 1 - passed, failed, skipped"]
        {
            assert_eq!(counted(other), Counts::default(), "{other}");
        }
    }
}
