//! Our side of resolution: virtual modules, the runtime's siblings and the identity module.

use super::{Request, SOURCE, runtime};
use crate::world::{Kind, Root, World};
use rolldown_common::{ImportKind, ModuleType, ResolvedExternal};
use rolldown_plugin::{
    HookLoadArgs, HookLoadOutput, HookLoadReturn, HookResolveIdArgs, HookResolveIdOutput,
    HookResolveIdReturn, HookUsage, Plugin, PluginContext, SharedLoadPluginContext,
};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Prefix of virtual ids; the NUL keeps other resolvers away.
const VIRTUAL: &str = "\0agent-bundle:";

/// Specifier of the build-time identity.
const META: &str = "agent-bundle/meta";

pub(super) struct SurfacePlugin {
    modules: BTreeMap<String, String>,
    world: Arc<dyn World>,
    root: Root,
}

impl std::fmt::Debug for SurfacePlugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SurfacePlugin").field("modules", &self.modules).finish_non_exhaustive()
    }
}

impl SurfacePlugin {
    pub(super) fn new(request: &Request, world: Arc<dyn World>, root: Root) -> Self {
        let mut modules: BTreeMap<String, String> =
            request.modules.iter().map(|(name, text)| (virtual_id(name), text.clone())).collect();
        modules.insert(virtual_id(META), request.meta.clone());
        Self { modules, world, root }
    }

    fn resolve(&self, specifier: &str, kind: ImportKind) -> Option<HookResolveIdOutput> {
        if let Some(source) = specifier.strip_prefix(SOURCE) {
            let path = self.root.absolute(source);
            // A linked module is the file it leads to, as for every other import: its own imports start there.
            let is_link = self.world.symlink_metadata(&path).is_ok_and(|found| found.kind == Kind::Link);
            let path = if is_link { self.world.canonicalize(&path).unwrap_or(path) } else { path };
            return Some(HookResolveIdOutput::from_id(path.to_string_lossy().as_ref()));
        }
        let id = virtual_id(specifier);
        if self.modules.contains_key(&id) {
            return Some(HookResolveIdOutput::from_id(id));
        }
        let role = runtime().role_of_specifier(specifier)?;
        // `require` of an ES module needs Node 22: a CommonJS package gets a module that re-exports the sibling,
        // which the bundler can turn into a `require`-able object.
        if kind == ImportKind::Require {
            return Some(HookResolveIdOutput::from_id(virtual_id(&format!("require/{}", role.name))));
        }
        Some(external(format!("./{}", role.file)))
    }

    fn load(&self, id: &str) -> Option<String> {
        if let Some(text) = self.modules.get(id) {
            return Some(text.clone());
        }
        let role = runtime().role(id.strip_prefix(VIRTUAL)?.strip_prefix("require/")?)?;
        let file = &role.file;
        Some(format!("export * from \"./{file}\";\nexport {{ default }} from \"./{file}\";\n"))
    }
}

fn virtual_id(specifier: &str) -> String {
    format!("{VIRTUAL}{}", specifier.trim_start_matches("agent-bundle:"))
}

fn external(id: String) -> HookResolveIdOutput {
    HookResolveIdOutput {
        id: id.into(),
        external: Some(ResolvedExternal::Bool(true)),
        normalize_external_id: Some(false),
        ..HookResolveIdOutput::default()
    }
}

impl Plugin for SurfacePlugin {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("agent-bundle")
    }

    fn register_hook_usage(&self) -> HookUsage {
        HookUsage::ResolveId | HookUsage::Load
    }

    async fn resolve_id(&self, _ctx: &PluginContext, args: &HookResolveIdArgs<'_>) -> HookResolveIdReturn {
        // The re-exporting module's own import of the sibling.
        if args.importer.is_some_and(|importer| importer.starts_with(VIRTUAL))
            && runtime().role_of_file(args.specifier.trim_start_matches("./")).is_some()
        {
            return Ok(Some(external(args.specifier.to_owned())));
        }
        Ok(self.resolve(args.specifier, args.kind))
    }

    async fn load(&self, _ctx: SharedLoadPluginContext, args: &HookLoadArgs<'_>) -> HookLoadReturn {
        Ok(self.load(args.id).map(|code| HookLoadOutput {
            code: code.into(),
            module_type: Some(ModuleType::Js),
            ..HookLoadOutput::default()
        }))
    }
}
