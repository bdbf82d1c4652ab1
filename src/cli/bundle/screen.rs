//! What a person reads. Everything from a document is shown with its control characters spelled out.

use super::Printer;
use crate::workspace::analyze::{Preview, Status, counts};
use crate::workspace::display::visible;
use crate::workspace::entity::ResultEntity;
use crate::workspace::issue::{Issue, Severity};
use crate::workspace::listing::{BundleDetail, BundleList, UninstallResult};
use crate::workspace::plans::{Change, Drift, Plan};
use crate::workspace::problem::Problem;
use crate::workspace::service::InstallResult;

fn issue(issue: &Issue, printer: &Printer) {
    let severity = match issue.severity {
        Severity::Block => "error",
        Severity::Warn => "warning",
    };
    let place = match (issue.line, issue.column) {
        (Some(line), Some(column)) => format!(" (line {line}, column {column})"),
        _ => String::new(),
    };
    printer.note(&format!("{severity}: {}{place}", visible(&issue.message)));
}

pub(super) fn problem(problem: &Problem, printer: &Printer) {
    if problem.issues.is_empty() {
        printer.note(&format!("error: {}", visible(&problem.detail)));
    }
    for entry in &problem.issues {
        issue(entry, printer);
    }
}

fn row(word: &str, kind: &str, key: &str, name: &str, detail: Option<&str>, printer: &Printer) {
    let detail = detail.map(|detail| format!("  {}", visible(detail))).unwrap_or_default();
    printer.line(&format!("{word:<9} {kind:<10} {key:<20} {}{detail}", visible(name)));
}

pub(super) fn preview(preview: &Preview, printer: &Printer) {
    for entity in &preview.entities {
        let word = match entity.status {
            Status::WillCreate => "CREATE",
            Status::AlreadyExists => "REUSE",
            Status::Unsupported => "SKIPPED",
        };
        row(word, entity.kind.word(), &entity.key, &entity.name, entity.detail.as_deref(), printer);
    }
    for agent in preview.bundle.agents.iter().filter(|agent| !agent.instruction.is_empty()) {
        printer.line(&format!("\nagent {} is told:\n{}", agent.key, visible(&agent.instruction)));
    }
    if let Some(signed) = &preview.signed_by {
        let known = if signed.known { "known" } else { "seen for the first time" };
        printer.line(&format!(
            "signed by {} with the key {} ({known})",
            visible(&signed.publisher),
            visible(&signed.key)
        ));
    }
    for entry in &preview.issues {
        issue(entry, printer);
    }
    let (create, reuse, skip) = counts(&preview.entities);
    let verdict = if preview.installable { "can be installed" } else { "cannot be installed" };
    printer.line(&format!(
        "{} {verdict}: {create} to create, {reuse} to reuse, {skip} skipped",
        visible(&preview.bundle.name)
    ));
}

fn entities(entities: &[ResultEntity], printer: &Printer) {
    for entity in entities {
        let word = format!("{:?}", entity.action).to_uppercase();
        row(&word, entity.kind.word(), &entity.key, &entity.name, entity.detail.as_deref(), printer);
    }
}

pub(super) fn result(result: &InstallResult, printer: &Printer) {
    entities(&result.entities, printer);
    for entry in &result.retired {
        row("RETIRED", entry.kind.word(), &entry.key, &entry.name, None, printer);
    }
    for entry in &result.issues {
        issue(entry, printer);
    }
    printer.line(&format!("{} is installed ({})", visible(&result.bundle_name), result.installed_bundle_id));
}

pub(super) fn changes(changes: &[Change], printer: &Printer) {
    for change in changes {
        let word = format!("{:?}", change.action).to_uppercase();
        row(&word, change.kind.word(), &change.key, &change.name, None, printer);
        for field in &change.fields {
            let side = |value: &Option<serde_json::Value>| match value {
                Some(value) => visible(&shorten(&value.to_string())),
                None if field.field.starts_with("secrets/") => "(secret)".to_owned(),
                None => "(absent)".to_owned(),
            };
            let outcome = format!("{:?}", field.outcome).to_lowercase();
            printer.line(&format!(
                "          {outcome}: {}  {} → {}",
                field.field,
                side(&field.live),
                side(&field.new)
            ));
        }
    }
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= 80 {
        return text.to_owned();
    }
    let head: String = text.chars().take(79).collect();
    format!("{head}…")
}

pub(super) fn plan(plan: &Plan, printer: &Printer) {
    changes(&plan.changes, printer);
    for entry in &plan.issues {
        issue(entry, printer);
    }
    if plan.empty {
        printer.line(&format!("{}: nothing to do", visible(&plan.bundle_name)));
    }
}

pub(super) fn drift(drift: &Drift, printer: &Printer) {
    for row in &drift.drifted {
        printer.line(&format!("{:<9} {}", row.state, row.entity));
        for field in &row.fields {
            printer.line(&format!("          {}", field.field));
        }
    }
    if drift.drifted.is_empty() {
        printer.line(&format!("{} is as it was installed", visible(&drift.bundle_name)));
    }
}

pub(super) fn list(list: &BundleList, printer: &Printer) {
    for bundle in &list.bundles {
        printer.line(&format!(
            "{:<24} {}  installs: {}  from {}",
            visible(&bundle.name),
            bundle.id,
            bundle.generation,
            visible(&bundle.origin)
        ));
    }
}

pub(super) fn detail(detail: &BundleDetail, printer: &Printer) {
    printer.line(&format!("{}  {}", visible(&detail.summary.name), detail.summary.digest));
    for entity in &detail.entities {
        let id = entity.id.as_deref();
        let word = format!("{:?}", entity.action).to_uppercase();
        row(&word, entity.kind.word(), &entity.key, &entity.name, id, printer);
    }
    for entry in &detail.retired {
        row("RETIRED", entry.kind.word(), &entry.key, &entry.name, Some(&entry.id), printer);
    }
}

pub(super) fn uninstall(result: &UninstallResult, printer: &Printer) {
    for entity in &result.entities {
        let word = if entity.removes() { "DELETE" } else { "KEEP" };
        row(word, entity.kind.word(), &entity.id, &entity.name, entity.reason.as_deref(), printer);
    }
    let verb = if result.dry_run { "would be" } else { "is" };
    printer.line(&format!("{} {verb} uninstalled", visible(&result.bundle_name)));
}
