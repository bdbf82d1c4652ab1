//! A request, checked against what its operation takes.

use super::operations::{Operation, Takes};
use super::{Identity, query};
use crate::workspace::document::{Data, Document, Node, parse_tree};
use crate::workspace::issue::{Issue, IssueCode};
use crate::workspace::problem::{Problem, ProblemCode};
use crate::workspace::signature::Signature;
use crate::workspace::values::{SuppliedValues, from_node};
use axum::http::{HeaderMap, Uri};
use serde::de::IgnoredAny;
use std::collections::{BTreeMap, BTreeSet};

/// A request.
pub(super) struct Incoming {
    path: BTreeMap<String, String>,
    query: BTreeMap<String, String>,
    body: Option<Node>,
    /// Who asks.
    pub(super) identity: Identity,
    /// The same key twice is one request.
    pub(super) request_key: Option<String>,
}

fn bad(detail: impl Into<String>) -> Problem {
    let detail = detail.into();
    let issue = Issue::block(IssueCode::InvalidValue, detail.clone());
    Problem { issues: vec![issue], ..Problem::new(ProblemCode::BundleInvalid, detail) }
}

impl Incoming {
    pub(super) fn new(
        operation: &Operation,
        path: BTreeMap<String, String>,
        uri: &Uri,
        headers: &HeaderMap,
        bytes: &[u8],
        identity: Identity,
    ) -> Result<Self, Problem> {
        let query = query(uri);
        if let Some(name) =
            query.keys().find(|name| !operation.query.iter().any(|known| known.0 == name.as_str()))
        {
            return Err(bad(format!(
                "there is no query parameter `{}`",
                crate::workspace::display::visible(name)
            )));
        }
        let wrong = query.iter().find(|(_, value)| !matches!(value.as_str(), "true" | "false"));
        if let Some((name, _)) = wrong {
            return Err(bad(format!("`{name}` is `true` or `false`")));
        }
        let body = match operation.takes {
            Takes::Nothing => None,
            Takes::Object(known) => Some(object(bytes, known)?),
        };
        let request_key = headers.get("idempotency-key").map(|value| value.to_str().map(str::to_owned));
        let request_key = request_key.transpose().map_err(|_| bad("`Idempotency-Key` is plain text"))?;
        if request_key.as_ref().is_some_and(|key| key.is_empty() || key.len() > 255) {
            return Err(bad("`Idempotency-Key` has 1 to 255 characters"));
        }
        Ok(Self { path, query, body, identity, request_key })
    }

    pub(super) fn workspace(&self) -> &str {
        self.path.get("workspace").map(String::as_str).unwrap_or_default()
    }

    pub(super) fn id(&self) -> &str {
        self.path.get("id").map(String::as_str).unwrap_or_default()
    }

    pub(super) fn is_set(&self, name: &str) -> bool {
        self.query.get(name).is_some_and(|value| value == "true")
    }

    pub(super) fn member(&self, name: &str) -> Option<&Node> {
        self.body.as_ref().and_then(|body| body.get(name)).filter(|node| !matches!(node.data, Data::Null))
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, Problem> {
        match self.member(name) {
            None => Ok(None),
            Some(node) => match node.as_text() {
                Some(text) => Ok(Some(text)),
                None => Err(bad(format!("`{name}` must be text, not {}", node.shape()))),
            },
        }
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, Problem> {
        match self.member(name).map(|node| (&node.data, node.shape())) {
            None => Ok(false),
            Some((Data::Bool(value), _)) => Ok(*value),
            Some((_, shape)) => Err(bad(format!("`{name}` must be `true` or `false`, not {shape}"))),
        }
    }

    /// A list of texts.
    pub(super) fn texts(&self, name: &str) -> Result<Option<BTreeSet<String>>, Problem> {
        let Some(node) = self.member(name) else { return Ok(None) };
        let wrong = || bad(format!("`{name}` must be a list of texts"));
        let Data::List(items) = &node.data else { return Err(wrong()) };
        let texts = items.iter().map(|item| item.as_text().map(str::to_owned).ok_or_else(wrong));
        texts.collect::<Result<_, _>>().map(Some)
    }

    /// The document in `bundle`.
    pub(super) fn document(&self) -> Result<Document, Problem> {
        let node = self
            .member("bundle")
            .ok_or_else(|| bad("`bundle` is missing; `catalog` may stand in its place"))?;
        Document::from_tree(node.clone()).map_err(Problem::invalid)
    }

    /// The signature in `signature`.
    pub(super) fn signature(&self) -> Result<Option<Signature>, Problem> {
        let read = |node: &Node| serde_json::from_value(node.to_json());
        let wrong = |_| bad("`signature` is an object with `publisher`, `key` and `signature`");
        self.member("signature").map(read).transpose().map_err(wrong)
    }

    /// The values in `setup_values`.
    pub(super) fn values(&self) -> Result<SuppliedValues, Problem> {
        match self.member("setup_values") {
            None => Ok(SuppliedValues::new()),
            Some(node) => {
                from_node(node).map_err(|shape| bad(format!("`setup_values` must be an object, not {shape}")))
            }
        }
    }

    /// A problem of this request's body.
    pub(super) fn wrong(detail: &str) -> Problem {
        bad(detail)
    }
}

/// The body as a tree: JSON, under the limits of documents.
fn object(bytes: &[u8], known: &[&str]) -> Result<Node, Problem> {
    let blank = bytes.iter().all(u8::is_ascii_whitespace);
    if blank || serde_json::from_slice::<IgnoredAny>(bytes).is_err() {
        return Err(bad("the body is not JSON"));
    }
    let tree = parse_tree_of_body(bytes)?;
    let Data::Map(members) = &tree.data else {
        return Err(bad(format!("the body must be an object, not {}", tree.shape())));
    };
    if let Some(member) = members.iter().find(|member| !known.contains(&&*member.key)) {
        let name = crate::workspace::display::visible(&member.key);
        return Err(bad(format!("the body has no member `{name}`")));
    }
    Ok(tree)
}

fn parse_tree_of_body(bytes: &[u8]) -> Result<Node, Problem> {
    parse_tree(bytes).map_err(|issue| Problem::invalid(vec![issue]))
}
