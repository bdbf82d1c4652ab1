//! `agent-bundle inspect`

use super::{Exit, Printer, ProjectArgs};
use crate::build::{Inspection, place};
use crate::compile::runtime;
use crate::model::{Launch, Model};
use crate::world::OsWorld;
use clap::Args;
use serde_json::{Value, json};
use std::sync::Arc;

#[derive(Debug, Args)]
pub(super) struct InspectArgs {
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    focus: Focus,
}

#[derive(Debug, Args)]
#[group(multiple = false)]
struct Focus {
    /// Servers with their routes, layouts and providers; commands, events, scripts and state; what the manifest alone
    /// declares, such as hooks and payloads.
    #[arg(long)]
    routes: bool,
    /// What the bundler gets: entries, virtual modules, runtime.
    #[arg(long)]
    bundler: bool,
    /// Skills, commands and rules with the hosts that take them.
    #[arg(long)]
    skills: bool,
}

pub(super) fn run(args: &InspectArgs, printer: &Printer) -> Exit {
    let settings = args.project.settings(None);
    let inspection = Inspection::of(&settings, Arc::new(OsWorld));
    let value = inspection.model.as_ref().map(|model| {
        if args.focus.routes {
            routes(model)
        } else if args.focus.bundler {
            bundler(&inspection)
        } else if args.focus.skills {
            skills(&inspection)
        } else {
            plans(&inspection)
        }
    });
    if args.project.json {
        printer.document(&json!({"inspection": value, "diagnostics": inspection.diagnostics}));
    } else if let Some(value) = &value {
        printer.raw(outline(value, 0).as_bytes());
    }
    printer.diagnostics(place(&args.project.root), &inspection.diagnostics);
    if inspection.failed() { Exit::Failure } else { Exit::Success }
}

/// Plain nested lists: JSON without its punctuation, for reading.
fn outline(value: &Value, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    let rows: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(items) => items
            .iter()
            .map(|item| {
                let title = item.get("id").or_else(|| item.get("name")).and_then(Value::as_str);
                (title.map_or_else(|| "-".to_owned(), str::to_owned), item)
            })
            .collect(),
        other => return format!("{indent}{}\n", scalar(other)),
    };
    rows.into_iter()
        .map(|(key, value)| match value {
            Value::Object(_) | Value::Array(_) => format!("{indent}{key}\n{}", outline(value, depth + 1)),
            other if key == "-" => format!("{indent}- {}\n", scalar(other)),
            other => format!("{indent}{key}: {}\n", scalar(other)),
        })
        .collect()
}

fn scalar(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn routes(model: &Model) -> Value {
    let servers: Vec<Value> = model
        .servers
        .iter()
        .map(|server| match &server.launch {
            Launch::Generated { routes, layout } => json!({
                "id": format!("mcp:{}", server.name), "mode": "generated", "layout": layout, "routes": routes,
            }),
            Launch::Entry { module } => {
                json!({"id": format!("mcp:{}", server.name), "mode": "custom", "entry": module.source})
            }
            Launch::Command { command, .. } => {
                json!({"id": format!("mcp:{}", server.name), "mode": "command", "command": command})
            }
            Launch::Remote { url, .. } => {
                json!({"id": format!("mcp:{}", server.name), "mode": "remote", "url": url})
            }
        })
        .collect();
    let mut routes = json!({
        "servers": servers, "rootLayout": model.root_layout, "providers": model.providers,
        "commands": model.surfaces.commands, "events": model.surfaces.events,
        "scripts": model.surfaces.scripts, "state": model.surfaces.state, "declared": model.declared,
    });
    let contracts = model.contracts();
    if !contracts.is_empty() {
        routes["contracts"] = json!(contracts);
    }
    routes
}

fn bundler(inspection: &Inspection) -> Value {
    let surfaces: Vec<Value> = inspection
        .surfaces()
        .into_iter()
        .map(|(path, request)| json!({"id": path, "modules": request.modules, "meta": request.meta}))
        .collect();
    let roles: Vec<Value> = runtime()
        .roles()
        .map(|role| json!({"name": role.name, "file": role.file, "bytes": role.bytes.len()}))
        .collect();
    json!({"bundler": crate::compile::BUNDLER, "surfaces": surfaces, "runtime": roles})
}

fn skills(inspection: &Inspection) -> Value {
    let Some(model) = &inspection.model else { return Value::Null };
    let takes = |kind: &str| -> Vec<&String> {
        let takes = |host: &&String| inspection.registry.get(host).is_some_and(|target| target.takes(kind));
        model.targets.iter().filter(takes).collect()
    };
    json!({
        "skills": model.skills, "skillHosts": takes("skills"),
        "commands": model.commands, "commandHosts": takes("commands"),
        "rules": model.rules, "ruleHosts": takes("rules"),
    })
}

/// What each host gets.
fn plans(inspection: &Inspection) -> Value {
    let Some(model) = &inspection.model else { return Value::Null };
    let hosts: serde_json::Map<String, Value> = inspection
        .projections()
        .into_iter()
        .map(|(host, projection)| {
            let files: Vec<&String> = projection.files.keys().collect();
            let plan = json!({
                "root": if projection.root.is_empty() { "." } else { &projection.root },
                "files": files, "servers": projection.servers, "marketplace": projection.marketplace,
            });
            (host, plan)
        })
        .collect();
    json!({"plugin": model.plugin.name, "version": model.plugin.version, "targets": model.targets, "hosts": hosts})
}
