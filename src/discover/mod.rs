//! Which files are what: the conventions table applied to the project tree.
//!
//! Only directories that a convention names are listed, each once, and no file is opened. Links are not followed: a
//! link where a conventional file is meant is read through when it leads to a regular file of the project.

mod assets;
mod blocks;
mod declared;
mod documents;
mod globs;
mod inventory;
mod members;
mod names;
mod providers;
mod servers;
mod skills;
mod surfaces;
mod tree;

pub use inventory::{DocumentFile, Inventory, ModuleFile, ServerFiles, SkillDir, Unsupported};
pub use members::members;
pub(crate) use names::{is_identity, pointer};

use crate::diagnostic::{Diagnostic, normalize};
use crate::manifest::{Bin, Manifest, Program};
use crate::world::{Kind, Root, World};
use std::collections::BTreeSet;
use tree::{Item, Tree};

/// The output directory where the manifest names none.
const DEFAULT_OUTPUT: &str = "artifact";

/// What the conventions and the manifest make of the tree below `root`, with every problem that names and places
/// show. Modules that the manifest names as entries are left out: they are no longer conventional. The same tree gives
/// the same inventory and the same findings, in the same order.
pub fn discover(world: &dyn World, root: &Root, manifest: &Manifest) -> (Inventory, Vec<Diagnostic>) {
    let output = manifest.data.output.path.as_deref().unwrap_or(DEFAULT_OUTPUT);
    let mut tree = Tree::new(world, root, plain(output), claims(manifest));
    let source = tree.top("src");
    let mcp = below(&mut tree, &source, "mcp");
    let (servers, projections) = servers::find(&mut tree, &mcp, manifest);
    let root_layout = servers::layout(&mut tree, &source, None);
    let modules = below(&mut tree, &source, "providers");
    let providers = providers::find(&mut tree, &modules);
    let directories = below(&mut tree, &source, "skills");
    let (skills, mut unsupported) = skills::find(&mut tree, &directories, manifest);
    let items = below(&mut tree, &source, "commands");
    let commands = documents::find(&mut tree, &items, "md", "a command");
    let items = below(&mut tree, &source, "rules");
    let rules = documents::find(&mut tree, &items, "mdc", "a rule");
    let assets = assets::find(&mut tree, manifest);
    let surfaces::Surfaces { modules: mut surfaces, others } = surfaces::find(&mut tree, &source, manifest);
    surfaces.extend(projections);
    surfaces.sort_by(|a, b| a.source.cmp(&b.source));
    unsupported.extend(others);
    unsupported.sort_by(|a, b| a.source.cmp(&b.source));
    documents::report_removed_locations(&mut tree, &skills);
    let missing = declared::check(&mut tree, manifest);
    blocks::check(&mut tree, manifest, &surfaces);
    let mut diagnostics = tree.into_diagnostics();
    normalize(&mut diagnostics);
    let inventory = Inventory {
        servers,
        root_layout,
        providers,
        skills,
        commands,
        rules,
        assets,
        surfaces,
        unsupported,
        missing,
    };
    (inventory, diagnostics)
}

/// The items of the directory `name` among `items`.
fn below(tree: &mut Tree<'_>, items: &[Item], name: &str) -> Vec<Item> {
    match items.iter().find(|item| item.name == name) {
        Some(item) if item.kind == Kind::Dir => tree.list(&item.path),
        Some(item) if item.kind == Kind::Link => {
            tree.linked_directory(&item.path);
            Vec::new()
        }
        _ => Vec::new(),
    }
}

/// Modules and pages that the manifest names, as plain paths.
fn claims(manifest: &Manifest) -> BTreeSet<String> {
    let data = &manifest.data;
    let mut claimed = BTreeSet::new();
    for server in data.mcp.servers.values() {
        claimed.extend(server.module().map(plain));
        for app in server.apps.values() {
            claimed.insert(plain(&app.entry));
            claimed.extend(app.template.as_deref().map(plain));
        }
    }
    claimed.extend(data.scripts.values().map(|script| plain(script.path())));
    claimed.extend(data.lib.iter().filter_map(|lib| lib.path()).map(plain));
    for (_, _, hook) in data.hooks.all() {
        if let Program::Module(path) = &hook.handler {
            claimed.insert(plain(path));
        }
    }
    if let Some(Bin::Named(commands)) = &data.bin {
        // A script may be a command of the package as well.
        let paths = commands.values().map(|command| plain(command.path()));
        claimed.extend(paths.filter(|path| surfaces::script_name(path).is_none()));
    }
    claimed
}

/// A path of the manifest without `.` parts and trailing slashes.
pub(crate) fn plain(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    parts.join("/")
}

#[cfg(test)]
mod tests;
