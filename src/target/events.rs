//! Which hosts an event route reaches.

use super::capability::{Places, list};
use super::{Registry, Target};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::model::{Launch, Model, Module};
use serde_json::Value;

/// The hosts of an event route, chosen by name or by what it needs; all that know the event otherwise.
enum Choice {
    Named(Vec<String>),
    Able(Vec<String>),
    All,
}

fn choice(route: &Module) -> Choice {
    let texts = |key: &str| {
        let items = route.config.get(key)?.as_array()?;
        Some(items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect())
    };
    match (texts("targets"), texts("requires")) {
        (Some(named), _) => Choice::Named(named),
        (None, Some(rows)) => Choice::Able(rows),
        (None, None) => Choice::All,
    }
}

/// Checks every event route against the selected hosts.
pub(super) fn check(
    registry: &Registry,
    model: &Model,
    selected: &[&Target],
    places: &Places<'_>,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for route in &model.surfaces.events {
        let before = found.len();
        let knows = |target: &&&Target| target.definition.events.names.contains(&route.name);
        let able: Vec<&Target> = selected.iter().filter(knows).copied().collect();
        let reached: Vec<&Target> = match choice(route) {
            Choice::Named(hosts) => {
                for (at, host) in hosts.iter().enumerate() {
                    found.extend(check_named(registry, model, route, at, host, places));
                }
                able.into_iter().filter(|target| hosts.iter().any(|host| host == target.name())).collect()
            }
            Choice::Able(rows) => {
                let has = |target: &&Target| {
                    rows.iter().all(|row| target.definition.events.capabilities.contains(row))
                };
                let reached: Vec<&Target> = able.into_iter().filter(has).collect();
                if reached.is_empty() {
                    let message = format!("no selected host can do all that `{}` requires", route.id);
                    let span = places.config(route, "/requires");
                    found.push(Diagnostic::new(Code::AB4824, message).with_span(Some(span)));
                }
                reached
            }
            Choice::All => {
                if able.is_empty() && !selected.is_empty() {
                    let names: Vec<&str> = selected.iter().map(|target| target.name()).collect();
                    let message =
                        format!("`{}` reaches no host: {} know no such event", route.id, list(&names));
                    found.push(Diagnostic::new(Code::AB4824, message).in_file(&route.source));
                }
                able
            }
        };
        if found.len() == before {
            found.extend(check_runtime(model, route, &reached, places));
        }
    }
    found
}

fn check_named(
    registry: &Registry,
    model: &Model,
    route: &Module,
    at: usize,
    host: &str,
    places: &Places<'_>,
) -> Option<Diagnostic> {
    let span = places.config(route, &format!("/targets/{at}"));
    let problem = match registry.get(host) {
        None => {
            let names: Vec<&str> = registry.names().collect();
            let message =
                format!("`{}` names `{host}`, which is no host; the hosts are {}", route.id, list(&names));
            let mut finding = Diagnostic::new(Code::AB4824, message);
            if let Some(near) = nearest(host, names) {
                finding = finding.did_you_mean(near, &span);
            }
            return Some(finding.with_span(Some(span)).target(host));
        }
        Some(_) if !model.targets.iter().any(|target| target == host) => "is not selected".to_owned(),
        Some(target) if !target.definition.events.names.contains(&route.name) => {
            format!("knows no event `{}`", route.name)
        }
        Some(_) => return None,
    };
    let message = format!("`{}` names `{host}`, which {problem}", route.id);
    Some(Diagnostic::new(Code::AB4824, message).with_span(Some(span)).target(host))
}

/// A shared runtime lives in a server that the plugin generates.
fn check_runtime(model: &Model, route: &Module, reached: &[&Target], places: &Places<'_>) -> Vec<Diagnostic> {
    let text = |key: &str| route.config.get(key).and_then(Value::as_str);
    if text("runtime") != Some("shared") || text("fallback") == Some("standalone") {
        return Vec::new();
    }
    let serves = |target: &Target| {
        let generated =
            model.servers.iter().filter(|server| matches!(server.launch, Launch::Generated { .. }));
        let mut shipped = generated.filter(|server| server.targets.iter().any(|host| host == target.name()));
        shipped.any(|server| super::capability::server_refusal(target, server, model).is_none())
    };
    let lonely = reached.iter().filter(|target| !serves(target));
    let report = |target: &&Target| {
        let message = format!(
            "`{}` runs in a shared runtime, and {} gets no server of this plugin that could hold it",
            route.id,
            target.title()
        );
        let span = places.config(route, "/runtime");
        Diagnostic::new(Code::AB4817, message).with_span(Some(span)).target(target.name())
    };
    lonely.map(report).collect()
}
