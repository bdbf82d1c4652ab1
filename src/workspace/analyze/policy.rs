//! Whether a policy would ever act.

use crate::workspace::document::{Effect, Policy};
use serde_json::{Map, Value};

const KINDS: [&str; 11] = [
    "all",
    "tool",
    "mcp",
    "model",
    "skill",
    "collection",
    "spend",
    "service",
    "tokens",
    "execution",
    "content",
];

impl Effect {
    /// The word of the document.
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Cap => "cap",
            Self::Approval => "approval",
            Self::Safety => "safety",
        }
    }
}

/// Why it would not; `None` when it would.
pub fn unenforceable(policy: &Policy) -> Option<String> {
    if policy.condition.is_some() {
        return Some("conditions are not evaluated; leave `condition` out".to_owned());
    }
    let target = policy.target.as_str();
    let (kind, value) = match target.split_once(':') {
        _ if target == "*" => ("*", None),
        Some((kind, value)) => (kind, Some(value)),
        None => (target, None),
    };
    if (kind != "*" && !KINDS.contains(&kind)) || value == Some("") {
        return Some(format!("`target` is `*`, a kind or `kind:value`; the kinds are {}", KINDS.join(", ")));
    }
    let legal = match policy.effect {
        Effect::Allow | Effect::Deny => kind == "tool" && value.is_some_and(|value| value != "*"),
        Effect::Approval => kind == "*" || (kind == "tool" && value.is_some()),
        Effect::Cap => value.is_none() && ["spend", "service", "tokens", "execution"].contains(&kind),
        Effect::Safety => value.is_none() && kind == "content",
    };
    if !legal {
        return Some(format!("the effect `{}` cannot be about this target", policy.effect.word()));
    }
    params(policy.effect, kind, &policy.params)
}

fn params(effect: Effect, kind: &str, params: &Map<String, Value>) -> Option<String> {
    let (known, needs_one): (&[&str], bool) = match (effect, kind) {
        (Effect::Cap, "spend") => (&["amount_usd", "period"], false),
        (Effect::Cap, "service") => (&["amount_usd"], false),
        (Effect::Cap, "tokens") => (&["max_tokens", "max_tokens_per_call"], true),
        (Effect::Cap, _) => (&["max_model_turns", "max_tool_calls_per_turn", "max_tool_calls_total"], true),
        (Effect::Approval, _) => (&["approvers"], false),
        (Effect::Safety, _) => (&["prompt_injection", "output_sanitizer"], true),
        _ => (&[], false),
    };
    if let Some(other) = params.keys().find(|name| !known.contains(&name.as_str())) {
        return Some(format!("there is no parameter `{other}` here"));
    }
    if needs_one && params.is_empty() {
        return Some(format!("`params` needs at least one of {}", known.join(", ")));
    }
    if known.contains(&"amount_usd") {
        let least_is_zero = kind == "spend";
        let fits = params
            .get("amount_usd")
            .and_then(amount)
            .is_some_and(|amount| amount > 0.0 || (least_is_zero && amount == 0.0));
        if !fits {
            return Some("`params.amount_usd` must be an amount of money".to_owned());
        }
        if params.get("period").is_some_and(|period| !matches!(period.as_str(), Some("month" | "run"))) {
            return Some("`params.period` is `month` or `run`".to_owned());
        }
        return None;
    }
    for (name, value) in params {
        let fits = match effect {
            Effect::Safety => value.is_boolean(),
            Effect::Approval => value.as_array().is_some_and(|items| {
                items.iter().all(|item| item.as_str().is_some_and(|text| !text.is_empty()))
            }),
            _ => value.as_i64().is_some_and(|number| number > 0),
        };
        if !fits {
            let expected = match effect {
                Effect::Safety => "`true` or `false`",
                Effect::Approval => "a list of subjects",
                _ => "a positive whole number",
            };
            return Some(format!("`params.{name}` must be {expected}"));
        }
    }
    None
}

/// Money as a number, or as text of digits with at most one point.
fn amount(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => {
            let shaped = !text.is_empty()
                && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
                && text.starts_with(|c: char| c.is_ascii_digit());
            shaped.then(|| text.parse().ok()).flatten()
        }
        _ => None,
    }
}
