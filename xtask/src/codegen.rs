//! `cargo xtask codegen`: files that are made from the program, and kept true by a test of it.

use crate::{binary, root};
use std::process::Command;

/// What is made: a path, and the arguments whose output goes there.
const FILES: [(&str, &[&str]); 4] = [
    ("schemas/agent-bundle.manifest.schema.json", &["schema", "manifest"]),
    ("schemas/agent-bundle.artifact.schema.json", &["schema", "index"]),
    ("schemas/agent-bundle.evidence.schema.json", &["schema", "evidence"]),
    ("docs/diagnostics.md", &["explain", "--codes"]),
];

/// Writes every generated file.
pub fn run() -> Result<(), String> {
    let built = Command::new("cargo").args(["build", "--quiet"]).current_dir(root()).status();
    if !built.is_ok_and(|status| status.success()) {
        return Err("the program does not build".to_owned());
    }
    for (path, arguments) in FILES {
        let output = Command::new(binary()).args(arguments).output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        std::fs::write(root().join(path), output.stdout).map_err(|error| format!("{path}: {error}"))?;
        println!("{path}");
    }
    Ok(())
}
