//! The bundler's findings in our terms.

use crate::diagnostic::{Code, Diagnostic};
use crate::world::{Root, World, is_dir};
use oxc::span::Span;
use rolldown_error::{
    BuildDiagnostic, DiagnosableArcstr, DiagnosableResolveError, DiagnosticOptions, EventKind, Severity,
};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Translates; what is found in third-party packages and is not an error is left out.
pub(super) fn translate(found: Vec<BuildDiagnostic>, world: &Arc<dyn World>, root: &Root) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> =
        found.into_iter().filter_map(|one| translate_one(one, world, root)).collect();
    crate::diagnostic::normalize(&mut diagnostics);
    diagnostics
}

fn translate_one(mut found: BuildDiagnostic, world: &Arc<dyn World>, root: &Root) -> Option<Diagnostic> {
    if let Some(error) = found.downcast_mut::<DiagnosableResolveError>() {
        return Some(unresolved(error, world, root));
    }
    let is_error = found.severity() == Severity::Error;
    // What the bundler calls a place may be a piece of text.
    let is_file = |id: &String| Path::new(id).is_absolute();
    let place = found.id().filter(is_file).map(|id| root.relative(Path::new(&id)));
    let foreign =
        place.as_deref().is_none_or(|path| path.contains("node_modules/") || path.starts_with(".."));
    if !is_error && foreign {
        return None;
    }
    let message = found.to_message_with(&DiagnosticOptions { cwd: root.path().to_owned() });
    let here = format!("{}/", root.path().display());
    let message = message.lines().next().unwrap_or_default().replace(&here, "");
    let code = match found.kind() {
        EventKind::ParseError => Code::AB2000,
        _ if is_error => Code::AB2007,
        _ => Code::AB2008,
    };
    let location = found.to_diagnostic().get_primary_location();
    let mut diagnostic = Diagnostic::new(code, message);
    if let Some(path) = place {
        let offset = location.and_then(|at| {
            let text = String::from_utf8(world.read(&root.absolute(&path)).ok()?).ok()?;
            Some(utf16_offset(&text, at.3))
        });
        diagnostic = diagnostic.at(path, offset.map_or(0..0, |at| at..at + 1));
    }
    Some(diagnostic)
}

fn utf16_offset(text: &str, units: usize) -> usize {
    let mut seen = 0;
    for (at, character) in text.char_indices() {
        if seen >= units {
            return at;
        }
        seen += character.len_utf16();
    }
    text.len()
}

/// Modules that look like those of Node.js and are none, each where the first of `sources` imports it.
pub(super) fn unknown_builtins<'e>(
    externals: impl Iterator<Item = &'e String>,
    sources: &BTreeSet<String>,
    world: &Arc<dyn World>,
    root: &Root,
) -> Vec<Diagnostic> {
    let place = |name: &str| {
        sources.iter().find_map(|path| {
            let text = String::from_utf8(world.read(&root.absolute(path)).ok()?).ok()?;
            let at = ['\'', '"'].iter().find_map(|quote| text.find(&format!("{quote}{name}{quote}")))?;
            Some((path.clone(), at..at + name.len() + 2))
        })
    };
    let unknown = externals.filter(|name| name.starts_with("node:") && !crate::artifact::is_builtin(name));
    unknown
        .map(|name| {
            let found = Diagnostic::new(Code::AB2002, format!("`{name}` cannot be found"));
            let found = found.help("Node.js has no such module: correct its name");
            match place(name) {
                Some((path, range)) => found.at(path, range),
                None => found,
            }
        })
        .collect()
}

fn unresolved(error: &DiagnosableResolveError, world: &Arc<dyn World>, root: &Root) -> Diagnostic {
    let path = root.relative(Path::new(error.importer_id.as_str()));
    let (specifier, span) = match &error.importee {
        DiagnosableArcstr::String(text) => (text.to_string(), Span::default()),
        DiagnosableArcstr::Span(span) => {
            let quoted = error.source.get(span.start as usize..span.end as usize).unwrap_or_default();
            (quoted.trim_matches(['"', '\'', '`']).to_owned(), *span)
        }
    };
    let is_path = specifier.starts_with('.') || specifier.starts_with('/');
    if !is_path && !is_dir(world.as_ref(), &root.absolute("node_modules")) {
        return Diagnostic::new(
            Code::AB2009,
            format!("`{specifier}` cannot be found: there is no `node_modules`"),
        )
        .at(path, span.start as usize..span.end as usize);
    }
    let first = specifier.split('/').next().unwrap_or_default();
    let help = if crate::artifact::is_builtin(first) {
        format!("`{first}` is a module of Node.js, which has nothing of that name")
    } else if is_path {
        "check the path; extensions may be left out, and `.js` also finds `.ts`".to_owned()
    } else {
        let package: Vec<&str> = specifier.splitn(3, '/').collect();
        let take = if specifier.starts_with('@') { 2 } else { 1 };
        format!("install it: npm install {}", package[..take.min(package.len())].join("/"))
    };
    Diagnostic::new(Code::AB2002, format!("`{specifier}` cannot be found"))
        .help(help)
        .at(path, span.start as usize..span.end as usize)
}
