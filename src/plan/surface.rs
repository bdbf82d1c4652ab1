//! The node that bundles one executable.

use crate::artifact::{computed_imports, imports, is_builtin};
use crate::compile::{self, BUNDLE_VERSION, BUNDLER, Request, runtime};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::{FileKind, Job, JobContext, KeyWalk, Output};
use crate::world::World;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Bundles one server.
pub struct SurfaceJob {
    /// Artifact path of the module.
    pub path: String,
    /// What to bundle.
    pub request: Request,
}

/// What dependants learn of a bundle besides its bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurfaceFacts {
    /// Requests that stayed imports.
    pub externals: BTreeSet<String>,
    /// Runtime roles that the module imports.
    pub roles: BTreeSet<String>,
    /// The author's modules inside.
    pub sources: BTreeSet<String>,
    /// Third-party packages inside.
    pub packages: BTreeSet<compile::Package>,
}

impl Job for SurfaceJob {
    fn walk(&self, walk: &mut dyn KeyWalk) {
        walk.field("bundler", format!("{BUNDLER}, bundle {BUNDLE_VERSION}").as_bytes());
        walk.field("path", self.path.as_bytes());
        for (name, text) in &self.request.modules {
            walk.field(name, text.as_bytes());
        }
        walk.field("agent-bundle/meta", self.request.meta.as_bytes());
    }

    fn run(&self, context: &JobContext) -> Output {
        let mut bundled = compile::bundle(&self.request, &context.world);
        let mut diagnostics = std::mem::take(&mut bundled.diagnostics);
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Output { diagnostics, ..Output::default() };
        }
        diagnostics.extend(leaks(&bundled.code, &self.path, context));
        diagnostics.extend(kept_imports(&bundled, &self.path, context));
        let facts = SurfaceFacts {
            externals: bundled.externals,
            roles: bundled.roles,
            sources: bundled.sources,
            packages: bundled.packages,
        };
        Output {
            files: BTreeMap::from([(
                self.path.clone(),
                context.file(FileKind::Bundle, bundled.code.into_bytes()),
            )]),
            value: serde_json::to_value(facts).unwrap_or_default(),
            diagnostics,
        }
    }
}

/// A bundle that holds the project's own absolute path would differ on every machine, and tell on the author.
fn leaks(code: &str, path: &str, context: &JobContext) -> Option<Diagnostic> {
    let root = context.world.root().path().to_string_lossy();
    (root.len() > 1 && code.contains(root.as_ref())).then(|| {
        let message = format!("{path} would carry this machine's path of the project");
        Diagnostic::new(Code::AB2007, message)
            .help("a module or package writes its own location into the bundle; read it at run time instead")
            .generated(path)
    })
}

/// Imports that the emitted module could not follow: the artifact holds Node's own modules and the runtime's, and a
/// reader refuses it when there are others.
fn kept_imports(bundled: &compile::Bundled, path: &str, context: &JobContext) -> Vec<Diagnostic> {
    let refuse = |message: String| Diagnostic::new(Code::AB6005, message).generated(path);
    let requests = match imports(&bundled.code) {
        Ok(requests) => requests,
        Err(reason) => {
            let places = computed_places(bundled, context);
            return if places.is_empty() { vec![refuse(format!("{path} has {reason}"))] } else { places };
        }
    };
    let unknown = requests.iter().filter(|request| {
        !is_builtin(request) && runtime().role_of_file(request.trim_start_matches("./")).is_none()
    });
    unknown
        .map(|request| refuse(format!("{path} imports `{request}`, which the plugin does not carry")))
        .collect()
}

/// The author's own imports of what is known only at run time.
fn computed_places(bundled: &compile::Bundled, context: &JobContext) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for source in &bundled.sources {
        let Ok(bytes) = context.world.read(&context.world.root().absolute(source)) else { continue };
        for range in computed_imports(source, &String::from_utf8_lossy(&bytes)) {
            let message = "an import of something that is known only at run time cannot be bundled";
            let help = "write the path out, or choose between several literal imports";
            found.push(Diagnostic::new(Code::AB6005, message).help(help).at(source, range));
        }
    }
    found
}
