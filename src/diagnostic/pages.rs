//! The page of each code: why it exists, a wrong example and a right one. The examples are the projects under
//! `tests/codes/`.

use super::{Code, Severity};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::LazyLock;

/// Pages by subject, in the order of the reference.
const SUBJECTS: [(&str, &str); 11] = [
    ("Project and modules", include_str!("pages/project.md")),
    ("Skills", include_str!("pages/skills.md")),
    ("Identity and hosts", include_str!("pages/metadata.md")),
    ("MCP servers and Apps", include_str!("pages/servers.md")),
    ("Hooks, scripts, the package and payloads", include_str!("pages/declared.md")),
    ("Files and the package", include_str!("pages/files.md")),
    ("Routes", include_str!("pages/routes.md")),
    ("Events, commands, Apps, layouts and providers", include_str!("pages/surfaces.md")),
    ("Rules and commands", include_str!("pages/documents.md")),
    ("Commands of this tool", include_str!("pages/work.md")),
    ("Artifacts", include_str!("pages/artifact.md")),
];

static PAGES: LazyLock<BTreeMap<&'static str, &'static str>> =
    LazyLock::new(|| SUBJECTS.iter().flat_map(|(_, text)| split(text)).collect());

/// The pages of one file, by code.
fn split(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let pages = text.split("\n## ").map(|page| page.strip_prefix("## ").unwrap_or(page));
    pages.filter_map(|page| page.split_once('\n')).map(|(code, body)| (code.trim(), body.trim()))
}

/// The page of `code` as Markdown; `None` for a rule of one host.
pub fn page(code: &Code) -> Option<&'static str> {
    PAGES.get(code.info()?.name).copied()
}

/// The page of `code` under its title; `None` for a rule of one host.
pub fn explanation(code: &Code) -> Option<String> {
    let info = code.info()?;
    Some(format!(
        "{} ({}): {}\n\n{}\n\nWhat to do: {}.\n",
        info.name,
        word(info.severity),
        info.title,
        page(code)?,
        info.recovery
    ))
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

/// Everything that is known of all codes, as one Markdown document (`docs/diagnostics.md`).
pub fn reference() -> String {
    let mut text = String::from(
        "# Diagnostics\n\n\
         Every finding has a code that never changes its meaning. `agent-bundle explain <CODE>` prints what stands here.\n\
         Errors stop a build; warnings and infos do not. Codes of the form `<host>.<rule>` are rules of one host; their\n\
         message says all there is. This file is made by `agent-bundle explain --codes > docs/diagnostics.md`.\n",
    );
    for (subject, pages) in SUBJECTS {
        let _ = write!(text, "\n## {subject}\n");
        for (name, body) in split(pages) {
            let Some(info) = Code::named(name).and_then(|code| code.info()) else { continue };
            let body = body.replace("\n### ", "\n#### ");
            let _ = write!(
                text,
                "\n### {name}\n\n**{}** ({})\n\n{body}\n\nWhat to do: {}.\n",
                info.title,
                word(info.severity),
                info.recovery
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_page_and_every_page_a_code() {
        let codes: Vec<&str> = Code::ALL.iter().map(|info| info.name).collect();
        let pages: Vec<&str> = PAGES.keys().copied().collect();
        assert_eq!(codes, pages);
        for (code, page) in PAGES.iter() {
            let (text, examples) = page.split_once("### Wrong").unwrap_or_else(|| panic!("{code}"));
            let (wrong, right) = examples.split_once("### Right").unwrap_or_else(|| panic!("{code}"));
            assert!(text.trim().len() > 20 && !wrong.trim().is_empty() && !right.trim().is_empty(), "{code}");
        }
    }

    #[test]
    fn the_explanation_says_what_to_do() {
        let text = explanation(&Code::AB4810).unwrap();
        assert!(text.starts_with("AB4810 (error): A route is not defined"), "{text}");
        assert!(text.contains("### Wrong") && text.contains("What to do: Write"), "{text}");
        assert_eq!(explanation(&Code::host("claude", "x")), None);
    }
}
