//! Which hosts take what the manifest declares: hooks, documents of hooks, and Apps for browsers.

use super::capability::Places;
use super::{Registry, Target};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::manifest::{HookEntry, Manifest};

/// Checks the hosts that are named, and those that are selected where the author chose none.
pub(super) fn check(registry: &Registry, selected: &[&Target], places: &Places<'_>) -> Vec<Diagnostic> {
    let Some(manifest) = places.manifest else { return Vec::new() };
    let mut found = Vec::new();
    for (event, place, hook) in manifest.data.hooks.all() {
        found.extend(check_hosts(registry, manifest, event, &place, &hook));
        found.extend(check_tools(registry, manifest, &place, &hook));
    }
    for (host, table) in manifest.data.host_tables() {
        let takes = registry.get(host).is_some_and(|target| target.definition.events.native_hooks);
        if table.native_hooks.is_some() && !takes {
            let place = format!("/{host}/native-hooks");
            let message = format!("{} takes no document of hooks", title(registry, host));
            let finding = Diagnostic::new(Code::AB4207, message).with_span(manifest.key_span(&place));
            found.push(finding.target(host).help(format!("Remove {}", manifest.path(&place))));
        }
    }
    if manifest.data.web.is_some() {
        let without = selected.iter().filter(|target| !target.takes("web"));
        found.extend(without.map(|target| {
            let message = format!("{} starts no executable that could show Apps", target.title());
            let finding = Diagnostic::new(Code::AB4341, message)
                .with_span(manifest.key_span("/web"))
                .help("Accept it, or leave the host out")
                .target(target.name());
            Diagnostic { severity: Severity::Warning, ..finding }
        }));
    }
    found
}

fn title(registry: &Registry, host: &str) -> String {
    registry.get(host).map_or_else(|| format!("`{host}`"), |target| target.title().to_owned())
}

fn check_hosts(
    registry: &Registry,
    manifest: &Manifest,
    event: &str,
    place: &str,
    hook: &HookEntry,
) -> Vec<Diagnostic> {
    let named = hook.targets.iter().flatten().enumerate();
    let known = named.filter_map(|(at, host)| Some((at, host, registry.get(host)?)));
    let report = |(at, host, target): (usize, &String, &Target)| {
        let hooks = &target.definition.events.hooks;
        let problem = match hooks.iter().any(|known| known == event) {
            true => return None,
            false if hooks.is_empty() => "has no hooks".to_owned(),
            false => format!("has no hook of {}", manifest.path(&format!("/hooks/{event}"))),
        };
        let message = format!("{} {problem}", target.title());
        let span = manifest.span(&format!("{place}/targets/{at}"));
        Some(Diagnostic::new(Code::AB4204, message).with_span(span).target(host))
    };
    known.filter_map(report).collect()
}

fn check_tools(registry: &Registry, manifest: &Manifest, place: &str, hook: &HookEntry) -> Vec<Diagnostic> {
    let tools = hook.tools.iter().flatten().enumerate();
    let report = |(at, tool): (usize, &String)| {
        let target = registry.get(tool.split_once(':')?.0)?;
        target.definition.events.hooks.is_empty().then(|| {
            let message = format!("`{tool}` is a tool of {}, which has no hooks", target.title());
            let span = manifest.span(&format!("{place}/tools/{at}"));
            Diagnostic::new(Code::AB4211, message).with_span(span).target(target.name())
        })
    };
    tools.filter_map(report).collect()
}
