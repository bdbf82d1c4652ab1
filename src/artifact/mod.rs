//! The artifact: its canonical index, the evidence of what was compiled, validation without sources, and publishing
//! as one swap.

mod check;
mod index;
mod modules;
mod publish;
mod tree;

pub use check::{CheckDocument, check_artifact};
pub use index::{
    Adapter, Application, Argument, Channel, Compiler, Distribution, Evidence, EvidenceRow, Executables,
    FileRow, INDEX_VERSION, Index, InstallSurface, Launch, LayoutRow, Marketplace, McpServerRow, POLICY,
    Producer, Project, ProjectionRow, Provenance, ProviderRow, RouteRow, Routes, Runtime, ServerKind,
    ServerRow, SourceInput, evidence_schema, index_schema,
};
pub use modules::{computed_imports, imports, is_builtin};
pub use publish::{PublishError, Published, publish};
pub use tree::{is_operator_file, list_files};

/// File name of the canonical index.
pub const INDEX_FILE: &str = "agent-bundle.manifest.json";

/// File name of the compile evidence.
pub const EVIDENCE_FILE: &str = "agent-bundle.compile-evidence.json";

/// File name of the third-party licences.
pub const LICENSES_FILE: &str = "THIRD-PARTY-LICENSES.txt";
