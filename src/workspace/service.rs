//! What a person can ask for. The command line and HTTP both call these functions and nothing else.

use super::analyze::{Caller, Preview, analyze, blocking};
use super::document::{Document, Kind, SkillSource};
use super::entity::{Record, ResultEntity, Retired, Snapshot};
use super::execute::{Job, Mode, execute};
use super::fetch::SkillFetcher;
use super::issue::{Issue, IssueCode};
use super::problem::{Problem, ProblemCode};
use super::render::Fetched;
use super::reuse::{Decision, Planned, decide};
use super::secret::Secret;
use super::store::{Store, View};
use super::values::{SuppliedValues, Values, judge};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const DAY: i64 = 24 * 60 * 60;

/// What an install did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InstallResult {
    /// Name of the bundle.
    pub bundle_name: String,
    /// Id of its record.
    pub installed_bundle_id: String,
    /// How many installs there were.
    pub generation: i64,
    /// Every entity of the document once, in the order of installation.
    pub entities: Vec<ResultEntity>,
    /// What earlier documents had and this one has not.
    pub retired: Vec<Retired>,
    /// Warnings.
    pub issues: Vec<Issue>,
}

/// A request to install or apply.
pub struct Request<'a> {
    /// Slug of the workspace.
    pub workspace: &'a str,
    /// The document.
    pub document: &'a Document,
    /// Values of its fields.
    pub supplied: &'a SuppliedValues,
    /// Who asks.
    pub caller: &'a Caller,
    /// Name of who asks, for the record.
    pub by: &'a str,
    /// Whether `enabled: true` is honoured.
    pub allow_enabled: bool,
    /// Whether secrets of an earlier install stand in for missing ones.
    pub keep_secrets: bool,
    /// The same key twice is one request.
    pub request_key: Option<&'a str>,
}

/// Refuses a selection of what the document does not have.
fn check_selection(document: &Document, caller: &Caller) -> Result<(), Problem> {
    let entities = document.bundle.entities();
    let is_there = |name: &str| {
        entities.iter().any(|(kind, _, key, _)| name.split_once('/') == Some((kind.word(), *key)))
    };
    let Some(unknown) = caller.only.iter().flatten().find(|name| !is_there(name)) else { return Ok(()) };
    let message = format!("the document has no {}", super::display::visible(unknown));
    Err(Problem::invalid(vec![Issue::block(IssueCode::InvalidValue, message)]))
}

/// The preview of a document.
pub fn preview(
    store: &Store,
    workspace: &str,
    document: &Document,
    caller: &Caller,
) -> Result<Preview, Problem> {
    check_selection(document, caller)?;
    store.read(|view| {
        let snapshot = view.snapshot(&view.workspace(workspace)?)?;
        Ok(analyze(document, &snapshot, caller))
    })
}

/// What is known when everything slow and everything fallible is over.
pub(super) struct Prepared {
    pub(super) snapshot: Snapshot,
    pub(super) planned: Vec<Planned>,
    pub(super) values: Values,
    pub(super) issues: Vec<Issue>,
}

/// Analysis and values, in one read.
pub(super) fn prepare(store: &Store, request: &Request<'_>) -> Result<Prepared, Problem> {
    check_selection(request.document, request.caller)?;
    let (snapshot, kept) = store.read(|view| -> Result<_, Problem> {
        let snapshot = view.snapshot(&view.workspace(request.workspace)?)?;
        let record = snapshot.records.get(&request.document.bundle.name).filter(|_| request.keep_secrets);
        let kept =
            record.map(|record| kept_secrets(view, &snapshot, record)).transpose()?.unwrap_or_default();
        Ok((snapshot, kept))
    })?;
    let preview = analyze(request.document, &snapshot, request.caller);
    let blocks = blocking(&preview.issues);
    if !blocks.is_empty() {
        if blocks.iter().all(|issue| issue.code == IssueCode::PolicyNeedsAdmin) {
            let detail = blocks[0].message.clone();
            return Err(Problem { issues: blocks, ..Problem::new(ProblemCode::PermissionDenied, detail) });
        }
        return Err(Problem::invalid(blocks));
    }
    let (values, mut warnings) =
        judge(&request.document.bundle, request.supplied, &kept).map_err(Problem::invalid)?;
    let mut issues = preview.issues;
    issues.append(&mut warnings);
    let planned = decide(&request.document.bundle, &snapshot, request.caller.only.as_ref());
    Ok(Prepared { snapshot, planned, values, issues })
}

/// Secrets that rows of this bundle hold, by setup field.
fn kept_secrets(
    view: &View<'_>,
    snapshot: &Snapshot,
    record: &Record,
) -> Result<BTreeMap<String, Secret>, Problem> {
    let mut kept = BTreeMap::new();
    for entity in record.base.values().filter_map(|base| snapshot.find(&base.id)) {
        for field in entity.secrets.keys() {
            if let Some(secret) = view.secret(&entity.id, field)? {
                kept.insert(field.clone(), secret);
            }
        }
    }
    Ok(kept)
}

/// Fetches the skills that are to be written.
fn fetch_skills(
    document: &Document,
    planned: &[Planned],
    all: bool,
    fetcher: &dyn SkillFetcher,
) -> Result<BTreeMap<String, Fetched>, Problem> {
    let mut fetched = BTreeMap::new();
    for entry in planned.iter().filter(|entry| entry.kind == Kind::Skill) {
        let skill = &document.bundle.skills[entry.index];
        let wanted = all || entry.decision == Decision::Create;
        if skill.source_type != SkillSource::Github || !wanted {
            continue;
        }
        let url = skill.source_url.as_deref().unwrap_or_default();
        let failed = |problem: String| {
            let detail = format!("skill `{}` cannot be fetched: {problem}", skill.key);
            Problem::new(ProblemCode::InstallFailed, detail)
        };
        let source = super::analyze::skill::github_source(url).map_err(failed)?;
        let package = fetcher.fetch(&source).map_err(failed)?;
        if let Some((line, problem)) = super::analyze::skill::front_matter_problem(&package.content) {
            let message = format!("skill `{}`, line {line}: {problem}", skill.key);
            let issue = Issue::block(IssueCode::SkillFrontMatter, message).about("skill", &skill.key);
            return Err(Problem::invalid(vec![issue]));
        }
        fetched.insert(skill.key.clone(), package);
    }
    Ok(fetched)
}

/// Installs: everything is written, or nothing.
pub fn install(
    store: &Store,
    request: &Request<'_>,
    repair_wiring: bool,
    fetcher: &dyn SkillFetcher,
) -> Result<InstallResult, Problem> {
    run(store, request, Mode::Install { repair_wiring }, None, fetcher)
}

/// Fingerprint of a request, by which the second use of a key is told from another request.
fn request_hash(store: &Store, request: &Request<'_>) -> String {
    let mut text = vec![super::document::digest(&request.document.bundle)];
    for (key, value) in request.supplied {
        text.push(key.clone());
        text.push(match value {
            super::values::Supplied::Typed(value) => value.to_string(),
            super::values::Supplied::Written(secret) => secret.expose().to_owned(),
        });
    }
    let parts: Vec<&[u8]> = text.iter().map(String::as_bytes).collect();
    store.vault().digest(&parts)
}

/// A bundle in the log of events.
pub(super) fn subject(record: &Record) -> String {
    format!("{} {} from {}", record.name, record.digest, record.origin)
}

/// Installs or applies. `expected` is the state of the workspace that a plan was made for. What fails on the way, past
/// everything that is the request's own fault, is noted.
pub(super) fn run(
    store: &Store,
    request: &Request<'_>,
    mode: Mode,
    expected: Option<&str>,
    fetcher: &dyn SkillFetcher,
) -> Result<InstallResult, Problem> {
    let outcome = attempt(store, request, mode, expected, fetcher);
    if let Err(problem) = &outcome
        && problem.code == ProblemCode::InstallFailed
    {
        let bundle = &request.document.bundle;
        let subject = format!("{} {}", bundle.name, super::document::digest(bundle));
        let noted = store.write(|transaction| {
            let workspace = transaction.view().workspace(request.workspace)?;
            transaction.audit(&workspace.id, "install failed", &subject)
        });
        // The failure is what the caller hears of.
        drop(noted);
    }
    outcome
}

fn attempt(
    store: &Store,
    request: &Request<'_>,
    mode: Mode,
    expected: Option<&str>,
    fetcher: &dyn SkillFetcher,
) -> Result<InstallResult, Problem> {
    let hash = request.request_key.map(|_| request_hash(store, request));
    if let Some(result) = earlier_result(store, request, hash.as_deref())? {
        return Ok(result);
    }
    let all_skills = matches!(mode, Mode::Apply { .. });
    let mut prepared = prepare(store, request)?;
    if matches!(mode, Mode::Install { repair_wiring: true }) {
        // The write phase says so again where it cannot be put right.
        prepared.issues.retain(|issue| issue.code != IssueCode::AgentToolDangling);
    }
    let mut fetched = fetch_skills(request.document, &prepared.planned, all_skills, fetcher)?;
    let lease = store.lease(&prepared.snapshot.workspace.id, &request.document.bundle.name)?;
    for attempt in 0..2 {
        let outcome = store.write(|transaction| -> Result<Option<InstallResult>, Problem> {
            let now = transaction.view().snapshot(&prepared.snapshot.workspace)?;
            if expected
                .is_some_and(|expected| expected != super::plans::state(&now, &request.document.bundle.name))
            {
                let detail = "the workspace has changed since the plan was made; make it again";
                return Err(Problem::new(ProblemCode::Conflict, detail));
            }
            // Somebody else's install may have brought another key of this publisher.
            if now.publishers != prepared.snapshot.publishers
                || decide(&request.document.bundle, &now, request.caller.only.as_ref()) != prepared.planned
            {
                return Ok(None);
            }
            lease.give_back(transaction)?;
            let job = Job {
                document: request.document,
                values: &prepared.values,
                fetched: &fetched,
                origin: &request.caller.origin,
                signature: request.caller.signature.as_ref(),
                by: request.by,
                allow_enabled: request.allow_enabled,
                mode,
            };
            let written = execute(transaction, &now, &prepared.planned, &job)?;
            let word = if matches!(mode, Mode::Apply { .. }) { "apply" } else { "install" };
            transaction.audit(&now.workspace.id, word, &subject(&written.record))?;
            let result = result_of(written.record, &prepared.issues, written.issues);
            if let (Some(key), Some(hash)) = (request.request_key, &hash) {
                let text = serde_json::to_string(&result).unwrap_or_default();
                transaction.remember(&now.workspace.id, key, hash, &text)?;
            }
            Ok(Some(result))
        })?;
        match outcome {
            Some(result) => return Ok(result),
            None if attempt == 0 => {
                // Something was made or removed in between: decide again, with the lease still held.
                prepared = prepare(store, request)?;
                fetched = fetch_skills(request.document, &prepared.planned, all_skills, fetcher)?;
            }
            None => break,
        }
    }
    Err(Problem::new(ProblemCode::InProgress, "the workspace keeps changing; try again"))
}

fn earlier_result(
    store: &Store,
    request: &Request<'_>,
    hash: Option<&str>,
) -> Result<Option<InstallResult>, Problem> {
    let (Some(key), Some(hash)) = (request.request_key, hash) else { return Ok(None) };
    let found = store.read(|view| -> Result<_, Problem> {
        let workspace = view.workspace(request.workspace)?;
        Ok(view.earlier(&workspace.id, key, store.now() - DAY)?)
    })?;
    match found {
        Some((earlier, result)) if earlier == hash => Ok(serde_json::from_str(&result).ok()),
        Some(_) => Err(Problem::new(ProblemCode::Conflict, "this request key was used for another request")),
        None => Ok(None),
    }
}

fn result_of(record: Record, before: &[Issue], during: Vec<Issue>) -> InstallResult {
    let mut issues = before.to_vec();
    for issue in during {
        let known = issues.iter().any(|other| {
            (other.code, &other.kind, &other.entity_key) == (issue.code, &issue.kind, &issue.entity_key)
        });
        if !known {
            issues.push(issue);
        }
    }
    InstallResult {
        bundle_name: record.name,
        installed_bundle_id: record.id,
        generation: record.generation,
        entities: record.result,
        retired: record.retired,
        issues,
    }
}
