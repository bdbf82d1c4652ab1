//! Servers of an export: what came from a secret stays a reference, the rest is screened.

use super::screen::{self, Screened};
use super::{Exporter, unrepresentable};
use crate::workspace::document::{FieldType, Mcp};
use crate::workspace::entity::{Entity, Joined, McpFields, Part, SpecFields};
use crate::workspace::problem::Problem;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Literal text of a live place: what begins like a reference is doubled.
fn literal(text: &str) -> String {
    text.replace("${setup.", "$${setup.")
}

impl Exporter<'_> {
    pub(super) fn server(&mut self, row: &Entity, key: &str) -> Result<Mcp, Problem> {
        let fields: McpFields = row.read();
        let spec: SpecFields = row
            .parent
            .as_deref()
            .and_then(|id| self.snapshot.find(id))
            .map(Entity::read)
            .ok_or_else(|| unrepresentable(format!("MCP server `{}` has lost its spec", row.name)))?;
        let url = spec.transport == "url";
        if !matches!(spec.transport.as_str(), "command" | "docker" | "url") {
            return Err(unrepresentable(format!(
                "MCP server `{}` has a transport that the format lacks",
                row.name
            )));
        }
        let mut json_spec = Map::new();
        json_spec.insert("type".to_owned(), Value::String(spec.transport.clone()));
        let texts = [("command", spec.command.as_ref()), ("image", spec.image.as_ref())];
        for (member, text) in texts {
            if let Some(text) = text {
                json_spec.insert(member.to_owned(), Value::String(text.clone()));
            }
        }
        if let Some(address) = &spec.url {
            let text = self.address(row, key, address);
            json_spec.insert("endpoint_url".to_owned(), Value::String(text));
        }
        if !spec.args.is_empty() {
            let args = self.args(row, key, &spec.args);
            json_spec.insert("args".to_owned(), Value::Array(args.into_iter().map(Value::String).collect()));
        }
        let mut bindings = BTreeMap::new();
        self.map(row, key, "environment", &fields.environment, !url, &mut json_spec, &mut bindings);
        self.map(row, key, "headers", &fields.headers, url, &mut json_spec, &mut bindings);
        let context_secret = fields.context_signing.then(|| {
            self.field(
                &format!("{key}_context_secret"),
                format!("{}: signing key", row.name),
                FieldType::Secret,
            )
        });
        // The order of a read document, so that reading back compares equal.
        let json_spec = json_spec.into_iter().collect::<BTreeMap<_, _>>().into_iter().collect();
        Ok(Mcp { key: key.to_owned(), name: row.name.clone(), json_spec, bindings, context_secret })
    }

    /// Whether text that looks like a credential is replaced: unless a person said that it is none.
    fn replaces(&mut self, row: &Entity, place: &str, label: &str, text: &str) -> bool {
        let hit = self.marks.hit(row, place, label, text);
        let replaces = hit.is_some();
        self.hits.extend(hit);
        replaces
    }

    /// Text with a field for each secret piece.
    fn parts(&mut self, parts: &[Part], place: &str, label: &str) -> String {
        let mut text = String::new();
        for part in parts {
            match part {
                Part::Text(piece) => text.push_str(&literal(piece)),
                Part::Secret(_) => text.push_str(&self.field(place, label.to_owned(), FieldType::Secret)),
            }
        }
        text
    }

    fn address(&mut self, row: &Entity, key: &str, address: &Joined) -> String {
        let (place, label) = (format!("{key}_endpoint_url"), format!("{}: address", row.name));
        match address {
            Joined::Parts(parts) => self.parts(parts, &place, &label),
            Joined::Plain(text)
                if screen::is_credentialed_url(text) && self.replaces(row, &place, &label, text) =>
            {
                self.field(&place, label, FieldType::Secret)
            }
            Joined::Plain(_) if self.options.strict => self.field(&place, label, FieldType::String),
            Joined::Plain(text) => literal(text),
        }
    }

    fn args(&mut self, row: &Entity, key: &str, args: &[Joined]) -> Vec<String> {
        let plain = args.iter().map(|arg| match arg {
            Joined::Plain(text) => Some(text.as_str()),
            Joined::Parts(_) => None,
        });
        let screened = screen::arguments(plain);
        let mut out = Vec::new();
        for (at, (arg, screened)) in args.iter().zip(screened).enumerate() {
            let (place, label) = (format!("{key}_arg_{at}"), format!("{}: argument {}", row.name, at + 1));
            let screened = match (arg, screened) {
                (Joined::Plain(text), Screened::Replace(_)) if !self.replaces(row, &place, &label, text) => {
                    Screened::Keep
                }
                (_, screened) => screened,
            };
            out.push(match (arg, screened) {
                (Joined::Parts(parts), _) => self.parts(parts, &place, &label),
                (Joined::Plain(_), Screened::Replace(prefix)) => {
                    format!("{}{}", literal(&prefix), self.field(&place, label, FieldType::Secret))
                }
                (Joined::Plain(text), Screened::Keep) if self.options.strict && !text.starts_with('-') => {
                    self.field(&place, label, FieldType::String)
                }
                (Joined::Plain(text), Screened::Keep) => literal(text),
            });
        }
        out
    }

    /// Variables or headers. `bound` says whether bindings land in this map again.
    #[allow(clippy::too_many_arguments, reason = "one call for each of the two maps of a server")]
    fn map(
        &mut self,
        row: &Entity,
        key: &str,
        member: &str,
        map: &BTreeMap<String, Joined>,
        bound: bool,
        json_spec: &mut Map<String, Value>,
        bindings: &mut BTreeMap<String, String>,
    ) {
        let mut literals = Map::new();
        for (name, value) in map {
            let (place, label) = (format!("{key}_{name}"), format!("{}: {name}", row.name));
            let text = match value {
                Joined::Parts(parts) => self.parts(parts, &place, &label),
                Joined::Plain(text) => {
                    let looks = screen::is_credential_name(name, text) || screen::is_credential_value(text);
                    let hit = crate::workspace::document::reference::resembles(text)
                        || looks && self.replaces(row, &place, &label, text);
                    if !hit && !self.options.strict {
                        literals.insert(name.clone(), Value::String(text.clone()));
                        continue;
                    }
                    if !bound {
                        let omission =
                            format!("left out: {member} {name} of {} (it may be a credential)", row.name);
                        self.omissions.push(omission);
                        continue;
                    }
                    self.field(&place, label, if hit { FieldType::Secret } else { FieldType::String })
                }
            };
            bindings.insert(name.clone(), text);
        }
        if !literals.is_empty() {
            json_spec.insert(member.to_owned(), Value::Object(literals));
        }
    }
}
