//! What a file name says.

use crate::diagnostic::{Code, Diagnostic};
use crate::model::pointer_step;

/// Extensions of route, layout and provider modules.
pub(super) const MODULES: &[&str] = &["ts", "tsx"];

/// Splits a module's file name into stem and extension; `None` when the extension is none of `extensions` or the
/// file only declares types.
pub(super) fn split<'n>(name: &'n str, extensions: &[&str]) -> Option<(&'n str, &'n str)> {
    let (stem, extension) = name.rsplit_once('.')?;
    let is_declaration = stem.ends_with(".d") && extension == "ts";
    (!stem.is_empty() && !is_declaration && extensions.contains(&extension)).then_some((stem, extension))
}

/// Whether a name takes its file or directory out of the conventions.
pub(super) fn is_private(name: &str) -> bool {
    name.starts_with('_')
}

/// Whether `segment` can be part of an identity: letters, digits, `.`, `_` and `-`, with a letter or digit at both
/// ends.
pub(crate) fn is_identity(segment: &str) -> bool {
    let bytes = segment.as_bytes();
    let ends = bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric);
    ends && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// The JSON pointer of a key below `parent`.
pub(crate) fn pointer(parent: &str, key: &str) -> String {
    format!("{parent}/{}", pointer_step(key))
}

/// The finding about a segment that cannot be part of an identity.
pub(super) fn unsafe_identity(segment: &str, what: &str, path: &str) -> Diagnostic {
    Diagnostic::new(Code::AB4803, format!("`{segment}` cannot be the name of {what}"))
        .in_file(path)
        .help("Rename it with letters, digits, `.`, `_` and `-`, a letter or digit at both ends; or begin the name with `_` to leave it out")
}

/// The camelCase spelling of a stem: `git-hub` and `git_hub` become `gitHub`.
pub(super) fn camel_case(stem: &str) -> String {
    let mut key = String::with_capacity(stem.len());
    for word in stem.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        let (first, rest) = word.split_at(1);
        match key.is_empty() {
            true => key.push_str(&first.to_ascii_lowercase()),
            false => key.push_str(&first.to_ascii_uppercase()),
        }
        key.push_str(rest);
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_select_modules() {
        assert_eq!(split("search.ts", MODULES), Some(("search", "ts")));
        assert_eq!(split("search.v2.tsx", MODULES), Some(("search.v2", "tsx")));
        for other in ["search.d.ts", "search.js", "search", ".ts", "search.mts"] {
            assert_eq!(split(other, MODULES), None, "{other}");
        }
    }

    #[test]
    fn identities_begin_and_end_with_a_letter_or_digit() {
        for good in ["a", "a-b", "A.b_c9", "9"] {
            assert!(is_identity(good), "{good}");
        }
        for bad in ["", "-a", "a-", "a b", "ä", ".a", "a/b"] {
            assert!(!is_identity(bad), "{bad}");
        }
    }

    #[test]
    fn keys_are_camel_case() {
        for (stem, key) in
            [("git-hub", "gitHub"), ("git_hub.v2", "gitHubV2"), ("Auth", "auth"), ("gitHub", "gitHub")]
        {
            assert_eq!(camel_case(stem), key);
        }
    }
}
