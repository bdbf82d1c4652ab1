//! Canonical tokens: placeholders that every host spells in its own way.
//!
//! In a document a token is written `${agent-bundle:<name>}`, for example `${agent-bundle:path:plugin-root}`. Facts
//! list the name between the braces.

use crate::diagnostic::{Code, Fix, nearest};
use crate::extract::findings::Findings;
use std::collections::BTreeSet;

/// The tokens that exist.
pub const TOKENS: [&str; 6] = [
    "agent-bundle:path:plugin-data",
    "agent-bundle:path:plugin-root",
    "agent-bundle:path:workspace-root",
    "agent-bundle:token:arguments",
    "agent-bundle:token:session-identity",
    "agent-bundle:token:skill-root",
];

const OPENING: &str = "${agent-bundle:";

/// The tokens that `text` uses, sorted; each unknown one becomes a finding.
pub(super) fn find(text: &str, findings: &mut Findings<'_>) -> Vec<String> {
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices(OPENING) {
        let name_start = at + "${".len();
        let rest = &text[name_start..];
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '.')));
        let name = &rest[..length.unwrap_or(rest.len())];
        let closed = rest[name.len()..].starts_with('}');
        if closed && TOKENS.contains(&name) {
            found.insert(name.to_owned());
            continue;
        }
        let end = name_start + name.len() + usize::from(closed);
        let message = match closed {
            true => format!("`${{{name}}}` is no token that any host can expand"),
            false => format!("the token `${{{name}` is not closed with a brace"),
        };
        let Some(candidate) = nearest(name, TOKENS) else {
            let help = format!("The tokens are {}", super::frontmatter::quoted(&TOKENS));
            findings.add_with_help(Code::AB3008, &(at..end), message, help);
            continue;
        };
        let right = format!("${{{candidate}}}");
        let fix = Fix::exact(&findings.span(&(at..end)), right.clone());
        findings.add_with_fix(Code::AB3008, &(at..end), message, format!("Write `{right}`"), fix);
    }
    found.into_iter().collect()
}
