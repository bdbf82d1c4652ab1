//! Values that users supply, in the texts of servers: where a host can put one, and how.

use super::definition::{Expansion, McpRule};
use super::slice::{SliceLaunch, SliceServer};
use crate::model::{JsonObject, SETTING, Setting};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const BEARER: &str = "Bearer ";

/// A piece of text.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a str),
    Value(&'a str),
}

/// Splits text at the words that stand for values.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let open = format!("${{{SETTING}");
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(&open) {
        let Some((key, after)) = rest[at + open.len()..].split_once('}') else { break };
        if at > 0 {
            pieces.push(Piece::Text(&rest[..at]));
        }
        pieces.push(Piece::Value(key));
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

/// The value that is all of `text`, past `prefix`.
fn whole<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    match pieces(text.strip_prefix(prefix)?).as_slice() {
        [Piece::Value(key)] => Some(key),
        _ => None,
    }
}

/// Keys of the values in `text`.
fn keys(text: &str) -> Vec<&str> {
    let value = |piece| if let Piece::Value(key) = piece { Some(key) } else { None };
    pieces(text).into_iter().filter_map(value).collect()
}

/// The texts of a server: field, name within the field, text.
fn texts(server: &SliceServer) -> Vec<(&'static str, &str, &str)> {
    let mut texts: Vec<(&str, &str, &str)> = server.args.iter().map(|text| ("args", "", &**text)).collect();
    texts.extend(server.env.iter().map(|(name, text)| ("env", &**name, &**text)));
    match &server.launch {
        SliceLaunch::Remote { url, headers } => {
            texts.push(("url", "", url));
            texts.extend(headers.iter().map(|(name, text)| ("headers", &**name, &**text)));
        }
        SliceLaunch::Command { command, .. } => texts.push(("command", "", command)),
        SliceLaunch::Local { .. } => {}
    }
    texts
}

/// Keys of all values that the server needs.
pub(super) fn needed(server: &SliceServer) -> BTreeSet<String> {
    texts(server).into_iter().flat_map(|(_, _, text)| keys(text)).map(str::to_owned).collect()
}

/// How one text is said.
enum Form<'a> {
    /// As text, with the host's own words in it.
    Spelled,
    /// A variable of the user's environment, passed on under its own name.
    Passed,
    /// A header whose text is in a variable.
    Header(&'a str),
    /// The token of a `Bearer` authorization is in a variable.
    Bearer(&'a str),
}

fn form<'a>(rule: &McpRule, field: &str, name: &str, text: &'a str) -> Option<Form<'a>> {
    let settings = rule.settings.as_ref()?;
    if settings.spelling.is_some() && rule.fields.get(field) == Some(&Expansion::Text) {
        return Some(Form::Spelled);
    }
    match field {
        "env" if settings.variables.is_some() => whole(text, "").map(|_| Form::Passed),
        "headers" => {
            let bearer = settings.bearer.is_some() && name.eq_ignore_ascii_case("authorization");
            let token = bearer.then(|| whole(text, BEARER)).flatten();
            let header = settings.headers.is_some().then(|| whole(text, "")).flatten();
            token.map(Form::Bearer).or(header.map(Form::Header))
        }
        _ => None,
    }
}

/// Why a host cannot start `server` with values that the user supplies, if it cannot.
pub(super) fn refusal(rule: &McpRule, server: &SliceServer) -> Option<String> {
    let mut with_values = texts(server).into_iter().filter(|(_, _, text)| !keys(text).is_empty());
    if rule.settings.is_none() {
        return with_values
            .next()
            .map(|_| "it needs values from its user, and the host has no place for such".to_owned());
    }
    let (field, name, _) = with_values.find(|(field, name, text)| form(rule, field, name, text).is_none())?;
    let place = if name.is_empty() { format!("`{field}`") } else { format!("`{name}` in `{field}`") };
    Some(format!("{place} holds a value from its user in a way that the host cannot put together"))
}

/// Takes what the host keeps apart out of `server` and says it in the host's words. Yields the variables that the user
/// must set, with the key of the value each holds.
pub(super) fn lower(
    rule: &McpRule,
    settings: &[Setting],
    server: &mut SliceServer,
    into: &mut JsonObject,
) -> BTreeMap<String, String> {
    let mut variables = BTreeMap::new();
    let Some(words) = &rule.settings else { return variables };
    let variable = |key: &str| {
        let setting = settings.iter().find(|setting| setting.key == key);
        setting.map_or_else(|| key.to_owned(), |setting| setting.variable.clone())
    };
    let mut passed = Vec::new();
    server.env.retain(|name, text| {
        let kept = !matches!(form(rule, "env", name, text), Some(Form::Passed));
        if !kept {
            passed.push(Value::from(name.clone()));
            variables.insert(name.clone(), whole(text, "").unwrap_or_default().to_owned());
        }
        kept
    });
    if let Some(key) = words.variables.as_ref().filter(|_| !passed.is_empty()) {
        into.insert(key.clone(), passed.into());
    }
    if let SliceLaunch::Remote { headers, .. } = &mut server.launch {
        headers.retain(|name, text| {
            let (key, word) = match form(rule, "headers", name, text) {
                Some(Form::Header(key)) => (key, &words.headers),
                Some(Form::Bearer(key)) => (key, &words.bearer),
                _ => return true,
            };
            let Some(word) = word else { return true };
            let held = variable(key);
            variables.insert(held.clone(), key.to_owned());
            if words.headers.as_ref() == Some(word) {
                let map = into.entry(word.clone()).or_insert_with(|| json!({}));
                map[name.as_str()] = held.into();
            } else {
                into.insert(word.clone(), held.into());
            }
            false
        });
    }
    let Some(spelling) = &words.spelling else { return variables };
    // The variable of a server that is one value entirely is the user's variable of the same name.
    for (name, text) in &mut server.env {
        let own = whole(text, "").map(|key| (key.to_owned(), name.clone()));
        let held = |key: &str| match &own {
            Some((_, name)) => name.clone(),
            None => variable(key),
        };
        *text = spell(text, spelling, &held, &mut variables);
    }
    let mut others: Vec<&mut String> = server.args.iter_mut().collect();
    match &mut server.launch {
        SliceLaunch::Remote { url, headers } => {
            others.push(url);
            others.extend(headers.values_mut());
        }
        SliceLaunch::Command { command, .. } => others.push(command),
        SliceLaunch::Local { .. } => {}
    }
    for text in others {
        *text = spell(text, spelling, &variable, &mut variables);
    }
    variables
}

fn spell(
    text: &str,
    spelling: &str,
    variable: &dyn Fn(&str) -> String,
    variables: &mut BTreeMap<String, String>,
) -> String {
    let mut out = String::new();
    for piece in pieces(text) {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Value(key) => {
                let held = variable(key);
                out.push_str(&spelling.replace("{key}", key).replace("{variable}", &held));
                if spelling.contains("{variable}") {
                    variables.insert(held, key.to_owned());
                }
            }
        }
    }
    out
}

/// The questions to the user by key, as documents ask them; `null` where there is nothing to ask.
pub(super) fn questions(settings: &[Setting]) -> Value {
    if settings.is_empty() {
        return Value::Null;
    }
    let question = |setting: &Setting| {
        let mut value = serde_json::to_value(setting).unwrap_or_default();
        if let Some(members) = value.as_object_mut() {
            members.retain(|name, _| name != "key" && name != "variable");
        }
        (setting.key.clone(), value)
    };
    Value::Object(settings.iter().map(question).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{SettingKind, setting_word};
    use crate::target::Registry;

    fn setting(key: &str) -> Setting {
        Setting {
            key: key.to_owned(),
            variable: format!("DEMO_{}", key.to_uppercase()),
            title: key.to_owned(),
            description: key.to_owned(),
            kind: SettingKind::String,
            required: true,
            sensitive: true,
            default: None,
            options: None,
            min: None,
            max: None,
        }
    }

    fn local(env: &[(&str, &str)], args: &[&str]) -> SliceServer {
        SliceServer {
            name: "s".to_owned(),
            launch: SliceLaunch::Command { command: "uvx".to_owned(), cwd: None },
            args: args.iter().map(|text| (*text).to_owned()).collect(),
            env: env.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect(),
        }
    }

    fn remote(headers: &[(&str, &str)]) -> SliceServer {
        let headers = headers.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        SliceServer {
            name: "s".to_owned(),
            launch: SliceLaunch::Remote { url: "https://a.example/mcp".to_owned(), headers },
            args: Vec::new(),
            env: BTreeMap::new(),
        }
    }

    fn rule(host: &str) -> McpRule {
        Registry::builtin().get(host).unwrap().definition().mcp.clone()
    }

    #[test]
    fn each_host_gets_values_in_its_own_words() {
        let word = setting_word("token");
        let (joined, bearer) = (format!("--key={word}"), format!("Bearer {word}"));
        let cases = [("claude", "--key=${user_config.token}"), ("cursor", "--key=${env:DEMO_TOKEN}")];
        for (host, expected) in cases {
            let mut server = local(&[("T", &word)], &[&joined]);
            assert_eq!(refusal(&rule(host), &server), None);
            let variables = lower(&rule(host), &[setting("token")], &mut server, &mut JsonObject::new());
            assert_eq!(server.args, [expected]);
            assert_eq!(
                variables.keys().map(String::as_str).collect::<Vec<_>>(),
                match host {
                    "cursor" => vec!["DEMO_TOKEN", "T"],
                    _ => vec![],
                }
            );
        }
        let mut said = JsonObject::new();
        let mut server = local(&[("T", &word), ("PLAIN", "x")], &[]);
        let variables = lower(&rule("codex"), &[setting("token")], &mut server, &mut said);
        assert_eq!((said["env_vars"].clone(), variables["T"].as_str()), (json!(["T"]), "token"));
        assert_eq!(server.env.keys().collect::<Vec<_>>(), ["PLAIN"]);
        let mut said = JsonObject::new();
        let mut server = remote(&[("Authorization", &bearer), ("X-Key", &word)]);
        lower(&rule("codex"), &[setting("token")], &mut server, &mut said);
        assert_eq!(said["bearer_token_env_var"], "DEMO_TOKEN");
        assert_eq!(said["env_http_headers"], json!({"X-Key": "DEMO_TOKEN"}));
    }

    #[test]
    fn a_host_that_cannot_is_named_with_the_place() {
        let word = setting_word("token");
        let joined = format!("--key={word}");
        let problem = refusal(&rule("codex"), &local(&[], &[&joined])).unwrap();
        assert!(problem.starts_with("`args` holds"), "{problem}");
        assert!(refusal(&rule("codex"), &local(&[("T", &joined)], &[])).is_some());
        assert!(refusal(&rule("codex"), &remote(&[("X-Key", &format!("a {word}"))])).is_some());
        for host in ["portable", "amp"] {
            assert!(refusal(&rule(host), &local(&[("T", &word)], &[])).is_some());
            assert_eq!(refusal(&rule(host), &local(&[("T", "x")], &[])), None);
        }
    }
}
