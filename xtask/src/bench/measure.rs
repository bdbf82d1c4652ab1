//! One process, from start to end, as the operating system accounts for it; and the medians of many.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use wait4::Wait4;

/// What one run took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sample {
    /// Milliseconds from start to end.
    pub wall: f64,
    /// Milliseconds of processors, in the program and all that it waited for.
    pub cpu: f64,
    /// Largest resident memory of any one process, MB.
    pub peak: f64,
}

/// A program to run.
#[derive(Debug, Clone)]
pub struct Job {
    /// The program itself, never a script that starts it.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Where it runs.
    pub directory: PathBuf,
    /// Variables on top of those that all jobs get.
    pub environment: Vec<(&'static str, String)>,
    /// The exit code of a run that went as it should.
    pub code: i32,
}

impl Job {
    /// `program` with `arguments` in `directory`.
    pub fn new(program: impl Into<PathBuf>, arguments: &[&str], directory: &Path) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
            directory: directory.to_owned(),
            environment: Vec::new(),
            code: 0,
        }
    }

    /// The name of the program, where it was named by a path at which nothing lies.
    pub fn missing(&self) -> Option<String> {
        let is_missing = self.program.is_absolute() && !self.program.exists();
        is_missing.then(|| self.program.file_name().unwrap_or_default().to_string_lossy().into_owned())
    }

    /// Runs it to its end; what it printed is shown only where it fails.
    pub fn run(&self) -> Result<Sample, String> {
        let log = std::env::temp_dir().join(format!("bench-{}.log", std::process::id()));
        let output = File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
        let errors = output.try_clone().map_err(|error| error.to_string())?;
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(&self.directory).stdin(Stdio::null());
        command.stdout(output).stderr(errors);
        // Files are trusted by their stamps on a developer's machine, which is what is measured.
        command.env_remove("CI").env("NO_COLOR", "1").env("DO_NOT_TRACK", "1");
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        let started = Instant::now();
        let child = command
            .spawn()
            .map_err(|error| format!("{} cannot be started: {error}", self.program.display()))?;
        let used = child.wait4().map_err(|error| error.to_string())?;
        let wall = started.elapsed().as_secs_f64() * 1e3;
        let printed = fs::read(&log).unwrap_or_default();
        drop(fs::remove_file(&log));
        if used.status.code() != Some(self.code) {
            let printed = String::from_utf8_lossy(&printed);
            let last: Vec<&str> = printed.lines().rev().take(20).collect();
            let last = last.into_iter().rev().collect::<Vec<_>>().join("\n");
            let (program, arguments) = (self.program.display(), self.arguments.join(" "));
            return Err(format!("{program} {arguments} failed in {}:\n{last}", self.directory.display()));
        }
        let cpu = (used.rusage.utime + used.rusage.stime).as_secs_f64() * 1e3;
        Ok(Sample { wall, cpu, peak: used.rusage.maxrss as f64 / 1e6 })
    }
}

/// Many runs as one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Summary {
    /// The median of each measure.
    pub median: Sample,
    /// The shortest run, milliseconds.
    pub least: f64,
    /// How many runs.
    pub runs: usize,
}

/// Medians; `None` of no samples.
pub fn summarize(samples: &[Sample]) -> Option<Summary> {
    let of = |measure: fn(&Sample) -> f64| {
        let mut values: Vec<f64> = samples.iter().map(measure).collect();
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        let upper = *values.get(middle)?;
        Some(if values.len().is_multiple_of(2) { (values[middle - 1] + upper) / 2.0 } else { upper })
    };
    let median = Sample { wall: of(|one| one.wall)?, cpu: of(|one| one.cpu)?, peak: of(|one| one.peak)? };
    let least = samples.iter().map(|one| one.wall).fold(f64::INFINITY, f64::min);
    Some(Summary { median, least, runs: samples.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(wall: f64) -> Sample {
        Sample { wall, cpu: wall * 2.0, peak: 10.0 - wall }
    }

    #[test]
    fn each_measure_has_its_own_median() {
        assert_eq!(summarize(&[]), None);
        let odd = summarize(&[3.0, 1.0, 2.0].map(sample)).unwrap();
        assert_eq!((odd.median, odd.least, odd.runs), (sample(2.0), 1.0, 3));
        let even = summarize(&[4.0, 1.0, 3.0, 2.0].map(sample)).unwrap();
        assert_eq!(even.median.wall, 2.5);
    }

    #[test]
    fn a_finished_process_is_accounted_for() {
        let sample = Job::new("/bin/sh", &["-c", "exit 0"], Path::new("/")).run().unwrap();
        assert!(sample.wall > 0.0 && sample.peak > 0.0);
        let error = Job::new("/bin/sh", &["-c", "echo why; exit 3"], Path::new("/")).run().unwrap_err();
        assert!(error.ends_with("why"), "{error}");
    }
}
