//! What an author's editor needs: declarations of the packages that the build provides, of the project's own routes,
//! and a `tsconfig.json` to extend. Everything lies in `.agent-bundle/`.
#![allow(clippy::disallowed_methods, reason = "the one room that writes `.agent-bundle/`")]

use crate::compile::runtime;
use crate::diagnostic::{Code, Diagnostic};
use crate::manifest::config_declaration;
use crate::model::{Model, ModuleKind, Server, pretty_json};
use crate::world::Root;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The folder.
pub const FOLDER: &str = ".agent-bundle";

/// Declarations of what a configuration is written with; nothing of them is there when a server runs.
const CONFIG_TYPES: &str = "agent-bundle/config.d.ts";
const PACKAGE_TYPES: &str = "agent-bundle/index.d.ts";

/// Files of the folder by relative path.
pub fn declarations(model: &Model) -> BTreeMap<String, Vec<u8>> {
    let mut files: BTreeMap<String, Vec<u8>> =
        runtime().types.iter().map(|(path, bytes)| (format!("types/{path}"), bytes.to_vec())).collect();
    files.insert(format!("types/{CONFIG_TYPES}"), config_declaration().into_bytes());
    files.insert(format!("types/{PACKAGE_TYPES}"), b"export * from './config.js';\n".to_vec());
    files.insert("tsconfig.json".to_owned(), pretty_json(&tsconfig()));
    files.insert("routes.d.ts".to_owned(), routes(model).into_bytes());
    files.insert(".gitignore".to_owned(), b"*\n".to_vec());
    files
}

/// Compiler options that fit what the build does; `paths` lead to the declarations beside it.
fn tsconfig() -> Value {
    let mut paths = Map::new();
    for path in runtime().types.keys().map(String::as_str).chain([CONFIG_TYPES, PACKAGE_TYPES]) {
        let specifier = path.trim_end_matches(".d.ts").trim_end_matches("/index");
        paths.insert(specifier.to_owned(), json!([format!("./types/{path}")]));
    }
    json!({
        "compilerOptions": {
            "allowImportingTsExtensions": true,
            "jsx": "react-jsx",
            "lib": ["ES2023"],
            "module": "ESNext",
            "moduleResolution": "bundler",
            "noEmit": true,
            "paths": paths,
            "resolveJsonModule": true,
            "skipLibCheck": true,
            "strict": true,
            "target": "ES2022",
            "verbatimModuleSyntax": true,
        },
        "files": ["./routes.d.ts"],
    })
}

/// What the rows of `routes.d.ts` stand on: the two sides of a schema, and what a factory gives.
const HEAD: &str = "\
// Made from the project's routes; changes are overwritten.
import type { AgentEventRouteProps, CanonicalAgentEvent } from 'agent-bundle/events';

type Side<Schema, Name extends 'input' | 'output'> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly [Key in Name]: infer Value } ? Value : unknown
  : unknown;
type Schemas<Parts> = Parts extends { readonly inputSchema: infer Input; readonly resultSchema: infer Result }
  ? { input: Side<Input, 'input'>; result: Side<Result, 'output'> }
  : { input: unknown; result: unknown };
type RouteTypes<Module> = Module extends { readonly inputSchema: unknown }
  ? Schemas<Module>
  : Module extends { readonly default: infer Definition } ? Schemas<Definition> : never;
type EventTypes<Event extends CanonicalAgentEvent> = {
  input: Omit<AgentEventRouteProps<Event>, 'signal'>;
  result: undefined;
};
type ProviderValue<Module> = Module extends { readonly default: (...context: never[]) => infer Value }
  ? Awaited<Value>
  : unknown;

declare module '@agent-bundle/runtime' {
";

/// The project's routes and providers as types.
fn routes(model: &Model) -> String {
    let mut rows = String::new();
    let routes = model.servers.iter().flat_map(Server::routes);
    let routes = routes.filter(|route| route.kind != ModuleKind::App);
    let routes = routes.map(|route| (route.id.as_str(), route.source.as_str()));
    // A command that is a tool under another name has the tool's row.
    let commands = model.surfaces.commands.iter().filter(|command| command.id.starts_with("cli:"));
    let commands = commands.map(|command| (command.id.as_str(), command.source.as_str()));
    for (id, source) in routes.chain(commands) {
        let module = json!(module_specifier(source));
        let _ = writeln!(rows, "      {}: RouteTypes<typeof import({module})>;", json!(id));
    }
    for event in &model.surfaces.events {
        let name = json!(event.id.trim_start_matches("event:"));
        let _ = writeln!(rows, "      {}: EventTypes<{name}>;", json!(event.id));
    }
    let mut providers = String::new();
    for provider in &model.providers {
        let module = json!(module_specifier(&provider.source));
        let _ = writeln!(providers, "    {}: ProviderValue<typeof import({module})>;", json!(provider.name));
    }
    format!(
        "{HEAD}  interface Register {{\n    routes: {{\n{rows}    }};\n  }}\n  interface AgentProviderValues {{\n{providers}  }}\n}}\n"
    )
}

fn module_specifier(source: &str) -> String {
    let stem = [".tsx", ".ts", ".jsx", ".js", ".mjs", ".cjs"]
        .iter()
        .find_map(|end| source.strip_suffix(end))
        .unwrap_or(source);
    format!("../{stem}.js")
}

/// Writes `files`; those that are the same already are not touched.
pub fn write_declarations(root: &Root, files: &BTreeMap<String, Vec<u8>>, diagnostics: &mut Vec<Diagnostic>) {
    for (path, bytes) in files {
        let to = root.absolute(&format!("{FOLDER}/{path}"));
        if fs::read(&to).is_ok_and(|old| old == *bytes) {
            continue;
        }
        if let Err(error) = replace(&to, bytes) {
            let message = format!("{FOLDER}/{path} cannot be written: {error}");
            diagnostics.push(Diagnostic::new(Code::AB5001, message));
            return;
        }
    }
}

/// A file is there whole or not at all.
fn replace(to: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let parent = to.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(parent)?;
    let temporary = tempfile::NamedTempFile::new_in(parent)?;
    fs::write(temporary.path(), bytes)?;
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(temporary.path(), fs::Permissions::from_mode(0o644))?;
    temporary.persist(to).map(drop).map_err(|error| error.error)
}
