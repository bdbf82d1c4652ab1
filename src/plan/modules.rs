//! Nodes that extract one module or document each. Their outputs are facts: an edit that changes no fact wakes
//! nothing but the surface that bundles the module.

use crate::compile::server_exports;
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::{Job, JobContext, KeyWalk, Output};
use crate::extract;
use crate::model::ModuleKind;
use crate::world::{World, is_file};
use serde_json::Value;

/// Extracts one module.
pub struct ModuleJob {
    /// What the module is.
    pub kind: ModuleKind,
    /// Project-relative path.
    pub source: String,
    /// Whether a script is a command of the package as well.
    pub command: bool,
}

impl Job for ModuleJob {
    fn walk(&self, walk: &mut dyn KeyWalk) {
        walk.field("module", self.kind.word().as_bytes());
        walk.field("source", self.source.as_bytes());
        walk.field("command", &[u8::from(self.command)]);
    }

    fn run(&self, context: &JobContext) -> Output {
        let bytes = match read(context, &self.source) {
            Ok(bytes) => bytes,
            Err(diagnostic) => {
                return Output { diagnostics: vec![self.missing(*diagnostic)], ..Output::default() };
            }
        };
        let extraction = extract::extract_with(self.kind, &self.source, &bytes, &server_exports);
        let mut diagnostics = extraction.diagnostics;
        if self.command {
            diagnostics.extend(extract::command_script(&self.source, &bytes));
        }
        if self.kind == ModuleKind::App
            && let Some(template) = extraction.facts.config.get("template").and_then(Value::as_str)
            && let Some(problem) = template_problem(context, &self.source, template)
        {
            let span = extract::config_span(self.kind, &self.source, &bytes, "/template");
            diagnostics.push(Diagnostic::new(Code::AB4827, problem).with_span(span));
        }
        Output { value: Value::Object(extraction.facts.config), diagnostics, ..Output::default() }
    }
}

impl ModuleJob {
    /// Entries are named by the manifest and may not be there at all; everything else was found by looking.
    fn missing(&self, diagnostic: Diagnostic) -> Diagnostic {
        if self.kind != ModuleKind::Entry {
            return diagnostic;
        }
        Diagnostic::new(Code::AB4307, diagnostic.message).with_span(diagnostic.span)
    }
}

/// Why a template is not exactly one file, seen from the module that names it. A path is relative to the module; one
/// relative to the project is understood while it is the only one that exists.
fn template_problem(context: &JobContext, source: &str, template: &str) -> Option<String> {
    let directory = source.rsplit_once('/').map_or("", |(directory, _)| directory);
    let beside = inside(directory, template);
    let from_root = if template.starts_with('.') { None } else { inside("", template) };
    let exists = |path: &Option<String>| {
        path.as_ref()
            .is_some_and(|path| is_file(context.world.as_ref(), &context.world.root().absolute(path)))
    };
    let named =
        |path: &Option<String>| path.clone().unwrap_or_else(|| "a path outside the project".to_owned());
    match (exists(&beside), exists(&from_root)) {
        (true, true) if beside != from_root => Some(format!(
            "`{template}` may mean `{}` and `{}`, and both exist",
            named(&beside),
            named(&from_root)
        )),
        (false, false) => Some(match &from_root {
            Some(other) => {
                format!(
                    "the template `{template}` does not exist: neither `{}` nor `{other}`",
                    named(&beside)
                )
            }
            None => format!("the template `{template}` does not exist: there is no `{}`", named(&beside)),
        }),
        _ => None,
    }
}

/// `path` below `directory` without `.` and `..`; `None` when it leaves the project.
fn inside(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The bytes of a source, or the finding that says why there are none.
pub(super) fn read(context: &JobContext, source: &str) -> Result<Vec<u8>, Box<Diagnostic>> {
    context.world.read(&context.world.root().absolute(source)).map_err(|error| {
        let message = format!("{source} cannot be read: {error}");
        Box::new(Diagnostic::new(Code::AB2005, message).in_file(source))
    })
}
