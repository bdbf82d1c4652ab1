//! The virtual modules of a surface: what a generated server starts at.
//!
//! Route modules are imported statically, as namespaces, in the order of their ids; providers are imported when they
//! are asked for. The boot module comes first, so that output is redirected and the environment is complete before
//! any module of the author evaluates.

use super::{ENTRY, Request, SOURCE};
use crate::model::{Identity, JsonObject, Launch, Module, ModuleKind, Server};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

const BOOT: &str = "agent-bundle:boot";

/// What a surface is made of.
#[derive(Debug, Clone, Copy)]
pub struct Surface<'a> {
    /// The plugin.
    pub plugin: &'a Identity,
    /// The server.
    pub server: &'a Server,
    /// `src/layout`.
    pub root_layout: Option<&'a Module>,
    /// All providers.
    pub providers: &'a [Module],
}

impl Surface<'_> {
    /// The bundle that makes this surface; `None` for servers that the plugin does not carry.
    pub fn request(&self) -> Option<Request> {
        let entry = match &self.server.launch {
            Launch::Generated { routes, layout } => self.generated(routes, layout.as_ref()),
            Launch::Entry { module } => self.handwritten(module),
            Launch::Command { .. } | Launch::Remote { .. } => return None,
        };
        let modules = BTreeMap::from([(ENTRY.to_owned(), entry), (BOOT.to_owned(), self.boot())]);
        Some(Request { modules, meta: meta(self.plugin) })
    }

    fn boot(&self) -> String {
        let settings = json!({"label": self.server.name, "manifestEnv": self.server.env});
        format!(
            "import {{ bootStdio }} from \"agent-bundle:mcp\";\nbootStdio({{ entryUrl: import.meta.url, ...{} }});\n",
            literal(&settings)
        )
    }

    fn handwritten(&self, module: &Module) -> String {
        format!(
            "import \"{BOOT}\";\nimport {{ serveFactory }} from \"agent-bundle:mcp\";\nimport * as entry from {};\n\
             await serveFactory({{ label: {}, module: entry }});\n",
            source(module),
            literal(&json!(self.server.name)),
        )
    }

    fn generated(&self, routes: &[Module], layout: Option<&Module>) -> String {
        let mut imports =
            format!("import \"{BOOT}\";\nimport {{ serveGenerated }} from \"agent-bundle:mcp\";\n");
        let mut count = 0;
        let mut import = |module: &Module| {
            let name = format!("m{count}");
            count += 1;
            let _ = writeln!(imports, "import * as {name} from {};", source(module));
            name
        };
        let layouts = [("root", self.root_layout), ("server", layout)];
        let layouts: Vec<String> = layouts
            .into_iter()
            .filter_map(|(scope, layout)| Some((scope, layout?)))
            .map(|(scope, layout)| row(&json!({"id": layout.id, "scope": scope}), &import(layout)))
            .collect();
        let rows: Vec<String> = routes
            .iter()
            .filter(|route| route.kind != ModuleKind::App)
            .map(|route| {
                let facts = json!({
                    "kind": route.kind.word(), "id": route.id, "name": route.name, "config": route.config,
                });
                row(&facts, &import(route))
            })
            .collect();
        let providers: Vec<String> = self
            .providers
            .iter()
            .map(|provider| {
                format!(
                    "{{ key: {}, load: () => import({}) }}",
                    literal(&json!(provider.name)),
                    source(provider)
                )
            })
            .collect();
        let plugin = json!({
            "name": self.plugin.name, "version": self.plugin.version, "description": self.plugin.description,
        });
        let server = json!({"id": format!("mcp:{}", self.server.name), "name": self.server.name});
        format!(
            "{imports}await serveGenerated({{\n  plugin: {},\n  server: {},\n  layouts: [{}],\n  providers: [{}],\n  \
             routes: [{}],\n}});\n",
            literal(&without_nulls(plugin)),
            literal(&server),
            layouts.join(", "),
            providers.join(", "),
            rows.join(", "),
        )
    }
}

/// `{ ...facts, module: name }`.
fn row(facts: &Value, module: &str) -> String {
    format!("{{ ...{}, module: {module} }}", literal(facts))
}

/// JSON is JavaScript, but for one key: `__proto__` in an object literal is not a member.
fn literal(value: &Value) -> String {
    let text = value.to_string();
    if text.contains("\"__proto__\"") { format!("JSON.parse({})", json!(text)) } else { text }
}

fn source(module: &Module) -> String {
    json!(format!("{SOURCE}{}", module.source)).to_string()
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            Value::Object(members.into_iter().filter(|(_, member)| !member.is_null()).collect::<JsonObject>())
        }
        other => other,
    }
}

/// The text of `agent-bundle/meta`.
fn meta(plugin: &Identity) -> String {
    let facts = [
        ("name", json!(plugin.name)),
        ("packageName", json!(plugin.package_name)),
        ("packageVersion", json!(plugin.package_version)),
        ("version", json!(plugin.version)),
    ];
    let mut text = String::new();
    for (name, value) in &facts {
        let value = if value.is_null() { "undefined".to_owned() } else { value.to_string() };
        let _ = writeln!(text, "export const {name} = {value};");
    }
    text.push_str(
        "export const meta = { name, packageName, packageVersion, version };\nexport default meta;\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_javascript_reads_otherwise_is_kept() {
        assert_eq!(literal(&json!({"a": 1})), "{\"a\":1}");
        assert!(literal(&json!({"__proto__": 1})).starts_with("JSON.parse("));
    }
}
