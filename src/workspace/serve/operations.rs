//! Every operation, once: routes, rights, and the OpenAPI document are made from this table.

use super::incoming::Incoming;
use super::{Answer, App, Role, handlers};
use crate::workspace::problem::Problem;

/// Where the routes begin.
pub(super) const BASE: &str = "/v1/workspaces/{workspace}";

/// What a body is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Takes {
    /// It is not looked at.
    Nothing,
    /// A JSON object with these members.
    Object(&'static [&'static str]),
}

/// One operation.
pub(super) struct Operation {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
    pub(super) role: Role,
    pub(super) takes: Takes,
    /// Query parameters, all of them `true` or `false`, with what they mean.
    pub(super) query: &'static [(&'static str, &'static str)],
    /// Schema of the body and of the answer.
    pub(super) request: &'static str,
    pub(super) answer: &'static str,
    pub(super) handle: fn(&App, &Incoming) -> Result<Answer, Problem>,
}

const INSTALL: &[&str] = &[
    "bundle",
    "setup_values",
    "origin",
    "accept_origin",
    "allow_enabled",
    "keep_secrets",
    "repair_wiring",
    "only",
];
const PLAN: &[&str] = &["bundle", "setup_values", "origin", "accept_origin", "allow_enabled"];
const APPLY: &[&str] =
    &["bundle", "setup_values", "origin", "accept_origin", "allow_enabled", "on_conflict", "prune", "state"];

/// All operations.
pub(super) const OPERATIONS: [Operation; 15] = [
    Operation {
        method: "post",
        path: "/bundles/analyze",
        id: "analyzeBundle",
        summary: "Say what an install would do; nothing is written",
        role: Role::Member,
        takes: Takes::Object(&["source", "source_url", "accept_origin", "only"]),
        query: &[],
        request: "AnalyzeRequest",
        answer: "Preview",
        handle: handlers::analyze,
    },
    Operation {
        method: "post",
        path: "/bundles/install",
        id: "installBundle",
        summary: "Install a document: everything, or nothing",
        role: Role::Member,
        takes: Takes::Object(INSTALL),
        query: &[],
        request: "InstallRequest",
        answer: "InstallResult",
        handle: handlers::install,
    },
    Operation {
        method: "post",
        path: "/bundles/plan",
        id: "planBundle",
        summary: "Compare what was installed, what is there, and what the document says",
        role: Role::Member,
        takes: Takes::Object(PLAN),
        query: &[],
        request: "PlanRequest",
        answer: "Plan",
        handle: handlers::plan,
    },
    Operation {
        method: "post",
        path: "/bundles/diff",
        id: "diffBundle",
        summary: "Show where a document and the workspace differ",
        role: Role::Member,
        takes: Takes::Object(PLAN),
        query: &[],
        request: "PlanRequest",
        answer: "Diff",
        handle: handlers::diff,
    },
    Operation {
        method: "post",
        path: "/bundles/apply",
        id: "applyBundle",
        summary: "Bring an installed bundle to what its document says",
        role: Role::Admin,
        takes: Takes::Object(APPLY),
        query: &[],
        request: "ApplyRequest",
        answer: "InstallResult",
        handle: handlers::apply,
    },
    Operation {
        method: "get",
        path: "/bundles",
        id: "listBundles",
        summary: "List the installed bundles",
        role: Role::Member,
        takes: Takes::Nothing,
        query: &[],
        request: "",
        answer: "BundleList",
        handle: handlers::list,
    },
    Operation {
        method: "get",
        path: "/bundles/{id}",
        id: "showBundle",
        summary: "Show an installed bundle",
        role: Role::Member,
        takes: Takes::Nothing,
        query: &[],
        request: "",
        answer: "BundleDetail",
        handle: handlers::show,
    },
    Operation {
        method: "delete",
        path: "/bundles/{id}",
        id: "uninstallBundle",
        summary: "Remove what a bundle made",
        role: Role::Admin,
        takes: Takes::Nothing,
        query: &[
            ("dry_run", "Say what would be removed, and stop"),
            ("delete_edited", "Remove rows that were edited too"),
            ("detach", "Take servers and skills from agents of others that use them"),
            ("for_good", "Keep nothing for an undo"),
        ],
        request: "",
        answer: "UninstallResult",
        handle: handlers::uninstall,
    },
    Operation {
        method: "post",
        path: "/bundles/{id}/undo",
        id: "undoUninstall",
        summary: "Put back what the last uninstall of a bundle removed; possible for seven days",
        role: Role::Admin,
        takes: Takes::Nothing,
        query: &[],
        request: "",
        answer: "BundleDetail",
        handle: handlers::undo,
    },
    Operation {
        method: "post",
        path: "/bundles/{id}/forget",
        id: "forgetBundle",
        summary: "Drop the record of a bundle; what it made stays",
        role: Role::Admin,
        takes: Takes::Nothing,
        query: &[],
        request: "",
        answer: "Forgotten",
        handle: handlers::forget,
    },
    Operation {
        method: "post",
        path: "/bundles/{id}/set-secret",
        id: "setSecret",
        summary: "Give a secret setup field another value, wherever the bundle uses it",
        role: Role::Admin,
        takes: Takes::Object(&["field", "value"]),
        query: &[],
        request: "SetSecretRequest",
        answer: "Rotated",
        handle: handlers::set_secret,
    },
    Operation {
        method: "post",
        path: "/entities/{id}/retain",
        id: "retainEntity",
        summary: "Mark a row as one that no bundle removes, or take the mark away",
        role: Role::Admin,
        takes: Takes::Object(&["retain"]),
        query: &[],
        request: "RetainRequest",
        answer: "Marked",
        handle: handlers::retain,
    },
    Operation {
        method: "get",
        path: "/bundles/{id}/drift",
        id: "driftOfBundle",
        summary: "Show what was changed since the last install",
        role: Role::Member,
        takes: Takes::Nothing,
        query: &[],
        request: "",
        answer: "Drift",
        handle: handlers::drift,
    },
    Operation {
        method: "post",
        path: "/bundles/{id}/adopt",
        id: "adoptIntoBundle",
        summary: "Let rows that were made by hand stand for entities of a bundle",
        role: Role::Admin,
        takes: Takes::Object(&["entities"]),
        query: &[],
        request: "AdoptRequest",
        answer: "BundleDetail",
        handle: handlers::adopt,
    },
    Operation {
        method: "get",
        path: "/export",
        id: "exportWorkspace",
        summary: "One document of everything in the workspace, without a secret",
        role: Role::Admin,
        takes: Takes::Nothing,
        query: &[
            ("strict", "Turn every argument, variable and header into a setup field"),
            ("allow_suspected", "Export text that looks like a credential"),
            ("policies", "Add the policies of exported agents"),
            ("report", "Answer with JSON: the document and what was left out"),
        ],
        request: "",
        answer: "Export",
        handle: handlers::export,
    },
];
