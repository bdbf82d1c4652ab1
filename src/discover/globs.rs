//! Paths and patterns of the manifest.

use globset::{GlobBuilder, GlobMatcher};

/// An entry of a list of paths or patterns.
pub(super) enum Selector {
    /// One path, without `.` parts.
    Path(String),
    /// A pattern, with the directory that everything it matches lies below (empty for the project).
    Pattern { matcher: GlobMatcher, base: String, depth: Option<usize> },
}

/// Why an entry cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    /// Blank, or not a pattern; the reason in words.
    Shape(String),
    /// Absolute, or out of the project.
    Outside,
}

/// Reads an entry.
pub(super) fn selector(text: &str) -> Result<Selector, Unusable> {
    if text.trim().is_empty() {
        return Err(Unusable::Shape("it is blank".to_owned()));
    }
    if text.starts_with('/') || text.contains('\\') && !is_pattern(text) {
        return Err(Unusable::Outside);
    }
    let mut parts = Vec::new();
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_none() => return Err(Unusable::Outside),
            ".." => {}
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    if !is_pattern(&path) {
        return Ok(Selector::Path(path));
    }
    let fixed: Vec<&str> = parts.iter().copied().take_while(|part| !is_pattern(part)).collect();
    let depth = (!path.contains("**")).then_some(parts.len());
    let glob = GlobBuilder::new(&path)
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .map_err(|error| Unusable::Shape(error.kind().to_string()))?;
    Ok(Selector::Pattern { matcher: glob.compile_matcher(), base: fixed.join("/"), depth })
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}
