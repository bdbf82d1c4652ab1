//! Issues in the order of the document.

use crate::workspace::document::{Document, Kind};
use crate::workspace::issue::{Issue, IssueCode};

/// Collects issues with the place that orders them.
#[derive(Default)]
pub(super) struct Collector {
    issues: Vec<((usize, usize, IssueCode), Issue)>,
}

impl Collector {
    /// About the document as a whole.
    pub(super) fn root(&mut self, issue: Issue) {
        self.issues.push(((0, 0, issue.code), issue));
    }

    /// About a setup field.
    pub(super) fn setup(&mut self, index: usize, issue: Issue) {
        let mut issue = issue;
        issue.kind = Some("setup".to_owned());
        issue.path.get_or_insert_with(|| format!("/setup/{index}"));
        self.issues.push(((1, index, issue.code), issue));
    }

    /// About an entity.
    pub(super) fn add(&mut self, kind: Kind, index: usize, issue: Issue) {
        let section = 2 + Kind::ALL.iter().position(|other| *other == kind).unwrap_or(0);
        let mut issue = issue;
        issue.kind = Some(kind.word().to_owned());
        issue.path.get_or_insert_with(|| format!("/{}/{index}", kind.section()));
        self.issues.push(((section, index, issue.code), issue));
    }

    /// All issues in order, with keys, lines and columns.
    pub(super) fn finish(mut self, document: &Document) -> Vec<Issue> {
        self.issues.sort_by_key(|(place, _)| *place);
        let bundle = &document.bundle;
        let keys: std::collections::BTreeMap<(usize, usize), &str> = bundle
            .entities()
            .into_iter()
            .map(|(kind, index, key, _)| {
                let section = 2 + Kind::ALL.iter().position(|other| *other == kind).unwrap_or(0);
                ((section, index), key)
            })
            .chain(bundle.setup.iter().enumerate().map(|(index, field)| ((1, index), field.key.as_str())))
            .collect();
        self.issues
            .into_iter()
            .map(|((section, index, _), mut issue)| {
                if section > 0 && issue.entity_key.is_none() {
                    issue.entity_key = keys.get(&(section, index)).map(|key| (*key).to_owned());
                }
                if let Some(path) = &issue.path {
                    let (line, column) = document.locate(path);
                    issue = issue.place(line, column);
                }
                issue
            })
            .collect()
    }
}
