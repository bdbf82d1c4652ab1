//! Usual slips, each made in the example: one finding names the slip, and none is a mere consequence.
#![allow(clippy::disallowed_methods, reason = "tests make and read projects")]

use agent_bundle::build::{Inspection, Settings};
use agent_bundle::diagnostic::Diagnostic;
use agent_bundle::world::OsWorld;
use std::fs;
use std::path::Path;
use std::sync::Arc;

const SEARCH: &str = "src/mcp/notes/tools/search.tsx";
const INDEX: &str = "src/mcp/notes/resources/index.tsx";
const REVIEW: &str = "src/mcp/notes/prompts/review.tsx";
const SKILL: &str = "src/skills/field-notes/SKILL.md";
const COMMAND: &str = "src/commands/capture.md";
const RULE: &str = "src/rules/notes-style.mdc";
const MANIFEST: &str = "agent-bundle.toml";

/// A slip: the file, what is written instead of what, the code, and the text under the finding's place.
type Slip = (&'static str, &'static str, &'static str, &'static str, &'static str);

const SLIPS: [Slip; 24] = [
    (MANIFEST, "targets = [\"amp\"", "tragets = [\"amp\"", "AB1002", "tragets"),
    (
        MANIFEST,
        "\"claude\", \"codex\", \"cursor\", \"portable\"]\n\n[plugin]",
        "\"cluade\", \"codex\", \"cursor\", \"portable\"]\n\n[plugin]",
        "AB4100",
        "\"cluade\"",
    ),
    (MANIFEST, "name = \"field-notes\"", "nmae = \"field-notes\"\nname = \"field-notes\"", "AB1002", "nmae"),
    (MANIFEST, "license = \"MIT\"", "license = 1", "AB4014", "1"),
    (MANIFEST, "[mcp.servers.notes]\n", "[mcp.servers.notes]\nenv = { DEPTH = 3 }\n", "AB4312", "3"),
    (MANIFEST, "[mcp.servers.notes]\n", "[mcp.servers.notes]\ntransport = \"sse\"\n", "AB4308", "transport"),
    (MANIFEST, "[plugin]\n", "[plugin\n", "AB1001", ""),
    ("package.json", "\"version\": \"1.0.0\"", "\"version\": \"1.0\"", "AB4010", ""),
    (SEARCH, "import { defineTool }", "import { defineTol }", "AB2011", "defineTol"),
    (SEARCH, "export default defineTool(", "export default (defineTool)(", "AB4810", ""),
    (SEARCH, "resultSchema: z", "resultShema: z", "AB4810", ""),
    (SEARCH, "title: 'Search notes'", "title: `Search ${'notes'}`", "AB4806", "`Search ${'notes'}`"),
    (SEARCH, "readOnlyHint: true", "readOnlyHint: 'yes'", "AB4805", "'yes'"),
    (
        SEARCH,
        "title: 'Search notes',",
        "title: 'Search notes',\n    render: { maxElapsedMs: '60' },",
        "AB4835",
        "'60'",
    ),
    (
        SEARCH,
        "title: 'Search notes',",
        "title: 'Search notes',\n    execution: { taskSupport: 'optinal' },",
        "AB4836",
        "'optinal'",
    ),
    (
        SEARCH,
        "import { z } from 'zod';",
        "import { z } from 'zod';\nimport { useState } from 'react';",
        "AB2011",
        "useState",
    ),
    (INDEX, "  uri: 'notes://index',\n", "", "AB4805", ""),
    (REVIEW, "export const config", "export let config", "AB4805", "config"),
    (REVIEW, "export default async function", "async function", "AB4810", ""),
    (SKILL, "name: field-notes", "name: FieldNotes", "AB4002", "FieldNotes"),
    (SKILL, "license: MIT", "licence: MIT", "AB3006", "licence"),
    (COMMAND, "argumentHint:", "argument-hint:", "AB4922", "argument-hint"),
    (RULE, "alwaysApply: false", "alwaysApply: no way", "AB4903", "no way"),
    (RULE, "globs: notes/**/*.md", "globs: *.md", "AB4901", ""),
];

fn example() -> tempfile::TempDir {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/field-notes");
    let copy = tempfile::tempdir().unwrap();
    let skip = ["node_modules", ".agent-bundle", "artifact"];
    let walk = walkdir::WalkDir::new(&root).into_iter();
    let walk = walk.filter_entry(|entry| !skip.contains(&entry.file_name().to_str().unwrap_or_default()));
    for entry in walk.filter_map(Result::ok) {
        let to = copy.path().join(entry.path().strip_prefix(&root).unwrap());
        match entry.file_type().is_dir() {
            true => fs::create_dir_all(&to).unwrap(),
            false => drop(fs::copy(entry.path(), &to).unwrap()),
        }
    }
    copy
}

fn findings(root: &Path) -> Vec<Diagnostic> {
    let settings = Settings { root: root.to_owned(), ..Settings::default() };
    Inspection::of(&settings, Arc::new(OsWorld)).diagnostics
}

#[test]
fn each_slip_gives_one_finding_that_names_it() {
    let project = example();
    let usual = findings(project.path());
    assert!(usual.iter().all(|one| !one.is_error()), "{usual:?}");
    let mut problems = Vec::new();
    for (file, right, wrong, code, place) in SLIPS {
        let path = project.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(right), "{file} has no {right:?}");
        let slipped = text.replacen(right, wrong, 1);
        fs::write(&path, &slipped).unwrap();
        let found: Vec<Diagnostic> =
            findings(project.path()).into_iter().filter(|one| !usual.contains(one)).collect();
        fs::write(&path, &text).unwrap();
        let told: Vec<(String, String)> = found
            .iter()
            .map(|one| {
                let span = one.span.as_ref().filter(|span| span.path == file);
                let text = span.map_or("elsewhere", |span| &slipped[span.start..span.end]);
                (one.code.to_string(), text.to_owned())
            })
            .collect();
        let fits = match told.as_slice() {
            [(found, text)] => found == code && text != "elsewhere" && (place.is_empty() || text == place),
            _ => false,
        };
        if !fits {
            problems.push(format!("{wrong:?} in {file} should give {code} at {place:?}: {told:?}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
