use serde_json::Value;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// Name of the directory beside a project for what is remembered for all projects.
pub const STORE: &str = "store of the tests";

/// One finished run of the binary.
#[derive(Debug)]
pub struct Run {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// One finding of a run's JSON document.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding(pub Value);

/// Runs the binary in `directory`, with nothing on standard input. What it remembers for all projects of a user lies
/// beside the directory: no test hears of another, nor of whoever runs them.
pub fn agent_bundle<S: AsRef<OsStr>>(directory: &Path, arguments: impl IntoIterator<Item = S>) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_agent-bundle"))
        .args(arguments)
        .current_dir(directory)
        .env("AGENT_BUNDLE_CACHE_DIR", directory.parent().unwrap().join(STORE))
        .env_remove("CLICOLOR_FORCE")
        .env_remove("CI")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Run {
        code: output.status.code().expect("the binary exits by itself"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Run {
    /// Insists on exit code 0.
    #[track_caller]
    pub fn succeeded(self) -> Self {
        self.exited(0)
    }

    /// Insists on an exit code.
    #[track_caller]
    pub fn exited(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// The one JSON document on standard output.
    #[track_caller]
    pub fn document(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!("not one JSON document: {error}\n{}\n{}", self.stdout, self.stderr)
        })
    }

    /// All findings of the document.
    #[track_caller]
    pub fn findings(&self) -> Vec<Finding> {
        let document = self.document();
        let rows = document["diagnostics"].as_array().cloned();
        rows.unwrap_or_else(|| panic!("no diagnostics in {document:#}")).into_iter().map(Finding).collect()
    }

    /// Findings that stop a build.
    #[track_caller]
    pub fn errors(&self) -> Vec<Finding> {
        self.findings().into_iter().filter(|finding| finding.0["severity"] == "error").collect()
    }

    /// Their codes, in the order of the report.
    #[track_caller]
    pub fn codes(&self) -> Vec<String> {
        self.errors().iter().map(|finding| finding.code().to_owned()).collect()
    }

    /// The first finding of that code.
    #[track_caller]
    pub fn finding(&self, code: &str) -> Finding {
        let all = self.findings();
        let found = all.iter().find(|finding| finding.code() == code);
        found.unwrap_or_else(|| panic!("no {code} in {all:#?}")).clone()
    }
}

impl Finding {
    /// The code.
    pub fn code(&self) -> &str {
        self.0["code"].as_str().unwrap_or_default()
    }

    /// The message.
    pub fn message(&self) -> &str {
        self.0["message"].as_str().unwrap_or_default()
    }

    /// What to do.
    pub fn help(&self) -> &str {
        self.0["help"].as_str().unwrap_or_default()
    }

    /// The file of the span; empty where there is no span.
    pub fn path(&self) -> &str {
        self.0["span"]["path"].as_str().unwrap_or_default()
    }

    /// The bytes that the span covers, read below `root`.
    pub fn quoted(&self, root: &Path) -> String {
        let at = |key: &str| usize::try_from(self.0["span"][key].as_u64().unwrap()).unwrap();
        let bytes = std::fs::read(root.join(self.path())).unwrap();
        String::from_utf8_lossy(&bytes[at("start")..at("end")]).into_owned()
    }
}
