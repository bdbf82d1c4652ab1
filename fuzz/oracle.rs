//! What must hold for any input at all: no panic, no endless loop, every place that is told lies in the text, and what
//! fixes make of the text is text again. `cargo fuzz` and the suite's own mutations call the same functions.

use agent_bundle::diagnostic::{Diagnostic, fix};
use agent_bundle::extract::{DocumentKind, document, extract_module, skill};
use agent_bundle::manifest as manifests;
use agent_bundle::model::ModuleKind;

/// Every kind of module, under names that change how a module is read.
const KINDS: [ModuleKind; 12] = [
    ModuleKind::Tool,
    ModuleKind::Resource,
    ModuleKind::Prompt,
    ModuleKind::App,
    ModuleKind::Layout,
    ModuleKind::Provider,
    ModuleKind::Entry,
    ModuleKind::Command,
    ModuleKind::Projection,
    ModuleKind::Event,
    ModuleKind::Script,
    ModuleKind::State,
];
const PATHS: [&str; 4] = ["src/events/model-switch/before.ts", "src/a.tsx", "src/a.cjs", "src/a.jsx"];

/// A module of the `which`th kind and name.
pub fn module(which: usize, bytes: &[u8]) {
    let path = PATHS[which / KINDS.len() % PATHS.len()];
    let found = extract_module(KINDS[which % KINDS.len()], path, bytes).diagnostics;
    hold(bytes, &found, Edits::Bytes);
}

/// A manifest; `which` has no meaning.
pub fn manifest(_which: usize, bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let found = manifests::parse(text).err().unwrap_or_default();
    hold(bytes, &found, Edits::Toml);
}

/// A configuration; `which` has no meaning.
pub fn config(_which: usize, bytes: &[u8]) {
    let found = manifests::parse_config(bytes).err().unwrap_or_default();
    hold(bytes, &found, Edits::Bytes);
}

/// A skill, a rule or a command.
pub fn frontmatter(which: usize, bytes: &[u8]) {
    let found = match which % 3 {
        0 => {
            let files = ["SKILL.md".to_owned(), "b.md".to_owned()];
            skill("src/skills/notes/SKILL.md", bytes, "notes", &files).diagnostics
        }
        1 => document(DocumentKind::Rule, "src/rules/a.mdc", bytes).diagnostics,
        _ => document(DocumentKind::Command, "src/commands/a.md", bytes).diagnostics,
    };
    hold(bytes, &found, Edits::Bytes);
}

/// How the fixes of a document are applied.
enum Edits {
    Bytes,
    Toml,
}

fn hold(bytes: &[u8], found: &[Diagnostic], edits: Edits) {
    for diagnostic in found {
        assert!(!diagnostic.message.contains("gave up"), "{bytes:?}");
        let Some(span) = &diagnostic.span else { continue };
        assert!(span.start <= span.end && span.end <= bytes.len(), "{span:?} in {bytes:?}");
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for fixes in fix::fixes_by_path(found).values() {
        match edits {
            Edits::Toml => drop(manifests::edit(text, fixes)),
            Edits::Bytes => drop(fix::apply(text, fixes)),
        }
    }
}
