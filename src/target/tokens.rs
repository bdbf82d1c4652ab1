//! Canonical tokens: what authors write where each host has its own placeholder.

use std::collections::BTreeMap;

/// The folder where the host keeps the plugin.
pub const PLUGIN_ROOT: &str = "agent-bundle:path:plugin-root";
/// The folder where the plugin may keep data.
pub const PLUGIN_DATA: &str = "agent-bundle:path:plugin-data";
/// The folder that the user works in.
pub const WORKSPACE_ROOT: &str = "agent-bundle:path:workspace-root";
/// The variable in which a local server finds the plugin's root, in the host's spelling.
pub const PLUGIN_ROOT_VARIABLE: &str = "AGENT_BUNDLE_PLUGIN_ROOT";

const FAMILIES: [&str; 2] = ["agent-bundle:path:", "agent-bundle:token:"];

/// The first token of `text`, with the bytes before it. Documents write a token as `${<token>}`, manifests may leave
/// the braces out.
pub(super) fn first(text: &str) -> Option<(usize, &str)> {
    let start = FAMILIES.iter().filter_map(|family| text.find(family)).min()?;
    let family = FAMILIES.iter().find(|family| text[start..].starts_with(**family))?;
    let word = &text[start + family.len()..];
    let end = word.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(word.len());
    Some((start, &text[start..start + family.len() + end]))
}

/// Replaces every token, with its braces if it has them, by its spelling; a token without one is the error.
pub(super) fn spell<'a>(text: &'a str, spelling: &BTreeMap<String, String>) -> Result<String, &'a str> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((start, token)) = first(rest) {
        let after = &rest[start + token.len()..];
        let braced = rest[..start].ends_with("${") && after.starts_with('}');
        out.push_str(if braced { &rest[..start - 2] } else { &rest[..start] });
        out.push_str(spelling.get(token).ok_or(token)?);
        rest = if braced { &after[1..] } else { after };
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_found_and_spelled_anywhere() {
        let spelling = BTreeMap::from([(PLUGIN_ROOT.to_owned(), "${ROOT}".to_owned())]);
        assert_eq!(
            spell("--x=agent-bundle:path:plugin-root/a b", &spelling),
            Ok("--x=${ROOT}/a b".to_owned())
        );
        assert_eq!(
            spell("a ${agent-bundle:path:plugin-root}/b", &spelling),
            Ok("a ${ROOT}/b".to_owned()),
            "braces go with the token"
        );
        assert_eq!(spell("agent-bundle:token:arguments", &spelling), Err("agent-bundle:token:arguments"));
        assert_eq!(spell("agent-bundle is plain", &spelling), Ok("agent-bundle is plain".to_owned()));
    }
}
