//! What a build read, for the build tools around it.

use crate::engine::{LastBuild, PathState};
use crate::world::{Answer, Kind, Query};
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Form of a dependency list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DepfileFormat {
    /// A Make rule: the artifact's index depends on every input.
    Make,
    /// `{outputs, inputs, absent}`; `absent` are paths that were looked for in vain.
    Json,
    /// Inputs, each ended by a NUL.
    Nul,
}

/// Renders what `builds` read and wrote. Each comes with the prefix that leads from the caller's directory to its root
/// (empty, or ending in `/`).
pub fn depfile(builds: &[(String, LastBuild)], format: DepfileFormat) -> Vec<u8> {
    let mut inputs = BTreeSet::new();
    let mut absent = BTreeSet::new();
    let mut outputs = BTreeSet::new();
    for (prefix, build) in builds {
        let on_disk = |state: &&PathState| state.link.is_none_or(|(_, stamp)| !stamp.is_overlay());
        for state in build.states.iter().filter(on_disk) {
            let is_variable = state.answers.iter().any(|(query, _)| *query == Query::Env);
            let is_read = state
                .answers
                .iter()
                .any(|(query, answer)| *query == Query::Read && *answer != Answer::Absent);
            let is_listed = state.answers.iter().any(|(query, _)| *query == Query::List);
            let path = format!("{prefix}{}", state.path);
            if is_variable {
            } else if is_read || is_listed && state.link.is_some_and(|(kind, _)| kind == Kind::Dir) {
                inputs.insert(path);
            } else if state.link.is_none() {
                absent.insert(path);
            }
        }
        outputs.extend(build.outputs.iter().map(|output| format!("{prefix}{}", output.path)));
    }
    match format {
        DepfileFormat::Json => {
            crate::model::pretty_json(&json!({"outputs": outputs, "inputs": inputs, "absent": absent}))
        }
        DepfileFormat::Nul => inputs.iter().flat_map(|path| path.bytes().chain([0])).collect(),
        DepfileFormat::Make => {
            let mut text = String::new();
            for output in outputs.iter().filter(|path| path.ends_with(crate::artifact::INDEX_FILE)) {
                let _ = write!(text, "{}:", escape(output));
                for input in &inputs {
                    let _ = write!(text, " \\\n  {}", escape(input));
                }
                text.push('\n');
            }
            text.into_bytes()
        }
    }
}

/// A path as Make reads one.
fn escape(path: &str) -> String {
    path.replace('$', "$$").replace('#', "\\#").replace(' ', "\\ ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::PathState;
    use crate::world::{Digest, Stamp};

    fn build() -> LastBuild {
        let stamp = Stamp { size: 0, mtime: 0, ctime: 0, inode: 0 };
        let state = |path: &str, kind: Option<Kind>, query, answer| PathState {
            path: path.to_owned(),
            link: kind.map(|kind| (kind, stamp)),
            target: None,
            answers: vec![(query, answer)],
        };
        let digest = Answer::Digest(Digest::of(b""));
        LastBuild {
            settings: Digest::of(b""),
            started: 0,
            states: vec![
                state("a b$.ts", Some(Kind::File), Query::Read, digest.clone()),
                state("HOME", None, Query::Env, Answer::Absent),
                state("c.ts", None, Query::Probe, Answer::Absent),
                state("src", Some(Kind::Dir), Query::List, digest),
            ],
            prepared: Vec::new(),
            outputs: vec![crate::engine::OutputState {
                path: "artifact/agent-bundle.manifest.json".to_owned(),
                digest: Digest::of(b""),
                stamp,
            }],
            plugin: String::new(),
            output: String::new(),
            targets: Vec::new(),
            files: Vec::new(),
            nodes: Vec::new(),
            diagnostics: String::new(),
        }
    }

    #[test]
    fn each_form_lists_what_was_read() {
        let builds = [("p/".to_owned(), build())];
        let text = |format| String::from_utf8(depfile(&builds, format)).unwrap();
        assert_eq!(
            text(DepfileFormat::Make),
            "p/artifact/agent-bundle.manifest.json: \\\n  p/a\\ b$$.ts \\\n  p/src\n"
        );
        assert_eq!(text(DepfileFormat::Nul), "p/a b$.ts\0p/src\0");
        assert!(text(DepfileFormat::Json).contains("\"absent\": [\n    \"p/c.ts\"\n  ]"));
    }
}
