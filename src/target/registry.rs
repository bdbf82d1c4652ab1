//! The hosts that a build knows: the built-in ones, and those that a project defines.

use super::definition::{Definition, DocumentRule, Shows};
use super::{schema::Schemas, template};
use crate::diagnostic::{Code, Diagnostic};
use crate::manifest::MANIFEST_FILE;
use crate::world::{Digest, Digester, Kind, Root, World, is_safe_relative};
use include_dir::{Dir, include_dir};
use std::collections::BTreeMap;
use std::path::Path;

static TARGETS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/targets");
static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/templates");
static SCHEMAS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/schemas/hosts");

const DEFINITION_FILE: &str = "target.toml";

/// One host, ready for use.
#[derive(Debug)]
pub struct Target {
    name: String,
    pub(super) definition: Definition,
    /// Template texts by file name without `.jinja`.
    pub(super) templates: BTreeMap<String, String>,
    pub(super) schemas: Schemas,
    fingerprint: Digest,
    builtin: bool,
}

impl Target {
    /// The name by which projects select it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name that people know.
    pub fn title(&self) -> &str {
        &self.definition.title
    }

    /// Everything that its definition says.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Digest of the definition, its templates and its schemas: equal hosts project equally.
    pub fn fingerprint(&self) -> Digest {
        self.fingerprint
    }

    /// The release of the host (or of the format) on which the definition rests.
    pub fn observed_version(&self) -> &str {
        &self.definition.observed.version
    }

    /// Whether the host comes with this tool.
    pub fn is_builtin(&self) -> bool {
        self.builtin
    }

    /// Whether the host takes components of that kind (`skills`, `commands`, `rules`).
    pub fn takes(&self, kind: &str) -> bool {
        self.definition.components.get(kind).is_some_and(|component| component.state.is_taken())
    }

    /// Reads a host from its files: `target.toml`, `<template>.jinja` and `<document>.schema.json`.
    fn load(name: &str, files: &BTreeMap<String, Vec<u8>>, builtin: bool) -> Result<Self, String> {
        let text = |bytes: &[u8], file: &str| {
            String::from_utf8(bytes.to_vec()).map_err(|_| format!("`{file}` is not UTF-8 text"))
        };
        let source = files.get(DEFINITION_FILE).ok_or_else(|| format!("`{DEFINITION_FILE}` is missing"))?;
        let source = text(source, DEFINITION_FILE)?;
        let definition: Definition =
            toml_edit::de::from_str(&source).map_err(|error| in_line(&source, &error))?;
        let mut templates = BTreeMap::new();
        let mut schemas = BTreeMap::new();
        let mut digester = Digester::new("target");
        digester.field(name.as_bytes());
        for (file, bytes) in files {
            if let Some(stem) = file.strip_suffix(".jinja") {
                templates.insert(stem.to_owned(), text(bytes, file)?);
            } else if let Some(stem) = file.strip_suffix(".schema.json") {
                schemas.insert(stem.to_owned(), text(bytes, file)?);
            } else if file != DEFINITION_FILE {
                continue;
            }
            digester.field(file.as_bytes()).field(bytes);
        }
        let target = Self {
            name: name.to_owned(),
            definition,
            templates,
            schemas: Schemas::new(schemas),
            fingerprint: digester.finish(),
            builtin,
        };
        target.check()?;
        Ok(target)
    }

    /// Whether the definition is whole: what it names is there and can be used.
    fn check(&self) -> Result<(), String> {
        let definition = &self.definition;
        for document in &definition.documents {
            self.check_document(document)?;
        }
        let roots = definition.relocation.iter().map(|place| &place.root).chain([&definition.root]);
        if let Some(root) = roots.filter(|root| !root.is_empty()).find(|root| !is_safe_relative(root)) {
            return Err(format!("`{root}` does not stay in the artifact"));
        }
        let named = |path: &String| path.contains("{plugin}");
        let mut paths = definition.documents.iter().map(|document| &document.path);
        if (named(&definition.root) || paths.any(named)) && definition.names.plugin.is_none() {
            return Err("paths with `{plugin}` need `names.plugin`".to_owned());
        }
        if self.takes("compiled-servers") && definition.mcp.entry.is_none() {
            return Err("`components.compiled-servers` needs `mcp.entry`".to_owned());
        }
        super::names::check_patterns(&definition.names)?;
        super::install::check(self)?;
        if self.builtin { Ok(()) } else { self.schemas.check() }
    }

    fn check_document(&self, document: &DocumentRule) -> Result<(), String> {
        let source = self
            .templates
            .get(&document.template)
            .ok_or_else(|| format!("template `{}.jinja` is missing", document.template))?;
        template::parse(&document.template, source)?;
        let schemas = document.schema.iter().chain(&self.definition.skills.schema);
        if let Some(schema) = schemas.into_iter().find(|name| !self.schemas.has(name)) {
            return Err(format!("schema `{schema}.schema.json` is missing"));
        }
        if !is_safe_relative(&document.path) {
            return Err(format!("`{}` does not stay in the artifact", document.path));
        }
        let shows_skills = self.definition.shows.get("skills") == Some(&Shows::Names);
        if document.path.contains("{skill}") && !(self.definition.mcp.one_skill && shows_skills) {
            return Err(
                "a path with `{skill}` needs `mcp.one-skill` and `shows.skills = \"names\"`".to_owned()
            );
        }
        Ok(())
    }
}

/// A TOML error with the line that it is about.
fn in_line(source: &str, error: &toml_edit::de::Error) -> String {
    let at = error.span().map_or(0, |span| span.start.min(source.len()));
    let line = source.get(..at).map_or(1, |before| before.matches('\n').count() + 1);
    let text = source.lines().nth(line - 1).unwrap_or_default().trim();
    format!("{DEFINITION_FILE}, line {line} (`{text}`): {}", error.message())
}

/// The hosts by name.
#[derive(Debug)]
pub struct Registry {
    targets: BTreeMap<String, Target>,
}

fn files_of(dir: Option<&Dir<'_>>, files: &mut BTreeMap<String, Vec<u8>>) {
    for file in dir.into_iter().flat_map(Dir::files) {
        if let Some(name) = file.path().file_name() {
            files.insert(name.to_string_lossy().into_owned(), file.contents().to_vec());
        }
    }
}

impl Registry {
    /// The hosts that come with this tool.
    ///
    /// # Panics
    /// When an embedded definition is broken, which the crate's tests exclude.
    pub fn builtin() -> Self {
        let mut targets = BTreeMap::new();
        for file in TARGETS.files().filter(|file| file.path().extension().is_some_and(|end| end == "toml")) {
            let name = file.path().file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let mut files = BTreeMap::new();
            files_of(TEMPLATES.get_dir(&name), &mut files);
            files_of(SCHEMAS.get_dir(&name), &mut files);
            files.insert(DEFINITION_FILE.to_owned(), file.contents().to_vec());
            let target = Target::load(&name, &files, true);
            let target = target.unwrap_or_else(|problem| panic!("target `{name}`: {problem}"));
            targets.insert(name, target);
        }
        Self { targets }
    }

    /// Adds the hosts that a project defines: for each name, the project-relative folder with `target.toml`, its
    /// templates (`*.jinja`) and schemas (`*.schema.json`).
    pub fn with_definitions(
        mut self,
        world: &dyn World,
        root: &Root,
        definitions: &BTreeMap<String, String>,
    ) -> (Self, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        for (name, folder) in definitions {
            let loaded = if self.targets.get(name).is_some_and(Target::is_builtin) {
                Err("the name belongs to a built-in target".to_owned())
            } else if !is_host_name(name) {
                Err("a target's name is lower-case letters, digits and hyphens".to_owned())
            } else {
                read_folder(world, root, folder).and_then(|files| Target::load(name, &files, false))
            };
            match loaded {
                Ok(target) => drop(self.targets.insert(name.clone(), target)),
                Err(problem) => diagnostics.push(
                    Diagnostic::new(Code::AB1004, format!("target `{name}` in `{folder}`: {problem}"))
                        .in_file(MANIFEST_FILE)
                        .target(name),
                ),
            }
        }
        (self, diagnostics)
    }

    /// The host of that name.
    pub fn get(&self, host: &str) -> Option<&Target> {
        self.targets.get(host)
    }

    /// All names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.targets.keys().map(String::as_str)
    }

    /// The known hosts among `names`, sorted by name.
    pub(super) fn selected<'a>(&'a self, names: &'a [String]) -> impl Iterator<Item = &'a Target> {
        self.targets.values().filter(|target| names.contains(&target.name))
    }

    /// All hosts.
    pub(super) fn all(&self) -> impl Iterator<Item = &Target> {
        self.targets.values()
    }
}

fn is_host_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

fn read_folder(world: &dyn World, root: &Root, folder: &str) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let folder = folder.strip_prefix("./").unwrap_or(folder).trim_end_matches('/');
    if !is_safe_relative(folder) {
        return Err("the folder lies outside the project".to_owned());
    }
    let path = root.absolute(folder);
    let entries = world.list(&path).map_err(|_| "the folder cannot be read".to_owned())?;
    let mut files = BTreeMap::new();
    for entry in entries {
        let name = entry.name.to_string_lossy().into_owned();
        let wanted =
            [".jinja", ".schema.json"].iter().any(|end| name.ends_with(end)) || name == DEFINITION_FILE;
        if entry.kind == Kind::Dir || !wanted {
            continue;
        }
        let bytes = world.read(&path.join(Path::new(&entry.name)));
        files.insert(name.clone(), bytes.map_err(|_| format!("`{name}` cannot be read"))?);
    }
    Ok(files)
}
