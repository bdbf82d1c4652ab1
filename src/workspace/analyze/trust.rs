//! Who signed a document, and whether that is who signed before.

use super::Caller;
use super::collect::Collector;
use crate::workspace::entity::Snapshot;
use crate::workspace::issue::{Issue, IssueCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who signed a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SignedBy {
    /// The publisher.
    pub publisher: String,
    /// Their public key.
    pub key: String,
    /// Whether this key was used before under this name; a new one is remembered by the install.
    pub known: bool,
}

/// Checks the signature of the document `name` with `digest`.
pub(super) fn check(
    name: &str,
    digest: &str,
    snapshot: &Snapshot,
    caller: &Caller,
    issues: &mut Collector,
) -> Option<SignedBy> {
    let signature = caller.signature.as_ref();
    if let Some(signature) = signature
        && !signature.holds_for(digest)
    {
        let message = "the signature is not one of this document; get both anew, or install without it";
        issues.root(Issue::block(IssueCode::SignatureInvalid, message));
        return None;
    }
    let before = snapshot.records.get(name).and_then(|record| record.publisher.as_deref());
    let now = signature.map(|signature| signature.publisher.as_str());
    if before.is_some() && before != now && !caller.accept_origin {
        let word = |publisher: Option<&str>| match publisher {
            Some(publisher) => format!("signed by `{publisher}`"),
            None => "not signed".to_owned(),
        };
        let message = format!(
            "the bundle `{name}` that is installed was {}, and this one is {}; confirm that it may take its place",
            word(before),
            word(now)
        );
        issues.root(Issue::block(IssueCode::OriginDiffers, message).at("/name"));
    }
    let signature = signature?;
    let pinned = snapshot.publishers.get(&signature.publisher);
    if pinned.is_some_and(|key| *key != signature.key) {
        let message = format!(
            "`{0}` signed with another key before; if they say that they have a new one, `agent-bundle workspace \
             publisher forget {0}` lets it in",
            signature.publisher
        );
        issues.root(Issue::block(IssueCode::PublisherKeyChanged, message));
    }
    Some(SignedBy {
        publisher: signature.publisher.clone(),
        key: signature.key.clone(),
        known: pinned == Some(&signature.key),
    })
}
