//! A project looked at without building it.

use super::pool::on_pool;
use super::projects::{below, member_settings};
use super::{Opened, Prepared, Settings, prepare, tool_fingerprint};
use crate::compile::{Request, Surface};
use crate::diagnostic::{Diagnostic, has_errors, normalize};
use crate::discover::members;
use crate::engine::{Blobs, Engine, Node, Recall, Recalled};
use crate::manifest::{load_projects, output_directory};
use crate::model::Model;
use crate::target::{Projection, Registry, lower_skill, project, skill_outputs, slices};
use crate::world::{Digest, Root, Snapshot, World};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// No memory: everything runs.
struct Forgetful;

impl Recall for Forgetful {
    fn recall(
        &self,
        _node: &Node,
        _key: &Digest,
        _fields: &dyn Fn() -> Vec<(String, String)>,
    ) -> Result<Recalled, String> {
        Err("nothing is remembered here".to_owned())
    }
}

/// What validation and inspection know: everything that a build would report before it bundles.
pub struct Inspection {
    /// The project's root, when it can be opened.
    pub root: Option<Root>,
    /// The model, when there is one.
    pub model: Option<Model>,
    /// Known hosts.
    pub registry: Arc<Registry>,
    /// Findings.
    pub diagnostics: Vec<Diagnostic>,
}

impl Inspection {
    /// Looks at the project of `settings`.
    pub fn of(settings: &Settings, world: Arc<dyn World>) -> Self {
        let alone = |root: Option<Root>, diagnostics| Self {
            root,
            model: None,
            registry: Arc::new(Registry::builtin()),
            diagnostics,
        };
        let opened = match Opened::new(&settings.root, Arc::clone(&world)) {
            Ok(opened) => opened,
            Err(found) => return alone(None, found),
        };
        let root = opened.root.clone();
        if let Some(found) = members_of(settings, &world, &root) {
            return alone(Some(root), found);
        }
        let blobs = Blobs::default();
        let engine = Engine {
            world: Arc::new(Snapshot::new(Arc::clone(&opened.world))),
            root: Arc::new(root.clone()),
            tool: tool_fingerprint(),
            blobs: &blobs,
            recall: &Forgetful,
            progress: &|_| {},
            started: Instant::now(),
        };
        let Prepared { manifest, model, registry, mut diagnostics, done, .. } =
            on_pool(settings.jobs, || {
                prepare(&engine, opened.document.as_ref(), settings.targets.as_deref(), &|_| {})
            });
        diagnostics.extend(done.values().flat_map(|run| run.output.diagnostics.iter().cloned()));
        let output = manifest.as_ref().map(|manifest| {
            output_directory(manifest, settings.output.as_deref(), engine.world.as_ref(), &root)
        });
        diagnostics.extend(output.and_then(Result::err).map(|problem| *problem));
        let mut inspection = Self { root: Some(root), model, registry, diagnostics };
        if !inspection.failed() {
            let found = inspection.projections().into_values().flat_map(|projection| projection.diagnostics);
            let found: Vec<Diagnostic> = found.collect();
            inspection.diagnostics.extend(found);
            inspection.check_skills(engine.world.as_ref());
        }
        if let Some(manifest) = manifest {
            let found = std::mem::take(&mut inspection.diagnostics).into_iter();
            inspection.diagnostics = found.map(|one| manifest.own(one)).collect();
        }
        opened.placed(&mut inspection.diagnostics);
        normalize(&mut inspection.diagnostics);
        inspection
    }

    /// Whether a build would stop here.
    pub fn failed(&self) -> bool {
        has_errors(&self.diagnostics)
    }

    /// What each selected host gets.
    pub fn projections(&self) -> BTreeMap<String, Projection> {
        let Some(model) = &self.model else { return BTreeMap::new() };
        let slices = slices(&self.registry, model);
        slices
            .into_iter()
            .filter_map(|(host, slice)| Some((host.clone(), project(self.registry.get(&host)?, &slice))))
            .collect()
    }

    /// What the bundler would get, by artifact path.
    pub fn surfaces(&self) -> Vec<(String, Request)> {
        let Some(model) = &self.model else { return Vec::new() };
        let surface = |server| Surface {
            plugin: &model.plugin,
            server,
            root_layout: model.root_layout.as_ref(),
            providers: &model.providers,
        };
        let servers = model.servers.iter();
        servers.filter_map(|server| Some((server.entry_path(), surface(server).request()?))).collect()
    }

    /// What the hosts would say of the skills as they would be emitted.
    fn check_skills(&mut self, world: &dyn World) {
        let (Some(root), Some(model)) = (&self.root, &self.model) else { return };
        let slices = slices(&self.registry, model);
        for skill in &model.skills {
            let path = root.absolute(&format!("{}/SKILL.md", skill.directory));
            let Ok(source) = world.read(&path) else { continue };
            for output in skill_outputs(&self.registry, model, &slices, skill) {
                self.diagnostics.extend(lower_skill(&self.registry, &output, skill, &source).diagnostics);
            }
        }
    }
}

/// What is found in all members, where the manifest is a root manifest.
fn members_of(settings: &Settings, world: &Arc<dyn World>, root: &Root) -> Option<Vec<Diagnostic>> {
    let manifest = match load_projects(world.as_ref(), root)? {
        Ok(manifest) => manifest,
        Err(found) => return Some(found),
    };
    let (directories, mut found) = members(world.as_ref(), root, &manifest);
    for directory in directories {
        let settings = member_settings(settings, root, &manifest, &directory);
        let inspection = Inspection::of(&settings, Arc::clone(world));
        found.extend(below(&directory, &inspection.diagnostics));
    }
    normalize(&mut found);
    Some(found)
}
