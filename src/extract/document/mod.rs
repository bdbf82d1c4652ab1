//! What Markdown documents declare.

mod frontmatter;
mod links;
mod shell;
mod single;
mod skill;
mod tokens;
mod yaml;

pub use frontmatter::MAX_FRONTMATTER_BYTES;
pub use single::document;
pub use skill::skill;
pub use tokens::TOKENS;

use super::findings::Findings;
use super::node::{Data, Node};
use super::source;
use crate::diagnostic::{Code, Diagnostic, Span};

/// The text of a document; a document that is not UTF-8 is one of `unreadable`.
fn text<'s>(
    path: &'s str,
    bytes: &'s [u8],
    unreadable: &Code,
) -> Result<(&'s str, Findings<'s>), Box<Diagnostic>> {
    source::text(path, bytes).map_err(|mut problem| {
        if problem.code == Code::AB2001 {
            problem.code = unreadable.clone();
        }
        problem
    })
}

/// The place of a frontmatter value at a JSON pointer (`/targets/0`), for findings that only the whole project shows.
pub fn field_span(path: &str, bytes: &[u8], pointer: &str) -> Option<Span> {
    let (text, mut findings) = source::text(path, bytes).ok()?;
    let frontmatter::Layout::Fenced { yaml, .. } = frontmatter::layout(text) else { return None };
    let members = frontmatter::members(text, &yaml, &Code::AB3002, &mut findings)?;
    let root = Node { range: yaml, data: Data::Object(members) };
    let range = root.at_pointer(pointer)?.range.clone();
    Some(findings.span(&range))
}

#[cfg(test)]
mod tests;
