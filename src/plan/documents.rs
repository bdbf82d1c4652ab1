//! Nodes that carry skills, commands, rules and assets into the artifact.

use super::modules::read;
use crate::diagnostic::Diagnostic;
use crate::discover::{DocumentFile, SkillDir};
use crate::engine::{FileKind, Job, JobContext, KeyWalk, Output};
use crate::extract;
use crate::model::{Document, Skill};
use crate::target::{DocumentKind, Registry, SkillOutput, Target, lower_document, lower_skill};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Extracts a skill's frontmatter and checks its links.
pub struct SkillFactsJob(pub SkillDir);

impl Job for SkillFactsJob {
    fn walk(&self, walk: &mut dyn KeyWalk) {
        walk.field("directory", self.0.directory.as_bytes());
        walk.field("files", self.0.files.join("\n").as_bytes());
    }

    fn run(&self, context: &JobContext) -> Output {
        let path = format!("{}/SKILL.md", self.0.directory);
        match read(context, &path) {
            Err(diagnostic) => failed(*diagnostic),
            Ok(bytes) => {
                let found = extract::skill(&path, &bytes, &self.0.name, &self.0.files);
                Output {
                    value: serde_json::to_value(found.facts).unwrap_or_default(),
                    diagnostics: found.diagnostics,
                    ..Output::default()
                }
            }
        }
    }
}

/// Extracts the frontmatter of a command or rule.
pub struct DocumentFactsJob {
    /// Which of the two.
    pub kind: DocumentKind,
    /// The file.
    pub file: DocumentFile,
}

impl Job for DocumentFactsJob {
    fn walk(&self, walk: &mut dyn KeyWalk) {
        walk.field("document", self.kind.word().as_bytes());
        walk.field("source", self.file.source.as_bytes());
    }

    fn run(&self, context: &JobContext) -> Output {
        let kind = match self.kind {
            DocumentKind::Command => extract::DocumentKind::Command,
            DocumentKind::Rule => extract::DocumentKind::Rule,
        };
        match read(context, &self.file.source) {
            Err(diagnostic) => failed(*diagnostic),
            Ok(bytes) => {
                let found = extract::document(kind, &self.file.source, &bytes);
                Output {
                    value: serde_json::to_value(found.facts).unwrap_or_default(),
                    diagnostics: found.diagnostics,
                    ..Output::default()
                }
            }
        }
    }
}

/// Emits a skill: its document in the form of the hosts that read it, everything else byte for byte.
pub struct SkillJob {
    /// Host definitions.
    pub registry: Arc<Registry>,
    /// The skill.
    pub skill: Skill,
    /// Where its document lies.
    pub outputs: Vec<SkillOutput>,
}

impl Job for SkillJob {
    fn walk(&self, walk: &mut dyn KeyWalk) {
        walk.field(
            "skill",
            &crate::model::canonical_json(&serde_json::to_value(&self.skill).unwrap_or_default()),
        );
        for output in &self.outputs {
            walk.field("output", format!("{} {}", output.path, output.hosts.join(",")).as_bytes());
            walk_targets(&self.registry, &output.hosts, walk);
        }
    }

    fn run(&self, context: &JobContext) -> Output {
        let mut output = Output::default();
        for file in &self.skill.files {
            let source = format!("{}/{file}", self.skill.directory);
            match read(context, &source) {
                Err(diagnostic) => output.diagnostics.push(*diagnostic),
                Ok(bytes) if file == "SKILL.md" => {
                    for place in &self.outputs {
                        let lowered = lower_skill(&self.registry, place, &self.skill, &bytes);
                        output.diagnostics.extend(lowered.diagnostics);
                        let kind = if lowered.bytes == bytes { FileKind::Copy } else { FileKind::Generated };
                        output.files.insert(place.path.clone(), context.file(kind, lowered.bytes));
                    }
                }
                Ok(bytes) => {
                    let path = format!("skills/{}/{file}", self.skill.name);
                    output.files.insert(path, context.file(FileKind::Copy, bytes));
                }
            }
        }
        output
    }
}

/// Emits a command or rule.
pub struct DocumentJob {
    /// Host definitions.
    pub registry: Arc<Registry>,
    /// Which of the two.
    pub kind: DocumentKind,
    /// The document.
    pub document: Document,
    /// Hosts that read it.
    pub hosts: Vec<String>,
}

impl Job for DocumentJob {
    fn walk(&self, walk: &mut dyn KeyWalk) {
        walk.field("document", self.kind.word().as_bytes());
        let value = serde_json::to_value(&self.document).unwrap_or_default();
        walk.field("facts", &crate::model::canonical_json(&value));
        walk.field("hosts", self.hosts.join(",").as_bytes());
        walk_targets(&self.registry, &self.hosts, walk);
    }

    fn run(&self, context: &JobContext) -> Output {
        match read(context, &self.document.source) {
            Err(diagnostic) => failed(*diagnostic),
            Ok(bytes) => {
                let hosts: Vec<&Target> =
                    self.hosts.iter().filter_map(|host| self.registry.get(host)).collect();
                let lowered = lower_document(&hosts, self.kind, &self.document, &bytes);
                let kind = if lowered == bytes { FileKind::Copy } else { FileKind::Generated };
                let path = self.kind.path(&self.document.name);
                Output { files: BTreeMap::from([(path, context.file(kind, lowered))]), ..Output::default() }
            }
        }
    }
}

/// Copies files byte for byte to the same path.
pub struct AssetsJob(pub BTreeMap<String, String>);

impl Job for AssetsJob {
    fn walk(&self, walk: &mut dyn KeyWalk) {
        for (path, source) in &self.0 {
            walk.field(path, source.as_bytes());
        }
    }

    fn run(&self, context: &JobContext) -> Output {
        let mut output = Output::default();
        for (path, source) in &self.0 {
            match read(context, source) {
                Ok(bytes) => drop(output.files.insert(path.clone(), context.file(FileKind::Copy, bytes))),
                Err(diagnostic) => output.diagnostics.push(*diagnostic),
            }
        }
        output
    }
}

/// The definitions of the hosts that a lowering depends on.
pub(super) fn walk_targets(registry: &Registry, hosts: &[String], walk: &mut dyn KeyWalk) {
    for target in hosts.iter().filter_map(|host| registry.get(host)) {
        walk.field(&format!("target {}", target.name()), target.fingerprint().to_string().as_bytes());
    }
}

fn failed(diagnostic: Diagnostic) -> Output {
    Output { diagnostics: vec![diagnostic], ..Output::default() }
}
