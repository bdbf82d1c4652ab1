//! What Markdown documents declare.

mod frontmatter;
mod links;
mod single;
mod skill;
mod tokens;
mod yaml;

pub use frontmatter::MAX_FRONTMATTER_BYTES;
pub use single::document;
pub use skill::skill;
pub use tokens::TOKENS;

use super::findings::Findings;
use super::source;
use crate::diagnostic::{Code, Diagnostic};

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

#[cfg(test)]
mod tests;
