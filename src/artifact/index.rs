//! The canonical index, `agent-bundle.manifest.json`: what consumers read instead of guessing from the tree.
//! Bytes are canonical JSON; a reader that re-serialises gets the same bytes.

use crate::engine::FileKind;
use crate::world::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Version of the index's contract; readers refuse any other.
pub const INDEX_VERSION: u32 = 5;

/// The whole index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "agent-bundle artifact index")]
pub struct Index {
    /// Who the plugin is.
    pub application: Application,
    /// How the artifact was made.
    pub compiler: Compiler,
    /// Where it can be installed from.
    pub distribution: Distribution,
    /// What can be started.
    pub executables: Executables,
    /// Every emitted file except this one, by path.
    pub files: Vec<FileRow>,
    /// Always 5.
    pub manifest_version: u32,
    /// Hosts, by name.
    pub projections: Vec<ProjectionRow>,
    /// Routes, by server.
    pub routes: Routes,
    /// What the executables need.
    pub runtime: Runtime,
}

/// Identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Application {
    /// Host-native id.
    pub id: String,
    /// Name.
    pub name: String,
    /// Version.
    pub version: String,
    /// One sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// How the artifact was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Compiler {
    /// Version of this section.
    pub record_version: u32,
    /// The program.
    pub producer: Producer,
    /// The project.
    pub project: Project,
    /// Sources of each file, by path.
    pub provenance: Vec<Provenance>,
    /// Host definitions used, by host.
    pub adapters: Vec<Adapter>,
    /// Checks that the tree passed before it was published.
    pub validation: BTreeMap<String, String>,
}

/// A program and its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Producer {
    /// Name.
    pub name: String,
    /// Version.
    pub version: String,
}

/// The project as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Project {
    /// Path of the manifest.
    pub config_path: String,
    /// SHA-256 of the manifest.
    pub config_digest: String,
    /// SHA-256 of the model's canonical JSON.
    pub model_digest: String,
    /// SHA-256 over the source inputs.
    pub revision: String,
    /// Project files that the build read, by path.
    pub source_inputs: Vec<SourceInput>,
    /// npm name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package_name: Option<String>,
    /// npm version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package_version: Option<String>,
}

/// One source file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SourceInput {
    /// Project-relative path.
    pub path: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
}

/// Where a file's content comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Provenance {
    /// Artifact path.
    pub path: String,
    /// Project-relative sources; empty where the file is rendered from the model.
    pub source_inputs: Vec<String>,
}

/// A host definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Adapter {
    /// Host.
    pub host: String,
    /// Fingerprint of definition, templates and schemas.
    pub adapter_revision: String,
    /// Host version on which its behaviour was seen.
    pub observed_version: String,
}

/// Where it can be installed from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Distribution {
    /// `local`, and `npm` where the project has a package name.
    pub channels: BTreeSet<Channel>,
    /// Install surface.
    pub install: InstallSurface,
}

/// A way to distribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// From the directory itself.
    Local,
    /// From an npm package.
    Npm,
}

/// Install documents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InstallSurface {
    /// Path of the instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Path of the script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
}

/// What can be started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Executables {
    /// Servers by id.
    pub mcp_servers: Vec<McpServerRow>,
}

/// One server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct McpServerRow {
    /// `mcp:<name>`.
    pub id: String,
    /// Name.
    pub name: String,
    /// `stdio` or `streamable-http`.
    pub transport: String,
    /// Where its program comes from.
    pub kind: ServerKind,
    /// Hosts that get it.
    pub hosts: Vec<String>,
    /// How to start it; exactly for compiled servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch: Option<Launch>,
}

/// Where a server's program comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ServerKind {
    /// Carried by the plugin.
    Compiled,
    /// A program of the user's machine.
    Command,
    /// Elsewhere.
    Remote,
}

/// How to start a compiled server: `node <entry> <args>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Launch {
    /// Artifact path of the module.
    pub entry: String,
    /// Arguments.
    pub args: Vec<Argument>,
    /// Environment; tokens stay unexpanded.
    pub env: BTreeMap<String, String>,
}

/// One argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Argument {
    /// A path inside the artifact.
    Artifact {
        /// Artifact path.
        path: String,
    },
    /// Text as it is.
    Literal {
        /// The text.
        value: String,
    },
}

/// One emitted file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileRow {
    /// Artifact path.
    pub path: String,
    /// Size.
    pub bytes: u64,
    /// SHA-256.
    pub sha256: String,
    /// How it came to be.
    #[schemars(with = "String")]
    pub kind: FileKind,
}

/// One host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProjectionRow {
    /// Host.
    pub host: String,
    /// The built-in host that this is, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub built_in_host: Option<String>,
    /// Directory that the host installs, relative to the artifact; empty for the artifact itself.
    pub root: String,
    /// Documents by role (`plugin`, `marketplace`, `mcp`, `entry`).
    pub documents: BTreeMap<String, String>,
    /// The marketplace it can be installed from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marketplace: Option<Marketplace>,
}

/// A marketplace document's identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Marketplace {
    /// Its name.
    pub name: String,
}

/// Routes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Routes {
    /// SHA-256 over route identities.
    pub digest: String,
    /// Servers by id.
    pub servers: Vec<ServerRow>,
    /// Providers by id.
    pub providers: Vec<ProviderRow>,
    /// Layouts by id.
    pub layouts: Vec<LayoutRow>,
}

/// A server's routes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ServerRow {
    /// `mcp:<name>`.
    pub id: String,
    /// Name.
    pub name: String,
    /// `generated`, `custom`, `command` or `remote`.
    pub mode: String,
    /// Routes by id.
    pub routes: Vec<RouteRow>,
}

/// One route.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RouteRow {
    /// Id.
    pub id: String,
    /// Kind.
    pub kind: String,
    /// Source module.
    pub source: String,
    /// What the route does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Static input metadata.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Value>,
}

/// One provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProviderRow {
    /// Id.
    pub id: String,
    /// Key.
    pub name: String,
    /// Source module.
    pub source: String,
}

/// One layout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LayoutRow {
    /// Id.
    pub id: String,
    /// `root` or `server`.
    pub scope: String,
    /// Server of a server layout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_id: Option<String>,
    /// Source module.
    pub source: String,
}

/// What executables need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Runtime {
    /// Lowest Node.js version.
    pub node: String,
}

/// The evidence file: what each compiled file keeps as an import and what it carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "agent-bundle compile evidence")]
pub struct Evidence {
    /// The rule that was held.
    pub policy: String,
    /// Who compiled.
    pub producer: Producer,
    /// Compiled files by path.
    pub files: Vec<EvidenceRow>,
}

/// One compiled file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvidenceRow {
    /// Artifact path.
    pub path: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// Requests that stayed imports: Node built-ins and siblings.
    pub externals: Vec<String>,
    /// Third-party packages inside, `name@version`.
    pub packages: Vec<String>,
}

/// The policy that the evidence speaks of.
pub const POLICY: &str = "builtins-and-siblings-1";

impl FileRow {
    /// The row of a file.
    pub fn new(path: &str, file: &crate::engine::FileRef) -> Self {
        Self { path: path.to_owned(), bytes: file.size, sha256: file.digest.to_string(), kind: file.kind }
    }

    /// The digest; `None` where the row is malformed.
    pub fn digest(&self) -> Option<Digest> {
        Digest::parse(&self.sha256)
    }
}

impl Index {
    /// Canonical bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        crate::model::canonical_json(&serde_json::to_value(self).unwrap_or_default())
    }

    /// Reads an index; anything but canonical bytes of this version is refused with the reason.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let index: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if index.manifest_version != INDEX_VERSION {
            return Err(format!(
                "its version is {}, this reader knows {INDEX_VERSION}",
                index.manifest_version
            ));
        }
        if index.to_bytes() != bytes {
            return Err("its bytes are not canonical".to_owned());
        }
        let paths: Vec<&str> = index.files.iter().map(|row| row.path.as_str()).collect();
        if paths.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err("its file rows are not sorted or repeat a path".to_owned());
        }
        Ok(index)
    }
}

/// JSON Schema of the index.
pub fn index_schema() -> Value {
    crate::model::schema_of::<Index>()
}

/// JSON Schema of the evidence.
pub fn evidence_schema() -> Value {
    crate::model::schema_of::<Evidence>()
}

#[cfg(test)]
pub(crate) mod tests_support {
    use super::*;

    /// A small index over `files`.
    pub(crate) fn index_of(files: &BTreeMap<String, Vec<u8>>) -> Index {
        let row = |path: &str, bytes: &[u8]| {
            let file = crate::engine::FileRef {
                digest: Digest::of(bytes),
                size: bytes.len() as u64,
                kind: FileKind::Generated,
            };
            FileRow::new(path, &file)
        };
        let producer = Producer { name: "agent-bundle".to_owned(), version: "0".to_owned() };
        Index {
            application: Application {
                id: "x".to_owned(),
                name: "x".to_owned(),
                version: "1.0.0".to_owned(),
                description: None,
            },
            compiler: Compiler {
                record_version: 1,
                producer,
                project: Project {
                    config_path: "agent-bundle.toml".to_owned(),
                    config_digest: String::new(),
                    model_digest: String::new(),
                    revision: String::new(),
                    source_inputs: Vec::new(),
                    package_name: None,
                    package_version: None,
                },
                provenance: Vec::new(),
                adapters: Vec::new(),
                validation: BTreeMap::new(),
            },
            distribution: Distribution {
                channels: BTreeSet::from([Channel::Local]),
                install: InstallSurface::default(),
            },
            executables: Executables::default(),
            files: files.iter().map(|(path, bytes)| row(path, bytes)).collect(),
            manifest_version: INDEX_VERSION,
            projections: Vec::new(),
            routes: Routes::default(),
            runtime: Runtime { node: "20.0.0".to_owned() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::tests_support::index_of;
    use super::*;

    #[test]
    fn only_canonical_bytes_of_this_version_are_read() {
        let index = index_of(&BTreeMap::from([("a".to_owned(), vec![1]), ("b".to_owned(), vec![2])]));
        let bytes = index.to_bytes();
        assert_eq!(Index::from_bytes(&bytes).as_ref(), Ok(&index));
        let value: Value = serde_json::from_slice(&bytes).unwrap();
        assert!(Index::from_bytes(&crate::model::pretty_json(&value)).is_err());
        for version in [4, 6] {
            let mut other = index.clone();
            other.manifest_version = version;
            assert!(Index::from_bytes(&other.to_bytes()).is_err());
        }
        let mut twice = index.clone();
        twice.files.push(index.files[0].clone());
        assert!(Index::from_bytes(&twice.to_bytes()).is_err());
        let duplicate_key = String::from_utf8(bytes).unwrap().replacen('{', "{\"manifestVersion\":5,", 1);
        assert!(Index::from_bytes(duplicate_key.as_bytes()).is_err());
    }

    #[test]
    fn the_schema_accepts_what_the_reader_accepts() {
        let index = index_of(&BTreeMap::from([("a".to_owned(), vec![1])]));
        let schema = jsonschema::validator_for(&index_schema()).unwrap();
        let value: Value = serde_json::from_slice(&index.to_bytes()).unwrap();
        assert!(schema.is_valid(&value));
        let mut odd = value.clone();
        odd["unknown"] = Value::Null;
        assert!(!schema.is_valid(&odd));
    }
}
