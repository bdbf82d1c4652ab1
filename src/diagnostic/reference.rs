//! The registry as a page for people.

use super::{Code, Severity};
use std::fmt::Write;

/// What the codes of one thousand are about.
const FAMILIES: [(char, &str); 7] = [
    ('1', "The manifest"),
    ('2', "Sources"),
    ('3', "Skills"),
    ('4', "What the project declares"),
    ('5', "Running"),
    ('6', "The artifact"),
    ('7', "Inspection"),
];

const HEAD: &str = "\
# Diagnostics

<!-- Written by `cargo xtask codegen`; a test fails when it is not what the program would write. -->

A finding has a code, a severity, a sentence, a place, and a way out. Only errors stop a build: nothing is published
then, and the artifact that was there before stays as it is. Codes are never given another meaning.

A code of the form `<host>.<rule>`, such as `claude.mcp.tool.name.long`, is a rule of that host alone; it is always an
error. The message says what the host would do.
";

/// `docs/diagnostics.md`.
pub fn reference() -> String {
    let mut page = HEAD.to_owned();
    for (digit, title) in FAMILIES {
        let _ = write!(
            page,
            "\n## AB{digit}xxx: {title}\n\n| code | | what happened | what to do |\n| --- | --- | --- | --- |\n"
        );
        for info in Code::ALL.iter().filter(|info| info.name.chars().nth(2) == Some(digit)) {
            let severity = match info.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "info",
            };
            let _ = writeln!(page, "| {} | {severity} | {} | {} |", info.name, info.title, info.recovery);
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_on_the_page() {
        let page = reference();
        for info in Code::ALL {
            assert_eq!(page.matches(&format!("| {} |", info.name)).count(), 1, "{}", info.name);
        }
    }
}
