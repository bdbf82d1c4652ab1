//! Servers in a host's words.

use super::definition::{EntryRule, Expansion, McpRule};
use super::slice::{Slice, SliceLaunch, SliceServer, runs_in_root};
use super::{Target, settings, textual, tokens};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::JsonObject;
use serde_json::Value;
use std::collections::BTreeMap;

/// A host's servers.
#[derive(Default)]
pub(super) struct Lowered {
    /// By name, as the host's document holds them.
    pub(super) servers: JsonObject,
    /// Variables that the user must set, with the key of the value that each holds.
    pub(super) variables: BTreeMap<String, String>,
    /// What could not be said.
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// The servers of `slice` in the words of `target`.
pub(super) fn servers(target: &Target, slice: &Slice) -> Lowered {
    let mut lowered = Lowered::default();
    for server in &slice.servers {
        let (mut server, mut apart) = (server.clone(), JsonObject::new());
        let rule = &target.definition.mcp;
        lowered.variables.extend(settings::lower(rule, &slice.settings, &mut server, &mut apart));
        let mut lowering = Lowering { target, server: &server, diagnostics: Vec::new() };
        let mut value = lowering.server();
        value.extend(apart);
        lowered.diagnostics.append(&mut lowering.diagnostics);
        lowered.servers.insert(server.name, Value::Object(value));
    }
    lowered
}

struct Lowering<'a> {
    target: &'a Target,
    server: &'a SliceServer,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Lowering<'a> {
    fn rule(&self) -> &'a McpRule {
        &self.target.definition.mcp
    }

    fn refuse(&mut self, rule: &str, problem: String) {
        let message = format!("server `{}` on {}: {problem}", self.server.name, self.target.title());
        self.diagnostics.push(
            Diagnostic::new(Code::host(self.target.name(), rule), message)
                .in_file(crate::manifest::MANIFEST_FILE)
                .help("Change the server, or restrict its `targets`")
                .target(self.target.name()),
        );
    }

    fn server(&mut self) -> JsonObject {
        for (code, problem) in textual::breaches(self.rule(), self.server) {
            self.refuse(&code, problem);
        }
        let mut value = JsonObject::new();
        match &self.server.launch {
            SliceLaunch::Remote { url, headers } => {
                self.type_word(&mut value, self.rule().remote_type.as_ref());
                value.insert("url".to_owned(), self.text("url", url).into());
                let headers = self.map("headers", headers);
                let key = self.rule().headers.clone().unwrap_or_else(|| "headers".to_owned());
                insert_map(&mut value, &key, headers);
            }
            SliceLaunch::Command { command, cwd } => {
                self.type_word(&mut value, self.rule().stdio_type.as_ref());
                value.insert("command".to_owned(), self.text("command", command).into());
                let args: Vec<_> = self.server.args.iter().map(|arg| self.text("args", arg)).collect();
                insert_list(&mut value, "args", args);
                if let Some(cwd) = cwd {
                    self.cwd(&mut value, cwd);
                }
                self.env(&mut value);
            }
            SliceLaunch::Local { entry } => {
                // A server that its host cannot start does not come this far.
                let Some(rule) = &self.rule().entry else { return value };
                self.local(&mut value, entry, rule);
            }
        }
        value
    }

    fn local(&mut self, value: &mut JsonObject, entry: &str, rule: &EntryRule) {
        self.type_word(value, self.rule().stdio_type.as_ref());
        value.insert("command".to_owned(), "node".into());
        let mut args = vec![format!("{}{entry}", rule.prefix)];
        args.extend(self.server.args.iter().map(|arg| self.text("args", arg)));
        insert_list(value, "args", args);
        if let Some(cwd) = &rule.cwd {
            value.insert("cwd".to_owned(), cwd.clone().into());
        }
        self.env(value);
    }

    fn type_word(&self, value: &mut JsonObject, word: Option<&String>) {
        if let Some(word) = word {
            value.insert("type".to_owned(), word.clone().into());
        }
    }

    fn cwd(&mut self, value: &mut JsonObject, cwd: &str) {
        if !self.rule().cwd {
            let problem = "the host takes no working directory".to_owned();
            return self.refuse("mcp.cwd", problem);
        }
        let root = self.rule().entry.as_ref().and_then(|entry| entry.cwd.clone());
        let cwd = match root {
            Some(root) if cwd == tokens::PLUGIN_ROOT => root,
            _ => self.text("cwd", cwd),
        };
        value.insert("cwd".to_owned(), cwd.into());
    }

    fn env(&mut self, value: &mut JsonObject) {
        let mut env = self.map("env", &self.server.env);
        let anchor = self.rule().entry.as_ref().and_then(|entry| entry.anchor.as_ref());
        if let Some(anchor) = anchor.filter(|_| runs_in_root(&self.server.launch)) {
            env.entry(tokens::PLUGIN_ROOT_VARIABLE.to_owned()).or_insert_with(|| anchor.clone());
        }
        insert_map(value, "env", env);
    }

    fn map(&mut self, field: &str, map: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let mut lowered = BTreeMap::new();
        for (key, text) in map {
            if let Some((_, token)) = tokens::first(key) {
                let code = format!("{}.{field}.key", self.rule().token_code);
                self.refuse(&code, format!("`{token}` stands in a name of `{field}`"));
            }
            lowered.insert(key.clone(), self.text(field, text));
        }
        lowered
    }

    /// The text of a field with its tokens spelled.
    fn text(&mut self, field: &str, text: &str) -> String {
        let Some((start, token)) = tokens::first(text) else { return text.to_owned() };
        let rule = self.rule();
        let spelled = match rule.fields.get(field) {
            None => Err(format!("`{field}` cannot hold `{token}`")),
            Some(Expansion::Text) => tokens::spell(text, &rule.tokens)
                .map_err(|token| format!("the host has nothing to put in place of `{token}`")),
            Some(Expansion::Leading) if start > 0 => {
                Err(format!("`{field}` can hold `{token}` at the start of a path alone"))
            }
            Some(Expansion::Leading) => self.leading(field, token, &text[token.len()..]),
        };
        spelled.unwrap_or_else(|problem| {
            self.refuse(&format!("{}.{field}", rule.token_code), problem);
            text.to_owned()
        })
    }

    fn leading(&self, field: &str, token: &str, rest: &str) -> Result<String, String> {
        let spelling = self.rule().tokens.get(token);
        let spelling =
            spelling.ok_or_else(|| format!("the host has nothing to put in place of `{token}`"))?;
        if !runs_in_root(&self.server.launch) {
            return Err(format!("`{field}` can hold `{token}` only where `cwd` is the plugin's root"));
        }
        if tokens::first(rest).is_some() {
            return Err(format!("`{field}` can hold one token alone"));
        }
        if !(rest.is_empty() || rest.starts_with('/')) {
            return Err(format!("in `{field}`, a path must follow `{token}`"));
        }
        if rest.split('/').any(|part| part == "..") {
            return Err(format!("the path in `{field}` leads out of the plugin"));
        }
        Ok(if rest.is_empty() { format!("{spelling}/") } else { format!("{spelling}{rest}") })
    }
}

fn insert_list(value: &mut JsonObject, key: &str, list: Vec<String>) {
    if !list.is_empty() {
        value.insert(key.to_owned(), list.into());
    }
}

fn insert_map(value: &mut JsonObject, key: &str, map: BTreeMap<String, String>) {
    if !map.is_empty() {
        let map: JsonObject = map.into_iter().map(|(key, text)| (key, Value::String(text))).collect();
        value.insert(key.to_owned(), Value::Object(map));
    }
}
