//! Names in an exported document: functions of what they name, so that the same workspace always gives the same ones.

use std::collections::BTreeSet;

const LONGEST_SLUG: usize = 64;

/// Text in small letters and digits, with `_` between.
pub fn normal(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        if character.is_ascii_alphanumeric() {
            out.push(character.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
    }
    out.trim_end_matches('_').to_owned()
}

/// The key of an entity.
pub fn entity(kind: &str, name: &str, id: &str) -> String {
    let mut slug = normal(name);
    slug.truncate(LONGEST_SLUG);
    let slug = slug.trim_end_matches('_');
    let slug = if slug.is_empty() { "resource" } else { slug };
    let id: String = id.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("{kind}_{slug}_{}", id.to_ascii_lowercase())
}

/// The name that a key of ours was made from: exporting what came from an export does not make keys longer.
pub fn original<'t>(kind: &str, key: &'t str, id_length: usize) -> &'t str {
    let inner =
        key.strip_prefix(kind).and_then(|rest| rest.strip_prefix('_')).and_then(|rest| rest.rsplit_once('_'));
    match inner {
        Some((slug, id)) if id.len() == id_length && id.bytes().all(|byte| byte.is_ascii_hexdigit()) => slug,
        _ => key,
    }
}

/// Gives out keys of setup fields, each once.
#[derive(Debug, Default)]
pub struct SetupKeys(BTreeSet<String>);

impl SetupKeys {
    /// The key of a place.
    pub fn take(&mut self, place: &str) -> String {
        let base = format!("setup_{}", normal(place));
        let mut key = base.clone();
        let mut count = 1;
        while !self.0.insert(key.clone()) {
            count += 1;
            key = format!("{base}_{count}");
        }
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t285_keys_of_entities() {
        assert_eq!(entity("agent", "Daily Agent!", "aB-1"), "agent_daily_agent_ab1");
        assert_eq!(entity("agent", "Ünïcode", "1"), "agent_n_code_1");
        assert_eq!(entity("agent", "___", "1"), "agent_resource_1");
        assert_eq!(entity("agent", &"x".repeat(100), "1"), format!("agent_{}_1", "x".repeat(64)));
    }

    #[test]
    fn keys_do_not_grow() {
        assert_eq!(original("automation", "automation_daily_0123456789abcdef01234567", 24), "daily");
        assert_eq!(original("automation", "daily", 24), "daily");
    }
}
