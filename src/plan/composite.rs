//! The node that merges everything into one tree.

use super::projection::read_projection;
use super::surface::SurfaceFacts;
use crate::artifact::LICENSES_FILE;
use crate::compile::{Package, runtime};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::{FileKind, FileRef, Job, JobContext, KeyWalk, Output};
use crate::model::Model;
use crate::target::{Projection, Registry, install_surface};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

/// Merges surfaces, documents and projections.
pub struct CompositeJob {
    /// Host definitions.
    pub registry: Arc<Registry>,
    /// The model; only identity and selection are read.
    pub model: Arc<Model>,
}

/// What the index needs to know of the merged tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CompositeFacts {
    /// Projections by host, without their files.
    pub projections: BTreeMap<String, Projection>,
    /// Bundles by artifact path.
    pub surfaces: BTreeMap<String, SurfaceFacts>,
    /// Paths that are copies of another path.
    pub copies: BTreeMap<String, String>,
}

impl Job for CompositeJob {
    fn walk(&self, walk: &mut dyn KeyWalk) {
        let identity = serde_json::to_value(&self.model.plugin).unwrap_or_default();
        walk.field("plugin", &crate::model::canonical_json(&identity));
        walk.field("targets", self.model.targets.join(",").as_bytes());
        super::documents::walk_targets(&self.registry, &self.model.targets, walk);
    }

    fn run(&self, context: &JobContext) -> Output {
        let mut merge = Merge::default();
        let mut facts = CompositeFacts::default();
        for (id, input) in &context.inputs {
            match id.split_once(':') {
                Some(("projection", host)) => {
                    drop(facts.projections.insert(host.to_owned(), read_projection(input)))
                }
                Some(("surface", _)) => {
                    let surface: SurfaceFacts =
                        serde_json::from_value(input.value.clone()).unwrap_or_default();
                    facts.surfaces.extend(input.files.keys().map(|path| (path.clone(), surface.clone())));
                    merge.add_all(&input.files, id);
                }
                _ => merge.add_all(&input.files, id),
            }
        }
        runtime_siblings(&facts, context, &mut merge);
        for host in facts.projections.keys() {
            merge.add_all(&context.inputs[&format!("projection:{host}")].files, host);
        }
        for (path, bytes) in install_surface(&self.registry, &self.model, &facts.projections) {
            merge.add(&path, context.file(FileKind::Generated, bytes), "the install surface");
        }
        let packages: BTreeSet<&Package> =
            facts.surfaces.values().flat_map(|surface| &surface.packages).collect();
        let has_runtime = facts.surfaces.values().any(|surface| !surface.roles.is_empty());
        if has_runtime || !packages.is_empty() {
            let text = licenses(&packages, if has_runtime { runtime().licenses } else { "" });
            merge.add(LICENSES_FILE, context.file(FileKind::Generated, text.into_bytes()), "the licences");
        }
        facts.copies = merge.mount(&facts.projections);
        let files = merge.files.into_iter().map(|(path, (file, _))| (path, file)).collect();
        Output { files, value: serde_json::to_value(facts).unwrap_or_default(), diagnostics: merge.found }
    }
}

/// Files with the name of who planned each.
#[derive(Default)]
struct Merge {
    files: BTreeMap<String, (FileRef, String)>,
    found: Vec<Diagnostic>,
}

impl Merge {
    fn add_all(&mut self, files: &BTreeMap<String, FileRef>, owner: &str) {
        for (path, file) in files {
            self.add(path, *file, owner);
        }
    }

    fn add(&mut self, path: &str, file: FileRef, owner: &str) {
        match self.files.get(path) {
            Some((other, _)) if other.digest == file.digest => {}
            Some((_, first)) => {
                let message = format!("{first} and {owner} plan different bytes for {path}");
                self.found.push(Diagnostic::new(Code::AB4103, message).generated(path));
            }
            None => drop(self.files.insert(path.to_owned(), (file, owner.to_owned()))),
        }
    }

    /// Copies shared folders to where a projection wants them too; a planned file wins.
    fn mount(&mut self, projections: &BTreeMap<String, Projection>) -> BTreeMap<String, String> {
        let shared = self.files.clone();
        let mut copies = BTreeMap::new();
        for (host, projection) in projections {
            for mount in &projection.mounts {
                let below =
                    shared.range(mount.from.clone()..).take_while(|(path, _)| path.starts_with(&mount.from));
                for (path, (file, _)) in below {
                    let to = format!("{}{}", mount.to, &path[mount.from.len()..]);
                    if let std::collections::btree_map::Entry::Vacant(place) = self.files.entry(to.clone()) {
                        place.insert((*file, host.clone()));
                        copies.insert(to, path.clone());
                    }
                }
            }
        }
        copies
    }
}

/// The runtime modules that the surfaces import, beside them.
fn runtime_siblings(facts: &CompositeFacts, context: &JobContext, merge: &mut Merge) {
    let roles = facts.surfaces.values().flat_map(|surface| &surface.roles);
    for role in runtime().closure(roles.map(String::as_str)).into_values() {
        let file = context.file(FileKind::Bundle, role.bytes.to_vec());
        merge.add(&format!("mcp/{}", role.file), file, "the runtime");
    }
}

fn licenses(packages: &BTreeSet<&Package>, runtime: &str) -> String {
    let mut text = String::from("Third-party software in the compiled files of this directory.\n");
    for package in packages {
        let license = package.license.as_deref().unwrap_or("no licence stated");
        let _ = write!(text, "\n{}\n{} {} ({license})\n\n", "-".repeat(80), package.name, package.version);
        if let Some(body) = &package.text {
            text.push_str(body.trim_end());
            text.push('\n');
        }
    }
    if !runtime.is_empty() {
        let _ = write!(text, "\n{}\nIn the runtime modules (mcp/runtime-*.mjs):\n\n", "=".repeat(80));
        text.push_str(runtime.trim_end());
        text.push('\n');
    }
    text
}
