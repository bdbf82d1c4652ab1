//! What one host's documents show of a plugin, and nothing else.
//!
//! A slice is what a projection depends on. An edit that leaves it alone renders no document.

use super::definition::{Definition, Shows, When};
use super::{Registry, Target, capability, settings, tokens};
use crate::model::{Identity, JsonObject, Launch, Model, Server, Setting, Skill};
use crate::world::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What starts a server, whatever the host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum SliceLaunch {
    /// A program that the plugin carries.
    Local {
        /// Its path in the artifact.
        entry: String,
    },
    /// A program of the user's.
    Command {
        /// Program.
        command: String,
        /// Working directory.
        cwd: Option<String>,
    },
    /// A server elsewhere.
    Remote {
        /// Address.
        url: String,
        /// Request headers.
        headers: BTreeMap<String, String>,
    },
}

/// One server, whatever the host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SliceServer {
    /// Name.
    pub name: String,
    /// What starts it.
    pub launch: SliceLaunch,
    /// Arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
}

/// What one host's documents show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// The host.
    pub host: String,
    /// The plugin's name.
    pub name: String,
    /// The shown part of the plugin's identity.
    pub plugin: JsonObject,
    /// Servers that the host gets and can start, by name.
    pub servers: Vec<SliceServer>,
    /// Values that these servers need from the user, in the order of their declaration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Setting>,
    /// Kinds of components of which there are some, where the documents tell.
    pub present: BTreeSet<String>,
    /// Names of components by kind, where the documents tell.
    pub names: BTreeMap<String, Vec<String>>,
    /// The host's table of the manifest.
    pub table: JsonObject,
    /// Whether the manifest asks for a marketplace, where that makes a difference.
    pub marketplace: bool,
    /// Whether the projection lies in a folder of its own, lest it hide another host's documents.
    pub relocated: bool,
    /// Documents that are written empty, because another host's document lies where this host would look.
    pub shields: BTreeSet<String>,
}

/// The root-relative path at which the logo is shipped: its own among the assets, else directly below `assets/`.
pub fn logo_path(model: &Model) -> Option<String> {
    let logo = model.plugin.logo.as_ref()?;
    if model.assets.contains(logo) {
        return Some(logo.clone());
    }
    Some(format!("assets/{}", logo.rsplit('/').next()?))
}

/// The slices of all selected hosts that the registry knows.
pub fn slices(registry: &Registry, model: &Model) -> BTreeMap<String, Slice> {
    let targets: Vec<&Target> = registry.selected(&model.targets).collect();
    let mut slices: BTreeMap<String, Slice> = BTreeMap::new();
    for target in &targets {
        slices.insert(target.name().to_owned(), cut(target, model));
    }
    for target in &targets {
        if target.definition.relocation.is_some() && must_move(target, &targets, &slices, model) {
            slices.entry(target.name().to_owned()).and_modify(|slice| slice.relocated = true);
        }
    }
    let claimed: BTreeMap<&str, BTreeSet<String>> = targets
        .iter()
        .map(|target| (target.name(), root_documents(target, &slices[target.name()])))
        .collect();
    for target in &targets {
        let others = || claimed.iter().filter(|(host, _)| **host != target.name());
        let shields = target.definition.documents.iter().filter(|rule| {
            rule.fallback.as_ref().is_some_and(|path| others().any(|(_, paths)| paths.contains(path)))
                && !is_written(&rule.when, &slices[target.name()])
        });
        let shields = shields.map(|rule| rule.id.clone()).collect();
        slices.entry(target.name().to_owned()).and_modify(|slice| slice.shields = shields);
    }
    slices
}

/// Whether a document with that condition is written, shields aside.
pub(super) fn is_written(when: &When, slice: &Slice) -> bool {
    match when {
        When::Always => true,
        When::Servers => !slice.servers.is_empty(),
        When::Marketplace => slice.marketplace,
        When::Table(key) => slice.table.contains_key(key),
    }
}

/// The folder of the artifact from which the host installs.
pub(super) fn root(definition: &Definition, slice: &Slice) -> String {
    let root = match &definition.relocation {
        Some(place) if slice.relocated => &place.root,
        _ => &definition.root,
    };
    root.replace("{plugin}", &slice.name)
}

fn root_documents(target: &Target, slice: &Slice) -> BTreeSet<String> {
    if !root(&target.definition, slice).is_empty() {
        return BTreeSet::new();
    }
    let written = target.definition.documents.iter().filter(|rule| is_written(&rule.when, slice));
    written.map(|rule| rule.path.clone()).collect()
}

fn cut(target: &Target, model: &Model) -> Slice {
    let definition = &target.definition;
    let servers = model.servers.iter().filter(|server| {
        server.targets.iter().any(|host| host == target.name())
            && capability::server_refusal(target, server, model).is_none()
    });
    let mut present = BTreeSet::new();
    let mut names = BTreeMap::new();
    for (kind, shows) in &definition.shows {
        let components = component_names(target, model, kind);
        match shows {
            Shows::Presence if !components.is_empty() => drop(present.insert(kind.clone())),
            Shows::Presence => {}
            Shows::Names => drop(names.insert(kind.clone(), components)),
        }
    }
    let servers: Vec<SliceServer> = servers.map(neutral).collect();
    let needed: BTreeSet<String> = servers.iter().flat_map(settings::needed).collect();
    let reads_marketplace = definition.documents.iter().any(|rule| rule.when == When::Marketplace);
    Slice {
        host: target.name().to_owned(),
        name: model.plugin.name.clone(),
        plugin: identity(definition, &model.plugin, logo_path(model)),
        servers,
        settings: model.settings.iter().filter(|one| needed.contains(&one.key)).cloned().collect(),
        present,
        names,
        table: model.hosts.get(target.name()).cloned().unwrap_or_default(),
        marketplace: model.marketplace && reads_marketplace,
        relocated: false,
        shields: BTreeSet::new(),
    }
}

fn identity(definition: &Definition, plugin: &Identity, logo: Option<String>) -> JsonObject {
    let metadata = &plugin.metadata;
    let fields = [
        ("name", Some(Value::from(plugin.name.clone()))),
        ("version", Some(Value::from(plugin.version.clone()))),
        ("description", plugin.description.clone().map(Value::from)),
        ("logo", logo.map(Value::from)),
        ("author", metadata.author.as_ref().and_then(|author| serde_json::to_value(author).ok())),
        ("homepage", metadata.homepage.clone().map(Value::from)),
        ("keywords", metadata.keywords.clone().map(Value::from)),
        ("license", metadata.license.clone().map(Value::from)),
        ("repository", metadata.repository.clone().map(Value::from)),
    ];
    let shown = |field: &str| definition.identity.as_ref().is_none_or(|list| list.iter().any(|f| f == field));
    fields
        .into_iter()
        .filter(|(field, _)| shown(field))
        .filter_map(|(field, value)| Some((field.to_owned(), value?)))
        .collect()
}

pub(super) fn neutral(server: &Server) -> SliceServer {
    let launch = match &server.launch {
        Launch::Generated { .. } | Launch::Entry { .. } => SliceLaunch::Local { entry: server.entry_path() },
        Launch::Command { command, cwd } => {
            SliceLaunch::Command { command: command.clone(), cwd: cwd.clone() }
        }
        Launch::Remote { url, headers } => SliceLaunch::Remote { url: url.clone(), headers: headers.clone() },
    };
    SliceServer { name: server.name.clone(), launch, args: server.args.clone(), env: server.env.clone() }
}

/// Names of the components of one kind that reach the host.
pub(super) fn component_names(target: &Target, model: &Model, kind: &str) -> Vec<String> {
    let for_host = |targets: &Option<Vec<String>>| {
        targets.as_ref().is_none_or(|hosts| hosts.iter().any(|host| host == target.name()))
    };
    if !target.takes(kind) {
        return Vec::new();
    }
    match kind {
        "skills" => model.skills.iter().map(|skill| skill.name.clone()).collect(),
        "commands" | "rules" => {
            let list = if kind == "commands" { &model.commands } else { &model.rules };
            list.iter().filter(|one| for_host(&one.targets)).map(|one| one.name.clone()).collect()
        }
        _ => Vec::new(),
    }
}

/// Everything that reaches a user of the host, as kind and name.
fn carried(target: &Target, slice: &Slice, model: &Model) -> BTreeSet<(String, String)> {
    let mut all = BTreeSet::new();
    for kind in ["skills", "commands", "rules"] {
        all.extend(component_names(target, model, kind).into_iter().map(|name| (kind.to_owned(), name)));
    }
    all.extend(slice.servers.iter().map(|server| ("servers".to_owned(), server.name.clone())));
    let extra = target.definition.documents.iter().filter(|rule| matches!(rule.when, When::Table(_)));
    let extra = extra.filter(|rule| is_written(&rule.when, slice));
    all.extend(extra.map(|rule| ("documents".to_owned(), rule.id.clone())));
    all
}

/// Whether the projection of `mover` at the artifact's root would take something from another selected host, or
/// show it something that is not meant for it.
fn must_move(mover: &Target, targets: &[&Target], slices: &BTreeMap<String, Slice>, model: &Model) -> bool {
    let own = carried(mover, &slices[mover.name()], model);
    targets.iter().filter(|target| target.name() != mover.name()).any(|target| {
        let hidden = target.definition.hidden_by.iter().any(|host| host == mover.name());
        let shares_skills = target.definition.root.is_empty();
        hidden && carried(target, &slices[target.name()], model) != own
            || shares_skills && model.skills.iter().any(|skill| differs(skill, mover, target))
    })
}

/// Whether two hosts need different bytes of one skill's document.
pub(super) fn differs(skill: &Skill, one: &Target, other: &Target) -> bool {
    let form = |target: &Target| {
        let rule = &target.definition.skills;
        let spelled: Vec<_> = skill.tokens.iter().map(|token| rule.tokens.get(token)).collect();
        Digest::of(
            &serde_json::to_vec(&(skill.host_frontmatter.get(target.name()), spelled)).unwrap_or_default(),
        )
    };
    form(one) != form(other)
}

/// Whether the launch runs in the plugin's root.
pub(super) fn runs_in_root(launch: &SliceLaunch) -> bool {
    match launch {
        SliceLaunch::Local { .. } => true,
        SliceLaunch::Command { cwd, .. } => cwd.as_deref() == Some(tokens::PLUGIN_ROOT),
        SliceLaunch::Remote { .. } => false,
    }
}
