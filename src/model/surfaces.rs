//! Surfaces beside servers and documents: commands, events, scripts and state.

use super::{JsonObject, Model, Module, Server};
use serde::{Deserialize, Serialize};

/// What the project has of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Surfaces {
    /// The commands of the plugin's executable, by path.
    pub commands: Vec<Command>,
    /// Modules under `src/cli/`, by id.
    pub command_modules: Vec<Module>,
    /// Event routes, by id.
    pub events: Vec<Module>,
    /// Scripts, by name.
    pub scripts: Vec<Module>,
    /// `src/state.ts`.
    pub state: Option<Module>,
}

/// One command: a module of its own, or a tool under another name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Command {
    /// `cli:<path>` of a module, the tool's id otherwise.
    pub id: String,
    /// The words that call it.
    pub path: Vec<String>,
    /// Other last words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The module that declares it; the tool's own where nothing else does.
    pub source: String,
    /// What help says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it is called with `--yes` only.
    pub confirm: bool,
    /// Named options; empty where the input is one JSON object.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<CommandOption>,
    /// Keys that are given by position.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub positionals: Vec<String>,
}

/// One key of a command's input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommandOption {
    /// The key.
    pub key: String,
    /// Its spelling on the command line, without dashes.
    pub name: String,
    /// What it takes.
    pub kind: OptionKind,
    /// Whether the command line must give it.
    pub required: bool,
}

/// What an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptionKind {
    /// Nothing: it is there or not.
    Flag,
    /// A number.
    Number,
    /// Text.
    String,
    /// One of some words.
    Enum,
    /// Several values.
    Repeated,
}

/// What a route's literal `inputJsonSchema` says of its input. It checks nothing when a route is called: forms and option
/// names are made of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contract {
    /// `contract:<module>#inputJsonSchema`
    pub id: String,
    /// Where it is written.
    pub origin: ContractOrigin,
    /// The schema.
    pub input: JsonObject,
    /// The routes that it belongs to.
    pub routes: Vec<String>,
}

/// Where a contract is written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContractOrigin {
    /// Project-relative path.
    pub module: String,
    /// The key.
    pub binding: &'static str,
}

impl Model {
    /// The contracts of all routes, by id.
    pub fn contracts(&self) -> Vec<Contract> {
        const BINDING: &str = "inputJsonSchema";
        let routes = self.servers.iter().flat_map(Server::routes);
        let mut contracts: Vec<Contract> = routes
            .chain(&self.surfaces.command_modules)
            .filter_map(|route| {
                Some(Contract {
                    id: format!("contract:{}#{BINDING}", route.source),
                    origin: ContractOrigin { module: route.source.clone(), binding: BINDING },
                    input: route.config.get(BINDING)?.as_object()?.clone(),
                    routes: vec![route.id.clone()],
                })
            })
            .collect();
        contracts.sort_by(|a, b| a.id.cmp(&b.id));
        contracts
    }
}
