//! Placeholders in servers that a host would pass on as they stand.

use super::Target;
use super::capability::{Places, server_refusal};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Launch, Model, Server, pointer_step};

/// Finds `${…}` in the texts of servers that `target` puts nothing in place of.
pub(super) fn check(target: &Target, model: &Model, places: &Places<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let reached = model.servers.iter().filter(|server| {
        server.targets.iter().any(|host| host == target.name())
            && server_refusal(target, server, model).is_none()
    });
    for server in reached {
        for (field, text) in texts(server) {
            for name in placeholders(text).filter(|name| !expands(target, name)) {
                let message = format!(
                    "{} puts nothing in place of `${{{name}}}`: server `{}` would get it as it stands",
                    target.title(),
                    server.name
                );
                let pointer = format!("/mcp/servers/{}{field}", pointer_step(&server.name));
                let finding =
                    Diagnostic::new(Code::AB4111, message).with_span(Some(places.manifest(&pointer)));
                found.push(finding.target(target.name()));
            }
        }
    }
    found
}

/// The texts of a server with their JSON pointers below it.
fn texts(server: &Server) -> Vec<(String, &str)> {
    let mut texts: Vec<(String, &str)> = Vec::new();
    texts.extend(server.args.iter().enumerate().map(|(at, text)| (format!("/args/{at}"), text.as_str())));
    texts.extend(server.env.iter().map(|(key, text)| (format!("/env/{key}"), text.as_str())));
    match &server.launch {
        Launch::Command { command, cwd } => {
            texts.push(("/command".to_owned(), command));
            texts.extend(cwd.as_deref().map(|text| ("/cwd".to_owned(), text)));
        }
        Launch::Remote { url, headers } => {
            texts.push(("/url".to_owned(), url));
            texts.extend(headers.iter().map(|(key, text)| (format!("/headers/{key}"), text.as_str())));
        }
        Launch::Generated { .. } | Launch::Entry { .. } => {}
    }
    texts
}

/// The names between `${` and `}`; canonical tokens are spelled for each host and are not among them.
fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split("${").skip(1);
    parts
        .filter_map(|part| part.split_once('}'))
        .map(|(name, _)| name)
        .filter(|name| !name.starts_with("agent-bundle:"))
}

/// Whether the host knows the placeholder; a rule that ends with `*` means every name that begins so.
fn expands(target: &Target, name: &str) -> bool {
    target.definition.mcp.placeholders.iter().any(|rule| match rule.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == rule,
    })
}
