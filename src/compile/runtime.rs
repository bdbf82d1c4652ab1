//! The embedded runtime: constant ES modules by role, built once when this crate was.

use include_dir::{Dir, include_dir};
use oxc::allocator::Allocator;
use oxc::parser::Parser;
use oxc::span::SourceType;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

static DIST: Dir<'static> = include_dir!("$AGENT_BUNDLE_RUNTIME");

/// Specifiers that the core role serves: React under the server condition, and our own packages.
const CORE: [&str; 6] = [
    "react",
    "react/jsx-runtime",
    "react/jsx-dev-runtime",
    "agent-bundle/routes",
    "agent-bundle/launch-env",
    "@agent-bundle/runtime",
];

/// Specifiers that the protocol role serves; the second is the generated entries' own.
const MCP: [&str; 2] = ["agent-bundle/mcp-entry", "agent-bundle:mcp"];

/// One runtime module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeRole {
    /// `core`, `decoder`, `mcp`.
    pub name: String,
    /// File name: `runtime-<role>-<hash>.mjs`.
    pub file: String,
    /// Roles that it imports.
    pub imports: Vec<String>,
    /// All requests that it keeps as imports, sorted.
    pub externals: Vec<String>,
    /// Its bytes.
    pub bytes: &'static [u8],
}

impl RuntimeRole {
    /// The names that the module exports, sorted.
    fn exports(&self) -> BTreeSet<String> {
        let allocator = Allocator::default();
        let text = std::str::from_utf8(self.bytes).unwrap_or_default();
        let parsed = Parser::new(&allocator, text, SourceType::mjs()).parse();
        parsed.module_record.exported_bindings.keys().map(|name| name.to_string()).collect()
    }
}

/// The names that a runtime specifier gives to modules that run in servers; `None` for any other specifier.
pub fn server_exports(specifier: &str) -> Option<&'static BTreeSet<String>> {
    static CORE_EXPORTS: LazyLock<BTreeSet<String>> =
        LazyLock::new(|| runtime().role("core").map(RuntimeRole::exports).unwrap_or_default());
    CORE.contains(&specifier).then(|| &*CORE_EXPORTS)
}

/// All roles, with the licences and the declarations that belong to them.
#[derive(Debug)]
pub struct Runtime {
    roles: BTreeMap<String, RuntimeRole>,
    /// Licences of what the roles carry.
    pub licenses: &'static str,
    /// Declaration files for authors, by path below `types/`.
    pub types: BTreeMap<String, &'static [u8]>,
}

#[derive(Deserialize)]
struct Description {
    roles: BTreeMap<String, RoleDescription>,
    licenses: String,
    types: Vec<String>,
}

#[derive(Deserialize)]
struct RoleDescription {
    file: String,
    imports: Vec<String>,
    #[serde(default)]
    externals: Vec<String>,
}

/// The embedded runtime.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(Runtime::embedded);
    &RUNTIME
}

/// The bytes of a file that `build.rs` checked to be there.
fn bytes(path: &str) -> &'static [u8] {
    DIST.get_file(path).map(include_dir::File::contents).unwrap_or_default()
}

impl Runtime {
    fn embedded() -> Self {
        let description: Description =
            serde_json::from_slice(bytes("runtime.json")).expect("build.rs checked runtime.json");
        let roles = description.roles.into_iter().map(|(name, role)| {
            let bytes = bytes(&role.file);
            (
                name.clone(),
                RuntimeRole {
                    name,
                    file: role.file,
                    imports: role.imports,
                    externals: role.externals,
                    bytes,
                },
            )
        });
        let types =
            description.types.iter().map(|path| (path.trim_start_matches("types/").to_owned(), bytes(path)));
        Self {
            roles: roles.collect(),
            licenses: std::str::from_utf8(bytes(&description.licenses)).unwrap_or_default(),
            types: types.collect(),
        }
    }

    /// A role by name.
    pub fn role(&self, name: &str) -> Option<&RuntimeRole> {
        self.roles.get(name)
    }

    /// All roles by name.
    pub fn roles(&self) -> impl Iterator<Item = &RuntimeRole> {
        self.roles.values()
    }

    /// The role whose file has this name.
    pub fn role_of_file(&self, file: &str) -> Option<&str> {
        self.roles.values().find(|role| role.file == file).map(|role| role.name.as_str())
    }

    /// The role that serves an import specifier.
    pub fn role_of_specifier(&self, specifier: &str) -> Option<&RuntimeRole> {
        let role = match specifier {
            _ if CORE.contains(&specifier) => "core",
            _ if MCP.contains(&specifier) => "mcp",
            _ => return None,
        };
        self.role(role)
    }

    /// `roles` with everything that they import.
    pub fn closure<'a>(
        &'a self,
        roles: impl IntoIterator<Item = &'a str>,
    ) -> BTreeMap<&'a str, &'a RuntimeRole> {
        let mut found = BTreeMap::new();
        let mut open: Vec<&str> = roles.into_iter().collect();
        while let Some(role) = open.pop().and_then(|name| self.role(name)) {
            if found.insert(role.name.as_str(), role).is_none() {
                open.extend(role.imports.iter().map(String::as_str));
            }
        }
        found
    }
}
