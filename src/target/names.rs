//! Names that a host does not accept.

use super::Target;
use super::capability::Places;
use super::definition::{NameRule, Names};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Model, ModuleKind, Server};
use jsonschema::Validator;
use serde_json::json;

/// Whether the patterns are regular expressions.
pub(super) fn check_patterns(names: &Names) -> Result<(), String> {
    for rule in names.plugin.iter().chain(&names.server) {
        matcher(rule).map_err(|_| format!("`{}` is not a regular expression", rule.pattern))?;
    }
    Ok(())
}

fn matcher(rule: &NameRule) -> Result<Validator, String> {
    let schema = json!({"pattern": rule.pattern});
    jsonschema::validator_for(&schema).map_err(|error| error.to_string())
}

fn is_accepted(rule: &NameRule, name: &str) -> bool {
    rule.max.is_none_or(|max| name.chars().count() <= max)
        && matcher(rule).is_ok_and(|matcher| matcher.is_valid(&json!(name)))
}

/// What `target` refuses of the plugin's, its servers' and its tools' names.
pub(super) fn check(target: &Target, model: &Model, places: &Places<'_>) -> Vec<Diagnostic> {
    let names = &target.definition.names;
    let plugin = &model.plugin.name;
    let mut found = Vec::new();
    if let Some(rule) = names.plugin.as_ref().filter(|rule| !is_accepted(rule, plugin)) {
        let message = format!("{} takes no plugin named `{plugin}`: {}", target.title(), rule.says);
        let refusal = refusal(target, "manifest.name.invalid", message, "Change `plugin.name`");
        found.push(refusal.with_span(Some(places.manifest("/plugin/name"))));
    }
    let servers = model.servers.iter().filter(|server| {
        server.targets.iter().any(|host| host == target.name())
            && super::capability::server_refusal(target, server, model).is_none()
    });
    for server in servers {
        if let Some(rule) = names.server.as_ref().filter(|rule| !is_accepted(rule, &server.name)) {
            let message =
                format!("{} takes no server named `{}`: {}", target.title(), server.name, rule.says);
            let refusal = refusal(target, "mcp.name.invalid", message, "Rename the server");
            found.push(refusal.with_span(Some(places.manifest(&format!("/mcp/servers/{}", server.name)))));
        }
        found.extend(tools(target, plugin, server));
    }
    found
}

fn tools(target: &Target, plugin: &str, server: &Server) -> Vec<Diagnostic> {
    let Some(rule) = &target.definition.names.tool else { return Vec::new() };
    let long = server.routes().iter().filter(|route| route.kind == ModuleKind::Tool).filter_map(|tool| {
        let name = rule
            .spelling
            .replace("{plugin}", plugin)
            .replace("{server}", &server.name)
            .replace("{tool}", &tool.name);
        let length = name.chars().count();
        let message = format!(
            "{} would call the tool `{name}`: {length} characters, where {} are the most",
            target.title(),
            rule.max
        );
        let help = "Shorten the name of the tool, the server or the plugin";
        (length > rule.max)
            .then(|| refusal(target, "mcp.tool.name.long", message, help).in_file(&tool.source))
    });
    long.collect()
}

fn refusal(target: &Target, rule: &str, message: String, help: &str) -> Diagnostic {
    Diagnostic::new(Code::host(target.name(), rule), message).help(help).target(target.name())
}
