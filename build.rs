//! Makes the runtime that the binary embeds, when it is missing or stale.
//!
//! `AGENT_BUNDLE_RUNTIME_DIST` names a ready one (packagers, hermetic builds). Otherwise `runtime/dist` is built
//! with npm; a digest of the sources beside it tells whether it is still what they give.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::exit,
    reason = "a build script talks to cargo and the disk"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-env-changed=AGENT_BUNDLE_RUNTIME_DIST");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let dist = match env::var_os("AGENT_BUNDLE_RUNTIME_DIST") {
        Some(ready) => PathBuf::from(ready),
        None => made(&root.join("runtime")),
    };
    if !dist.join("runtime.json").is_file() {
        fail(&format!("{} holds no runtime.json", dist.display()));
    }
    println!("cargo::rustc-env=AGENT_BUNDLE_RUNTIME={}", dist.display());
    println!("cargo::rustc-env=AGENT_BUNDLE_SOURCES={}", program(&root, &dist));
}

/// A digest of everything that this program's results depend on: a rebuilt program with other sources, templates or
/// runtime never takes the results of another.
fn program(root: &Path, dist: &Path) -> String {
    let mut files = Vec::new();
    for part in ["src", "targets", "templates", "schemas", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={part}");
        collect(&root.join(part), &mut files);
    }
    format!("{} {}", digest(root, &mut files), digest(dist, &mut [dist.join("runtime.json")]))
}

/// `runtime/dist`, built when its sources changed.
fn made(runtime: &Path) -> PathBuf {
    let mut sources = Vec::new();
    for part in ["src", "types", "scripts", "package.json", "package-lock.json", "tsconfig.json"] {
        println!("cargo::rerun-if-changed=runtime/{part}");
        collect(&runtime.join(part), &mut sources);
    }
    println!("cargo::rerun-if-changed=runtime/dist/runtime.json");
    let dist = runtime.join("dist");
    let stamp = dist.join(".sources");
    let digest = digest(runtime, &mut sources);
    if fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == digest)
        && dist.join("runtime.json").is_file()
    {
        return dist;
    }
    println!("cargo::warning=building the runtime with npm");
    npm(runtime, &["ci", "--no-audit", "--no-fund"]);
    npm(runtime, &["run", "build"]);
    if let Err(error) = fs::write(&stamp, digest) {
        fail(&format!("{}: {error}", stamp.display()));
    }
    dist
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    match fs::read_dir(path) {
        Ok(entries) => entries.flatten().for_each(|entry| collect(&entry.path(), files)),
        Err(_) if path.is_file() => files.push(path.to_owned()),
        Err(_) => {}
    }
}

/// FNV-1a over names and bytes: only equality with an earlier run of this script is asked of it.
fn digest(runtime: &Path, files: &mut [PathBuf]) -> String {
    files.sort();
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for file in files {
        let name = file.strip_prefix(runtime).unwrap_or(file).to_string_lossy().into_owned();
        for byte in name.bytes().chain([0]).chain(fs::read(file).unwrap_or_default()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

fn npm(directory: &Path, arguments: &[&str]) {
    let outcome = Command::new("npm").args(arguments).current_dir(directory).output();
    match outcome {
        Ok(done) if done.status.success() => {}
        Ok(done) => fail(&format!(
            "npm {} failed in runtime/:\n{}{}",
            arguments.join(" "),
            String::from_utf8_lossy(&done.stdout),
            String::from_utf8_lossy(&done.stderr)
        )),
        Err(error) => fail(&format!(
            "the runtime must be built and npm cannot be started ({error}); install Node 20 with npm, or name a ready \
             runtime in AGENT_BUNDLE_RUNTIME_DIST"
        )),
    }
}

fn fail(message: &str) -> ! {
    for line in message.lines() {
        println!("cargo::error={line}");
    }
    exit(1)
}
