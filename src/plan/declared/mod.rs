//! What only the manifest declares, as a part of the model.

mod hooks;
mod tools;
mod web;

use super::Assembly;
use super::apps::unknown_host;
use super::index::NODE_FLOOR;
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::{plain, pointer};
use crate::manifest::{Bin, Duration, Lib};
use crate::model::{Declared, Library, Payload, Retention, Script, Server, Surfaces};
use semver::Version;

/// All of it, with what is wrong with it beyond the files that it names.
pub(super) fn declared(
    assembly: &Assembly<'_>,
    servers: &[Server],
    surfaces: &Surfaces,
) -> (Declared, Vec<Diagnostic>) {
    let data = &assembly.manifest.data;
    let mut found = Vec::new();
    let bin = match &data.bin {
        Some(Bin::Named(commands)) => {
            commands.iter().map(|(name, command)| (name.clone(), plain(command.path()))).collect()
        }
        _ => Default::default(),
    };
    let lib = data.lib.as_ref().and_then(|lib| {
        let dts = !matches!(lib, Lib::Entry(entry) if entry.dts == Some(false));
        Some(Library { source: plain(lib.path()?), dts })
    });
    let payloads = data.payload.iter().map(|(name, payload)| Payload {
        name: name.clone(),
        source: plain(payload.path()),
        runtime_dependencies: payload.runtime_dependencies().to_vec(),
    });
    let native = data
        .host_tables()
        .filter_map(|(host, table)| Some((host.to_owned(), plain(table.native_hooks.as_deref()?))));
    let prebuilt = data.mcp.servers.iter();
    let prebuilt = prebuilt.filter_map(|(name, server)| Some((name.clone(), plain(server.prebuilt()?))));
    let declared = Declared {
        hooks: hooks::hooks(assembly, &mut found),
        native_hooks: native.collect(),
        scripts: scripts(assembly, &mut found),
        bin,
        lib,
        payloads: payloads.collect(),
        prebuilt_servers: prebuilt.collect(),
        node: node(assembly, &mut found),
        retention: data.notices.retention.as_ref().map(|retention| Retention {
            terminal_ttl: retention.terminal_ttl.as_ref().and_then(Duration::milliseconds),
            max_terminal: retention.max_terminal,
            max_journal_bytes: retention.max_journal_bytes,
        }),
        web: web::web(assembly, servers, surfaces, &mut found),
    };
    tools::check(assembly.manifest, &mut found);
    found.extend(left_out(assembly));
    (declared, found)
}

fn scripts(assembly: &Assembly<'_>, found: &mut Vec<Diagnostic>) -> Vec<Script> {
    let scripts = assembly.manifest.data.scripts.iter().map(|(name, script)| {
        for (at, host) in script.targets().into_iter().flatten().enumerate() {
            if !assembly.hosts.contains(host) {
                let span = assembly.manifest.span(&format!("{}/targets/{at}", pointer("/scripts", name)));
                found.push(unknown_host(Code::AB4406, host, &assembly.hosts, span));
            }
        }
        let source = plain(script.path());
        let extension = source.rsplit_once('.').map_or("", |(_, extension)| extension);
        let extension = if ["sh", "bash", "py"].contains(&extension) { extension } else { "mjs" };
        Script {
            name: name.clone(),
            output: format!("scripts/{name}.{extension}"),
            source,
            targets: script.targets().cloned(),
        }
    });
    scripts.collect()
}

/// The lowest Node.js, where the author asks for a newer one than we do.
fn node(assembly: &Assembly<'_>, found: &mut Vec<Diagnostic>) -> Option<String> {
    let wanted = assembly.manifest.data.runtime.node.as_ref()?;
    let mut report = |code, message: String| {
        found.push(Diagnostic::new(code, message).with_span(assembly.manifest.span("/runtime/node")));
    };
    let Ok(version) = Version::parse(wanted) else {
        let help = "Write it with three numbers, such as `22.12.0`";
        report(Code::AB4601, format!("`{wanted}` is no version of Node.js"));
        if let Some(last) = found.last_mut() {
            last.help = Some(help.to_owned());
        }
        return None;
    };
    if Version::parse(NODE_FLOOR).is_ok_and(|floor| version < floor) {
        report(Code::AB4602, format!("what is emitted needs Node.js {NODE_FLOOR} at least, not {wanted}"));
        if let Some(last) = found.last_mut() {
            last.help = Some(format!("Write `{NODE_FLOOR}` or a later version"));
        }
    }
    Some(wanted.clone())
}

/// What is recognised and not emitted is never dropped without a word.
fn left_out(assembly: &Assembly<'_>) -> Vec<Diagnostic> {
    let manifest = assembly.manifest;
    let data = &manifest.data;
    let mut places: Vec<(String, &str)> = Vec::new();
    places.extend(data.hooks.all().into_iter().map(|(_, place, _)| (place, "a hook")));
    let native = data.host_tables().filter(|(_, table)| table.native_hooks.is_some());
    places.extend(native.map(|(host, _)| (format!("/{host}/native-hooks"), "a document of hooks")));
    places.extend(data.scripts.keys().map(|name| (pointer("/scripts", name), "a script")));
    if let Some(Bin::Named(commands)) = &data.bin {
        places.extend(commands.keys().map(|name| (pointer("/bin", name), "a command of the package")));
    }
    if data.lib.as_ref().is_some_and(|lib| lib.path().is_some()) {
        places.push(("/lib".to_owned(), "the package's library"));
    }
    places.extend(data.payload.keys().map(|name| (pointer("/payload", name), "a payload")));
    let prebuilt = data.mcp.servers.iter().filter(|(_, server)| server.prebuilt().is_some());
    places.extend(prebuilt.map(|(name, _)| (pointer("/mcp/servers", name), "a prebuilt server")));
    if data.notices.retention.is_some() {
        places.push(("/notices/retention".to_owned(), "how long notices are kept"));
    }
    if data.web.is_some() {
        places.push(("/web".to_owned(), "Apps for browsers"));
    }
    let emitted = places.into_iter().map(|(place, what)| {
        let message = format!("{} is {what}, which this version does not emit", manifest.path(&place));
        Diagnostic::new(Code::AB2010, message).with_span(manifest.key_span(&place))
    });
    let used = data.tools.iter().map(|_| {
        let message =
            format!("{} is for another bundler, and this one does not use it", manifest.path("/tools"));
        Diagnostic::new(Code::AB2010, message).with_span(manifest.key_span("/tools"))
    });
    emitted.chain(used).collect()
}
