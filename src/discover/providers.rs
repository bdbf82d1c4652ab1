//! `src/providers`.

use super::inventory::ModuleFile;
use super::names::{MODULES, camel_case, is_identity, unsafe_identity};
use super::servers::twice;
use super::tree::{Item, Tree};
use crate::diagnostic::Code;
use crate::model::ModuleKind;
use std::collections::BTreeMap;

/// Providers by key; `items` are those of `src/providers`.
pub(super) fn find(tree: &mut Tree<'_>, items: &[Item]) -> Vec<ModuleFile> {
    let mut providers: BTreeMap<String, ModuleFile> = BTreeMap::new();
    for found in tree.modules(items, MODULES) {
        if !is_identity(&found.stem) {
            tree.report(unsafe_identity(&found.stem, "a provider", &found.path));
            continue;
        }
        let key = camel_case(&found.stem);
        if let Some(first) = providers.get(&key) {
            let what = format!("the provider key `{key}`");
            tree.report(twice(Code::AB4941, &what, &first.source, &found.path));
            continue;
        }
        let id = format!("provider:{}", found.stem);
        let module = ModuleFile { id, kind: ModuleKind::Provider, name: key.clone(), source: found.path };
        providers.insert(key, module);
    }
    providers.into_values().collect()
}
