//! Many projects under one root manifest: built on one pool, each with its own lock and record, over one store.

use super::pool::on_pool;
use super::{BuildReport, Hooks, Settings, build, open_root, place};
use crate::diagnostic::{Code, Diagnostic, has_errors, nearest, normalize};
use crate::discover::members;
use crate::manifest::{ProjectsManifest, load, load_projects};
use crate::workspace::document::Document;
use crate::workspace::plugin::stem;
use crate::world::{Root, World};
use rayon::prelude::*;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// One member's build.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemberReport {
    /// Directory, or the document of a setup bundle; relative to the root.
    pub project: String,
    /// Its report; places in it are relative to the project, or to the document's directory.
    #[serde(flatten)]
    pub report: BuildReport,
}

/// The build of all members.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ProjectsReport {
    /// Members by directory.
    pub projects: Vec<MemberReport>,
    /// Findings about the root manifest.
    pub diagnostics: Vec<Diagnostic>,
    /// Milliseconds of the whole.
    pub ms: f64,
}

impl ProjectsReport {
    /// Whether every member was built.
    pub fn succeeded(&self) -> bool {
        !has_errors(&self.diagnostics) && self.projects.iter().all(|member| member.report.succeeded())
    }
}

/// Builds the members of the root manifest at the settings' root; `only` picks some by directory, by its last part or
/// by plugin name. A member that fails stops no other. `None` where the manifest there is a project's own.
pub fn build_projects(
    settings: &Settings,
    only: &[String],
    world: &Arc<dyn World>,
    hooks: Hooks,
) -> Option<ProjectsReport> {
    let started = Instant::now();
    let root = open_root(&settings.root, world.as_ref()).ok()?;
    let manifest = load_projects(world.as_ref(), &root)?;
    let mut report = ProjectsReport::default();
    match manifest {
        Err(found) => report.diagnostics = found,
        Ok(manifest) => {
            let (directories, found) = members(world.as_ref(), &root, &manifest);
            report.diagnostics = found;
            let chosen = choose(&directories, only, world.as_ref(), &root, &mut report.diagnostics);
            if settings.output.is_some() {
                let message = "one output directory cannot hold several projects";
                let help = "leave out --output, or build one of them with --root";
                report.diagnostics.push(Diagnostic::new(Code::AB5005, message).help(help));
            }
            if !has_errors(&report.diagnostics) {
                let one = |project: String| {
                    let settings = member_settings(settings, &root, &manifest, &project);
                    let report = build(&settings, Arc::clone(world), hooks);
                    MemberReport { project, report }
                };
                report.projects = on_pool(settings.jobs, || chosen.into_par_iter().map(one).collect());
            }
        }
    }
    normalize(&mut report.diagnostics);
    report.ms = started.elapsed().as_secs_f64() * 1e3;
    Some(report)
}

impl MemberReport {
    /// Its findings with places relative to the root.
    pub fn findings(&self) -> Vec<Diagnostic> {
        below(&self.project, &self.report.diagnostics)
    }
}

/// What the member `project` is built with; a document has no targets of its own.
pub(super) fn member_settings(
    settings: &Settings,
    root: &Root,
    manifest: &ProjectsManifest,
    project: &str,
) -> Settings {
    let mut own = Settings { root: root.absolute(project), ..settings.clone() };
    if stem(project).is_some() && own.targets.is_none() {
        own.targets.clone_from(&manifest.data.projects.bundle_targets);
    }
    own
}

/// Findings of the member `project` with places relative to the root.
pub(super) fn below(project: &str, found: &[Diagnostic]) -> Vec<Diagnostic> {
    let directory = place(Path::new(project)).to_str().unwrap_or(project);
    let found = found.iter().cloned();
    found.map(|one| if directory == "." { one } else { one.below(directory) }).collect()
}

fn choose(
    directories: &[String],
    only: &[String],
    world: &dyn World,
    root: &Root,
    found: &mut Vec<Diagnostic>,
) -> Vec<String> {
    if only.is_empty() {
        return directories.to_vec();
    }
    let plugin = |directory: &str| {
        if stem(directory).is_some() {
            let bytes = world.read(&root.absolute(directory)).unwrap_or_default();
            return Document::parse(&bytes).map(|document| document.bundle.name).unwrap_or_default();
        }
        load(world, &Root::new(root.absolute(directory)))
            .map(|manifest| manifest.data.plugin.name)
            .unwrap_or_default()
    };
    let mut chosen: Vec<String> = Vec::new();
    for name in only {
        let fits = |directory: &&String| {
            *directory == name || directory.rsplit('/').next() == Some(name) || plugin(directory) == *name
        };
        let fitting: Vec<&String> = directories.iter().filter(fits).collect();
        if fitting.is_empty() {
            let near = nearest(name, directories.iter().map(String::as_str));
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("projects here: {}", directories.join(", ")),
            };
            found.push(Diagnostic::new(Code::AB5005, format!("there is no project `{name}`")).help(help));
        }
        chosen.extend(fitting.into_iter().cloned());
    }
    chosen.sort();
    chosen.dedup();
    chosen
}
