//! Bundling: from a virtual entry and the author's modules to one ES module that Node runs.
//!
//! One bundle is one call of the bundler over a recording world. It holds the author's code and the author's
//! packages; the runtime stays outside as constant siblings (see `runtime`).

mod entry;
mod fs;
mod packages;
mod plugin;
mod report;
mod runtime;

pub use entry::Surface;
pub use packages::Package;
pub use runtime::{Runtime, RuntimeRole, runtime, server_exports};

use crate::diagnostic::{Code, Diagnostic};
use crate::world::{Recorder, Root, World};
use fs::WorldFs;
use plugin::SurfacePlugin;
use rolldown::{BundleFactory, BundleFactoryOptions, BundlerOptions, InputItem, OutputFormat, Platform};
use rolldown::{
    BundlerTransformOptions, CodeSplittingMode, CommentsOptions, ExperimentalOptions, RawMinifyOptions,
};
use rolldown_common::{AttachDebugInfo, JsxOptions, Output, OutputChunk, ResolveOptions, TsConfig};
use rolldown_resolver::Resolver;
use rolldown_utils::indexmap::FxIndexMap;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// Raised when the meaning of a bundle changes without the bundler's version changing.
pub const BUNDLE_VERSION: u32 = 2;

/// Version of the bundler family, for keys.
pub const BUNDLER: &str = "rolldown 1.2.5, oxc 0.146.0, oxc_resolver 11.24.3";

/// What to bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Virtual modules by specifier (`agent-bundle:…`); [`ENTRY`] among them.
    pub modules: BTreeMap<String, String>,
    /// The text of `agent-bundle/meta`.
    pub meta: String,
}

/// Specifier of the virtual module that a bundle starts at.
pub const ENTRY: &str = "agent-bundle:entry";

/// Prefix of a specifier that names a project file: `agent-bundle:source/src/a.ts`.
pub const SOURCE: &str = "agent-bundle:source/";

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bundled {
    /// The module's text; empty beside an error.
    pub code: String,
    /// Specifiers that stayed imports: Node built-ins and `./runtime-…` siblings, sorted.
    pub externals: BTreeSet<String>,
    /// Runtime siblings that the module imports, by role.
    pub roles: BTreeSet<String>,
    /// Project-relative paths of the author's own modules inside, sorted.
    pub sources: BTreeSet<String>,
    /// Third-party packages inside.
    pub packages: BTreeSet<Package>,
    /// Problems.
    pub diagnostics: Vec<Diagnostic>,
}

/// The bundler's own threads; made when the first bundle is.
static THREADS: LazyLock<tokio::runtime::Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        // Files are read on these, one file a task: more threads than cores would only fault in more memory.
        .max_blocking_threads(2)
        .enable_all()
        .build()
        .expect("the system gives two threads")
});

/// Bundles `request`; everything read or looked for is noted by `recorder`.
pub fn bundle(request: &Request, recorder: &Arc<Recorder>) -> Bundled {
    let world: Arc<dyn World> = Arc::clone(recorder) as Arc<dyn World>;
    // The bundler hands work to rayon from where it is polled. On one of the node pool's own threads that work would
    // queue up behind the node that waits for it; a thread outside of every pool sends it to the global one.
    let run = || THREADS.block_on(generate(request, &world, recorder));
    // A defect of the bundler on odd input is one diagnostic, never the end of the process.
    std::thread::scope(|scope| scope.spawn(run).join()).unwrap_or_else(|_| Bundled {
        diagnostics: vec![Diagnostic::new(Code::AB2007, "the bundler stopped at an internal error")],
        ..Bundled::default()
    })
}

async fn generate(request: &Request, world: &Arc<dyn World>, recorder: &Arc<Recorder>) -> Bundled {
    let root = recorder.root();
    let fs = WorldFs(Arc::clone(world));
    let resolver = Arc::new(Resolver::new(
        fs.clone(),
        root.path().to_owned(),
        Platform::Node,
        &TsConfig::Auto(true),
        resolve_options(),
    ));
    let plugin = Arc::new(SurfacePlugin::new(request, Arc::clone(world), root.clone()));
    let mut factory = match BundleFactory::new(BundleFactoryOptions {
        bundler_options: options(root.path()),
        plugins: vec![plugin],
        session: None,
        disable_tracing_setup: true,
    }) {
        Ok(factory) => factory,
        Err(errors) => return failed(errors.into_vec(), world, root),
    };
    match factory.create_bundle_with_fs(fs, Arc::clone(&resolver)).generate().await {
        Ok(output) => {
            let mut diagnostics = report::translate(output.warnings, world, root);
            let chunk = output.assets.into_iter().find_map(|asset| match asset {
                Output::Chunk(chunk) => Some(chunk),
                Output::Asset(_) => None,
            });
            let mut bundled = chunk.map(|chunk| describe(&chunk)).unwrap_or_default();
            attribute(&mut bundled, recorder, &resolver);
            let unknown = report::unknown_builtins(bundled.externals.iter(), &bundled.sources, world, root);
            diagnostics.extend(unknown);
            bundled.diagnostics.append(&mut diagnostics);
            bundled
        }
        Err(errors) => failed(errors.into_vec(), world, root),
    }
}

fn failed(errors: Vec<rolldown_error::BuildDiagnostic>, world: &Arc<dyn World>, root: &Root) -> Bundled {
    Bundled { diagnostics: report::translate(errors, world, root), ..Bundled::default() }
}

fn describe(chunk: &OutputChunk) -> Bundled {
    let mut bundled = Bundled { code: chunk.code.clone(), ..Bundled::default() };
    let imports = chunk.imports.iter().chain(&chunk.dynamic_imports);
    for import in imports.filter(|import| **import != chunk.filename) {
        if let Some(role) = runtime().role_of_file(import.trim_start_matches("./")) {
            bundled.roles.insert(role.to_owned());
        }
        bundled.externals.insert(import.to_string());
    }
    bundled
}

/// Whose code the bundle holds. Everything that was read counts, since a constant may have been taken from a module of
/// which nothing else is left.
fn attribute(bundled: &mut Bundled, recorder: &Arc<Recorder>, resolver: &Resolver<WorldFs>) {
    let root = recorder.root().clone();
    let tsconfig = resolver.clone_default_resolver();
    let mut foreign = BTreeSet::new();
    for path in recorder.read_paths() {
        let absolute = root.absolute(&path);
        if packages::is_foreign(&absolute, &root) {
            foreign.insert(absolute);
        } else {
            // The transformer looks up a module's tsconfig behind the recorder's back; asking again through the
            // recording resolver makes the same files discovered inputs.
            drop(tsconfig.find_tsconfig(&absolute));
            bundled.sources.insert(path);
        }
    }
    bundled.packages = packages::owners(&foreign, recorder.as_ref());
}

fn resolve_options() -> ResolveOptions {
    ResolveOptions { condition_names: Some(vec!["react-server".to_owned()]), ..ResolveOptions::default() }
}

fn options(cwd: &Path) -> BundlerOptions {
    BundlerOptions {
        input: Some(vec![InputItem { name: Some("entry".to_owned()), import: ENTRY.to_owned() }]),
        cwd: Some(cwd.to_owned()),
        platform: Some(Platform::Node),
        format: Some(OutputFormat::Esm),
        entry_filenames: Some("[name].mjs".to_owned().into()),
        // One file: a dynamic import of a literal path is inlined and still evaluated when it is called.
        code_splitting: Some(CodeSplittingMode::Bool(false)),
        resolve: Some(resolve_options()),
        tsconfig: Some(TsConfig::Auto(true)),
        define: Some(FxIndexMap::from_iter([(
            "process.env.NODE_ENV".to_owned(),
            "\"production\"".to_owned(),
        )])),
        transform: Some(BundlerTransformOptions {
            jsx: Some(itertools::Either::Right(JsxOptions {
                runtime: Some("automatic".to_owned()),
                development: Some(false),
                import_source: Some("react".to_owned()),
                ..JsxOptions::default()
            })),
            target: Some(itertools::Either::Left("node20".to_owned())),
            ..BundlerTransformOptions::default()
        }),
        // Unused code is left out while modules are joined; a second pass over the whole text costs a fifth of the time
        // and takes three bytes in a thousand.
        minify: Some(RawMinifyOptions::Bool(false)),
        comments: Some(CommentsOptions { legal: true, annotation: false, jsdoc: false }),
        experimental: Some(ExperimentalOptions {
            // Region comments would carry paths of the machine's package store.
            attach_debug_info: Some(AttachDebugInfo::None),
            ..ExperimentalOptions::default()
        }),
        ..BundlerOptions::default()
    }
}
