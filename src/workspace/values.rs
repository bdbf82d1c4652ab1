//! Setup values: what was supplied, judged against what was declared.

use super::analyze::mcp::{self, Transport};
use super::document::reference::{self, Piece};
use super::document::{Bundle, Data, FieldType, Kind, Node, SetupField};
use super::entity::{Joined, Part};
use super::issue::{Issue, IssueCode};
use super::secret::Secret;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const MAX_VALUE: usize = 64 * 1024;
const MAX_TOTAL: usize = 1024 * 1024;
const SIGNING_KEY: std::ops::RangeInclusive<usize> = 32..=512;

/// A supplied value.
#[derive(Debug, Clone)]
pub enum Supplied {
    /// Of a JSON type.
    Typed(Value),
    /// Text from a command line or a prompt, which may stand for a number or boolean.
    Written(Secret),
}

/// Supplied values by field.
pub type SuppliedValues = BTreeMap<String, Supplied>;

/// The values of an object in a request or file; `Err` names what it is instead.
pub fn from_node(node: &Node) -> Result<SuppliedValues, &'static str> {
    match &node.data {
        Data::Map(members) => Ok(members
            .iter()
            .map(|member| (member.key.to_string(), Supplied::Typed(member.value.to_json())))
            .collect()),
        _ => Err(node.shape()),
    }
}

/// A value in effect.
#[derive(Debug, Clone)]
enum Effective {
    Plain(String),
    Secret(Secret),
}

/// The values in effect.
#[derive(Debug, Clone, Default)]
pub struct Values(BTreeMap<String, Effective>);

impl Values {
    /// Whether a field has a value.
    pub fn has(&self, field: &str) -> bool {
        self.0.contains_key(field)
    }

    /// The secret supplied for a field.
    pub fn secret(&self, field: &str) -> Option<&Secret> {
        match self.0.get(field) {
            Some(Effective::Secret(secret)) => Some(secret),
            _ => None,
        }
    }

    /// Text of a live place with values filled in, secrets by name. Substituted text is not looked at again.
    pub fn join(&self, text: &str) -> Joined {
        let mut parts: Vec<Part> = Vec::new();
        let mut push = |text: String| match parts.last_mut() {
            Some(Part::Text(last)) => last.push_str(&text),
            _ => parts.push(Part::Text(text)),
        };
        let mut secrets = Vec::new();
        for piece in reference::template(text).unwrap_or_default() {
            match piece {
                Piece::Text(text) => push(text),
                Piece::Field(field) => match self.0.get(&field) {
                    Some(Effective::Plain(value)) => push(value.clone()),
                    Some(_) => {
                        // A marker holds the place; the list below says which secret it is.
                        secrets.push(field);
                        push(String::from('\0'));
                    }
                    None => {}
                },
            }
        }
        split(parts, secrets)
    }
}

/// Puts the secrets in the places of their markers. Values hold no NUL, so a marker is nothing else.
fn split(parts: Vec<Part>, secrets: Vec<String>) -> Joined {
    let text: String = parts
        .into_iter()
        .map(|part| match part {
            Part::Text(text) | Part::Secret(text) => text,
        })
        .collect();
    if secrets.is_empty() {
        return Joined::Plain(text);
    }
    let mut joined = Vec::new();
    let mut secrets = secrets.into_iter();
    for (at, piece) in text.split('\0').enumerate() {
        if at > 0
            && let Some(secret) = secrets.next()
        {
            joined.push(Part::Secret(secret));
        }
        if !piece.is_empty() {
            joined.push(Part::Text(piece.to_owned()));
        }
    }
    Joined::Parts(joined)
}

/// Judges the supplied values. `stored` holds the secrets of an earlier install that may be kept.
pub fn judge(
    bundle: &Bundle,
    supplied: &SuppliedValues,
    stored: &BTreeMap<String, Secret>,
) -> Result<(Values, Vec<Issue>), Vec<Issue>> {
    let mut issues = Vec::new();
    let unknown: Vec<&str> =
        supplied.keys().filter(|key| bundle.field(key).is_none()).map(String::as_str).collect();
    for key in unknown {
        let message = format!("`{}` is not a declared field", super::display::visible(key));
        issues.push(Issue::block(IssueCode::SetupInvalid, message).about("setup", key));
    }
    let mut values = Values::default();
    let mut total = 0;
    for field in &bundle.setup {
        match effective(field, supplied.get(&field.key)) {
            Ok(Some(value)) => {
                total += match &value {
                    Effective::Plain(text) => text.len(),
                    Effective::Secret(secret) => secret.expose().len(),
                };
                values.0.insert(field.key.clone(), value);
            }
            Ok(None) if field.field_type == FieldType::Secret && stored.contains_key(&field.key) => {
                values.0.insert(field.key.clone(), Effective::Secret(stored[&field.key].clone()));
            }
            Ok(None) if field.required => {
                let message = match &field.help {
                    Some(help) => format!("`{}` needs a value ({help})", field.key),
                    None => format!("`{}` needs a value", field.key),
                };
                issues.push(Issue::block(IssueCode::SetupMissing, message).about("setup", &field.key));
            }
            Ok(None) => {}
            Err(problem) => {
                let message = format!("the value of `{}` {problem}", field.key);
                issues.push(Issue::block(IssueCode::SetupInvalid, message).about("setup", &field.key));
            }
        }
    }
    if total > MAX_TOTAL {
        let message = format!("all values together have more than {MAX_TOTAL} bytes");
        issues.push(Issue::block(IssueCode::SetupInvalid, message));
    }
    let reported = issues.iter().filter_map(|issue| issue.entity_key.clone()).collect();
    let mut judge = Uses { bundle, values: &values, reported, issues };
    judge.run();
    let issues = judge.issues;
    if issues.iter().any(Issue::blocks) { Err(issues) } else { Ok((values, issues)) }
}

fn effective(field: &SetupField, supplied: Option<&Supplied>) -> Result<Option<Effective>, String> {
    let secret = field.field_type == FieldType::Secret;
    let typed = match supplied {
        Some(Supplied::Written(written)) => Some(from_text(field, written.expose())),
        Some(Supplied::Typed(Value::Null)) | None => None,
        Some(Supplied::Typed(value)) => Some(value.clone()),
    };
    let blank = |value: &Value| value.as_str().is_some_and(|text| text.trim().is_empty());
    let value = match typed {
        // A blank text is no value where one is required; elsewhere it is what the user wrote.
        Some(value) if blank(&value) && (field.required || secret) => None,
        Some(value) => Some(value),
        None => field.default.clone(),
    };
    let Some(value) = value else { return Ok(None) };
    let text = check(field, &value)?;
    if text.len() > MAX_VALUE {
        return Err(format!("has more than {MAX_VALUE} bytes"));
    }
    if text.contains('\0') {
        return Err("holds a NUL character".to_owned());
    }
    Ok(Some(if secret { Effective::Secret(Secret::new(text)) } else { Effective::Plain(text) }))
}

fn from_text(field: &SetupField, text: &str) -> Value {
    let parsed = match field.field_type {
        FieldType::Number => {
            text.trim().parse::<f64>().ok().and_then(serde_json::Number::from_f64).map(Value::Number)
        }
        FieldType::Boolean => text.trim().parse::<bool>().ok().map(Value::Bool),
        _ => None,
    };
    parsed.unwrap_or_else(|| Value::String(text.to_owned()))
}

/// The value as text, when it fits its field; else what is wrong with it.
pub fn check(field: &SetupField, value: &Value) -> Result<String, String> {
    match (field.field_type, value) {
        (FieldType::Secret | FieldType::String, Value::String(text)) => Ok(text.clone()),
        (FieldType::Secret | FieldType::String, _) => Err("must be text".to_owned()),
        (FieldType::Boolean, Value::Bool(flag)) => Ok(flag.to_string()),
        (FieldType::Boolean, _) => Err("must be `true` or `false`".to_owned()),
        (FieldType::Select, Value::String(text))
            if field.options.as_ref().is_some_and(|options| options.contains(text)) =>
        {
            Ok(text.clone())
        }
        (FieldType::Select, _) => Err("must be one of the options".to_owned()),
        (FieldType::Number, Value::Number(number)) => {
            let value = number.as_f64().filter(|value| value.is_finite()).ok_or("must be a finite number")?;
            if field.min.is_some_and(|min| value < min) || field.max.is_some_and(|max| value > max) {
                return Err("is out of bounds".to_owned());
            }
            Ok(number_text(value))
        }
        (FieldType::Number, _) => Err("must be a number".to_owned()),
    }
}

/// Shortest decimal that reads back; whole numbers without a point.
fn number_text(value: f64) -> String {
    if value.abs() < 1e15 { format!("{value}") } else { format!("{value:e}") }
}

/// What the values come to in the places that use them.
struct Uses<'a> {
    bundle: &'a Bundle,
    values: &'a Values,
    /// Fields whose absence or value was reported already.
    reported: BTreeSet<String>,
    issues: Vec<Issue>,
}

impl Uses<'_> {
    fn run(&mut self) {
        for mcp in &self.bundle.mcps {
            let (server, _) = mcp::server(mcp);
            let skipped = mcp::skip_reason(&server).is_some();
            for (name, text) in &mcp.bindings {
                if reference::single(text).is_none() {
                    self.complete(text, Kind::Mcp, &mcp.key, name);
                }
                if server.transport == Transport::Url {
                    self.one_line(text, &mcp.key, name);
                }
            }
            if let Some(text) = &mcp.context_secret {
                self.signing_key(text, &mcp.key);
            }
            if skipped {
                continue;
            }
            for (at, text) in server.args.iter().enumerate() {
                self.complete(text, Kind::Mcp, &mcp.key, &format!("args/{at}"));
            }
            self.complete(&server.url, Kind::Mcp, &mcp.key, server.url_member);
            if server.transport == Transport::Url {
                self.address(&server.url, &mcp.key);
            }
        }
        for channel in &self.bundle.channels {
            for (name, text) in &channel.bindings {
                if reference::single(text).is_none() {
                    self.complete(text, Kind::Channel, &channel.key, name);
                }
            }
        }
        for agent in &self.bundle.agents {
            let model = agent.model.as_deref().unwrap_or_default();
            self.complete(model, Kind::Agent, &agent.key, "model");
        }
    }

    /// An optional field without value leaves no hole in text.
    fn complete(&mut self, text: &str, kind: Kind, key: &str, place: &str) {
        for field in reference::fields(text) {
            let declared = self.bundle.field(&field);
            let silent = self.values.has(&field) || self.reported.contains(&field);
            if declared.is_some_and(|field| !field.required) && !silent {
                let message =
                    format!("`{field}` has no value, and `{place}` of {} `{key}` needs it", kind.word());
                self.issues.push(Issue::block(IssueCode::SetupMissing, message).about(kind.word(), key));
            }
        }
    }

    fn one_line(&mut self, text: &str, key: &str, name: &str) {
        for field in reference::fields(text) {
            let value = match self.values.0.get(&field) {
                Some(Effective::Plain(text)) => text.as_str(),
                Some(Effective::Secret(secret)) => secret.expose(),
                None => continue,
            };
            if value.contains(['\r', '\n']) {
                let message =
                    format!("the value of `{field}` holds a line break, which the header `{name}` cannot");
                self.issues.push(Issue::block(IssueCode::SetupInvalid, message).about("mcp", key));
            }
        }
    }

    fn address(&mut self, text: &str, key: &str) {
        let Some(field) = reference::single(text) else { return };
        let value = match self.values.0.get(&field) {
            Some(Effective::Plain(text)) => text.as_str(),
            Some(Effective::Secret(secret)) => secret.expose(),
            None => return,
        };
        let fits = url::Url::parse(value)
            .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        if !fits {
            let message = format!("the value of `{field}` is not an http(s) URL");
            self.issues.push(Issue::block(IssueCode::SetupInvalid, message).about("mcp", key));
        }
    }

    fn signing_key(&mut self, text: &str, key: &str) {
        let Some(field) = reference::single(text) else { return };
        match self.values.0.get(&field) {
            None if self.reported.contains(&field) => {}
            None => {
                let message = format!("`{field}` has no value, and mcp `{key}` is to be signed with it");
                self.issues.push(Issue::block(IssueCode::SetupMissing, message).about("mcp", key));
            }
            Some(Effective::Secret(secret)) => {
                let length = secret.expose().chars().count();
                if !SIGNING_KEY.contains(&length) {
                    let message = format!(
                        "the value of `{field}` must have {} to {} characters",
                        SIGNING_KEY.start(),
                        SIGNING_KEY.end()
                    );
                    self.issues.push(Issue::block(IssueCode::ContextSecretLength, message).about("mcp", key));
                } else if self.is_weak(&field, secret) {
                    let message = format!(
                        "the value of `{field}` is one character over and over, or another field has it too"
                    );
                    self.issues.push(Issue::warn(IssueCode::ContextSecretWeak, message).about("mcp", key));
                }
            }
            Some(_) => {}
        }
    }

    fn is_weak(&self, field: &str, secret: &Secret) -> bool {
        let mut characters = secret.expose().chars();
        let first = characters.next();
        characters.all(|character| Some(character) == first)
            || self.values.0.iter().any(|(other, value)| {
                other != field && matches!(value, Effective::Secret(value) if value == secret)
            })
    }
}
