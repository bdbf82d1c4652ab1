//! Values that look like credentials, and what a person said about them. An answer belongs to one place and one value; the
//! same workspace with the same answers gives the same document.

use super::{Options, from_snapshot};
use crate::workspace::entity::Entity;
use crate::workspace::problem::Problem;
use crate::workspace::store::Store;
use std::collections::BTreeSet;

/// A value that an export replaces because it looks like a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Where it stands, for people.
    pub label: String,
    /// Its beginning and its length.
    pub masked: String,
    mark: String,
}

/// What a person said so far.
pub(super) struct Marks<'a> {
    pub(super) store: &'a Store,
    pub(super) known: BTreeSet<String>,
}

impl Marks<'_> {
    /// The value as a hit; `None` when a person said that it is no credential.
    pub(super) fn hit(&self, row: &Entity, place: &str, label: &str, value: &str) -> Option<Hit> {
        let parts = ["export", &row.id, place, value];
        let mark = self.store.vault().digest(&parts.map(str::as_bytes));
        let unknown = !self.known.contains(&mark);
        unknown.then(|| Hit { label: label.to_owned(), masked: masked(value), mark })
    }
}

/// At most a quarter of a value, and never more than four characters.
fn masked(value: &str) -> String {
    let length = value.chars().count();
    let head: String = value.chars().take((length / 4).min(4)).collect();
    format!("{head}… ({length} characters)")
}

/// What an export of a workspace would replace because of its looks.
pub fn suspects(store: &Store, workspace: &str) -> Result<Vec<Hit>, Problem> {
    let (snapshot, known) = super::read(store, workspace)?;
    let options = Options { allow_suspected: true, ..Options::default() };
    from_snapshot(&snapshot, &options, &Marks { store, known }).map(|(_, hits)| hits)
}

/// Remembers that a value is no credential.
pub fn keep(store: &Store, workspace: &str, hit: &Hit) -> Result<(), Problem> {
    store.write(|transaction| {
        let workspace = transaction.view().workspace(workspace)?;
        transaction.put_export_mark(&workspace.id, &hit.mark)?;
        Ok(transaction.audit(&workspace.id, "not a credential", &hit.label)?)
    })
}

/// Forgets everything that was said.
pub fn forget_answers(store: &Store, workspace: &str) -> Result<(), Problem> {
    store.write(|transaction| {
        let workspace = transaction.view().workspace(workspace)?;
        Ok(transaction.delete_export_marks(&workspace.id)?)
    })
}

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn little_is_shown() {
        for (value, shown) in [
            ("abc", "… (3 characters)"),
            ("äbcdefgh", "äb… (8 characters)"),
            (&"x".repeat(99), "xxxx… (99 characters)"),
        ] {
            assert_eq!(masked(value), shown);
        }
    }
}
