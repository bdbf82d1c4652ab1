//! How people install the artifact: `INSTALL.md`, and a script for hosts that are installed by copying.

use super::{Projection, Registry, Target, template};
use crate::model::{Model, Server};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The instructions.
pub const INSTALL_DOCUMENT: &str = "INSTALL.md";
/// The copying script.
pub const INSTALL_SCRIPT: &str = "install.mjs";

const DOCUMENT: &str = include_str!("../../templates/INSTALL.md.jinja");
const SCRIPT: &str = include_str!("../../templates/install.mjs.jinja");
/// The template of a host's section.
const SECTION: &str = "install.md";

/// The install surface of the selected hosts: `INSTALL.md`, and `install.mjs` where a host needs it.
///
/// # Panics
/// When an embedded template is broken, which the crate's tests exclude.
pub fn install_surface(
    registry: &Registry,
    model: &Model,
    projections: &BTreeMap<String, Projection>,
) -> BTreeMap<String, Vec<u8>> {
    let render = |name: &str, source: &str, context: &Value| {
        template::render(name, source, context).unwrap_or_else(|problem| panic!("{problem}")).into_bytes()
    };
    let selected: Vec<(&Target, &Projection)> = registry
        .selected(&model.targets)
        .filter_map(|target| Some((target, projections.get(target.name())?)))
        .collect();
    let script = selected.iter().find(|(target, _)| target.definition.install.script);
    let sections: Vec<Value> = selected
        .iter()
        .map(|(target, projection)| {
            let context = context(&model.plugin.name, projection, script.map(|(target, _)| target.name()));
            json!({
                "title": target.title(),
                "root": projection.root,
                "text": section(target, &context),
                "variables": variables(model, projection),
            })
        })
        .collect();
    let plugin = &model.plugin;
    let plugin = json!({
        "name": plugin.name,
        "version": plugin.version,
        "description": plugin.description,
    });
    let node = model.servers.iter().any(Server::is_compiled);
    let context = json!({"plugin": plugin, "sections": sections, "node": node});
    let mut files = BTreeMap::new();
    files.insert(INSTALL_DOCUMENT.to_owned(), render(INSTALL_DOCUMENT, DOCUMENT, &context));
    if let Some((_, projection)) = script {
        let context = json!({"name": model.plugin.name, "root": projection.root});
        files.insert(INSTALL_SCRIPT.to_owned(), render(INSTALL_SCRIPT, SCRIPT, &context));
    }
    files
}

/// What a section may say; `script` names the host whose folder the script copies.
fn context(name: &str, projection: &Projection, script: Option<&str>) -> Value {
    json!({
        "plugin": name,
        "root": projection.root,
        "marketplace": projection.marketplace,
        "servers": projection.servers,
        "script": script,
    })
}

/// The variables that the user must set for a host that cannot ask.
fn variables(model: &Model, projection: &Projection) -> Vec<Value> {
    let variable = |(name, key): (&String, &String)| {
        let setting = model.settings.iter().find(|setting| setting.key == *key)?;
        let default = setting.default.as_ref().map(|value| match value {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        });
        Some(json!({
            "name": name,
            "title": setting.title,
            "description": (setting.description != setting.title).then_some(&setting.description),
            "required": setting.required,
            "default": default,
        }))
    };
    projection.variables.iter().filter_map(variable).collect()
}

/// The host's section. A definition whose section cannot be rendered is refused when it is loaded.
fn section(target: &Target, context: &Value) -> String {
    let source = target.templates.get(SECTION);
    let text = source.and_then(|source| template::render(SECTION, source, context).ok());
    let text = text.unwrap_or_else(|| "Install the folder as the host's manual says.".to_owned());
    text.trim().to_owned()
}

/// Whether the host's section can be rendered.
pub(super) fn check(target: &Target) -> Result<(), String> {
    let Some(source) = target.templates.get(SECTION) else { return Ok(()) };
    let projection = Projection { marketplace: Some("m".to_owned()), ..Projection::default() };
    template::render(SECTION, source, context("p", &projection, None)).map(drop)
}
