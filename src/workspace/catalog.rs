//! Catalogs: lists of documents that can be installed. Syncing makes nothing in any workspace.

use super::document::{Data, Document, Node, canonical, digest, parse_tree};
use super::issue::{Issue, IssueCode};
use super::plans::preview_alone;
use super::problem::{Problem, ProblemCode};
use super::signature::Signature;
use super::store::Store;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest catalog, in bytes. Its items obey the limits of documents one by one.
pub const MAX_BYTES: usize = super::document::MAX_BYTES;
const TYPES: [&str; 4] = ["bundles", "skills", "mcps", "agents"];
/// How the origin of an installed bundle begins when it came from a catalog.
const ORIGIN: &str = "catalog:";

/// An item of a catalog.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Item {
    /// Registry that it is in.
    pub registry: String,
    /// Name of its document.
    pub external_id: String,
    /// Name for people.
    pub name: String,
    /// Version of the format, or of the item where it says one.
    pub version: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Digest of its document; empty when the document cannot be read.
    pub digest: String,
    /// Its document in canonical form; empty when it cannot be read.
    pub spec: String,
    /// The signature of its publisher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
    /// Whether it could be installed into an empty workspace.
    pub installable: bool,
    /// Why not, and what else is worth knowing.
    pub issues: Vec<Issue>,
}

/// An item and what a workspace has of it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Listed {
    /// The item.
    #[serde(flatten)]
    pub item: Item,
    /// Whether the workspace has it.
    pub installed: bool,
    /// Whether the workspace has another version of it.
    pub update: bool,
}

/// What a registry holds now.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Synced {
    /// Its items.
    pub items: Vec<Item>,
}

/// All items of all registries.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Catalog {
    /// The items, with what the workspace has of them.
    pub items: Vec<Listed>,
}

/// Reads a catalog. Pure.
pub fn read(registry: &str, bytes: &[u8]) -> Result<Vec<Item>, Problem> {
    let tree = parse_tree(bytes).map_err(|issue| Problem::invalid(vec![issue]))?;
    let lists: Vec<(&str, &Node)> = TYPES
        .iter()
        .filter_map(|word| Some((*word, tree.get(word)?)))
        .filter(|(_, node)| matches!(node.data, Data::List(_)))
        .collect();
    let entries = match lists.as_slice() {
        [("bundles", Node { data: Data::List(entries), .. })] => entries,
        [(other, _)] => return Err(unreadable(&format!("a catalog of {other} is not one of bundles"))),
        [] => return Err(unreadable("the catalog has no list `bundles`")),
        _ => return Err(unreadable("the catalog has lists of several types")),
    };
    Ok(entries.iter().filter_map(|entry| item(registry, entry)).collect())
}

fn unreadable(detail: &str) -> Problem {
    Problem::new(ProblemCode::BundleInvalid, detail)
}

/// An item; entries without a name are none.
fn item(registry: &str, entry: &Node) -> Option<Item> {
    let name = entry.get("name")?.as_text()?.to_owned();
    let texts = |node: Option<&Node>| match node.map(Node::to_json) {
        Some(Value::Array(items)) => {
            Some(items.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>())
        }
        _ => None,
    };
    let text = |key: &str| entry.get(key).and_then(Node::as_text).map(str::to_owned);
    let tags = texts(entry.get("tags"))
        .or_else(|| texts(entry.get("metadata").and_then(|metadata| metadata.get("capabilities"))));
    let mut item = Item {
        registry: registry.to_owned(),
        name: text("display_name").unwrap_or_else(|| name.clone()),
        external_id: name,
        version: text("version").or_else(|| text("schema_version")).unwrap_or_default(),
        tags: tags.unwrap_or_default(),
        digest: String::new(),
        spec: String::new(),
        signature: None,
        installable: false,
        issues: Vec::new(),
    };
    match Document::from_tree(without_listing(entry)) {
        Err(issues) => item.issues = issues,
        Ok(document) => {
            let preview = preview_alone(&document);
            let signature =
                entry.get("signature").map(|node| Signature::parse(node.to_json().to_string().as_bytes()));
            item.digest = digest(&document.bundle);
            item.spec = canonical(&document.bundle);
            item.installable = preview.installable;
            item.issues = preview.issues;
            match signature {
                Some(Ok(signature)) if signature.holds_for(&item.digest) => item.signature = Some(signature),
                Some(_) => {
                    item.installable = false;
                    let message = "the signature is not one of this document";
                    item.issues.push(Issue::block(IssueCode::SignatureInvalid, message));
                    // Installed as if it had none, it would seem to be in order.
                    item.spec.clear();
                }
                None => {}
            }
            if item.version.is_empty() {
                item.version.clone_from(&document.bundle.schema_version);
            }
        }
    }
    Some(item)
}

/// The entry without the members that belong to the catalog and not to the document.
fn without_listing(entry: &Node) -> Node {
    match &entry.data {
        Data::Map(members) => {
            let kept =
                members.iter().filter(|member| !matches!(&*member.key, "tags" | "version" | "signature"));
            Node { data: Data::Map(kept.cloned().collect()), ..entry.clone() }
        }
        _ => entry.clone(),
    }
}

/// Takes a catalog in, in the place of what the registry had before.
pub fn sync(store: &Store, registry: &str, source: &str, bytes: &[u8]) -> Result<Synced, Problem> {
    if !super::store::is_slug(registry) {
        return Err(Problem::new(
            ProblemCode::BadRequest,
            "the name of a registry is small letters and digits with single hyphens",
        ));
    }
    let items = read(registry, bytes)?;
    store.write(|transaction| -> Result<(), Problem> {
        let texts: Vec<(String, String)> = items
            .iter()
            .map(|item| (item.external_id.clone(), serde_json::to_string(item).unwrap_or_default()))
            .collect();
        Ok(transaction.put_registry(registry, source, &texts)?)
    })?;
    Ok(Synced { items })
}

/// Takes a catalog in again from the address that it came from. A registry serves all workspaces, so which address that is
/// is not for one of them to say.
pub fn sync_again(
    store: &Store,
    workspace: &str,
    registry: &str,
    fetch: &dyn Fn(&str) -> Result<Vec<u8>, Problem>,
) -> Result<Synced, Problem> {
    let source = store.read(|view| view.registry_source(registry))?;
    let source = source.ok_or_else(|| Problem::new(ProblemCode::NotFound, "there is no such registry"))?;
    if !source.starts_with("https://") && !source.starts_with("http://") {
        let detail = "that registry was taken from a file; take it in again on the command line";
        return Err(Problem::new(ProblemCode::BadRequest, detail));
    }
    let synced = sync(store, registry, &source, &fetch(&source)?)?;
    store.write(|transaction| {
        let workspace = transaction.view().workspace(workspace)?;
        transaction.audit(&workspace.id, "sync catalog", registry)
    })?;
    Ok(synced)
}

/// All items, with what a workspace has of them.
pub fn list(store: &Store, workspace: &str) -> Result<Catalog, Problem> {
    let (items, snapshot) = store.read(|view| -> Result<_, Problem> {
        Ok((view.catalog()?, view.snapshot(&view.workspace(workspace)?)?))
    })?;
    let listed = items.iter().filter_map(|text| serde_json::from_str::<Item>(text).ok()).map(|item| {
        let record = snapshot
            .records
            .get(&item.external_id)
            .filter(|record| same_origin(&record.origin, &origin(&item)));
        Listed {
            installed: record.is_some(),
            update: record.is_some_and(|record| record.digest != item.digest),
            item,
        }
    });
    Ok(Catalog { items: listed.collect() })
}

/// The item of that name, or of `<registry>/<name>`.
pub fn find(store: &Store, name: &str) -> Result<Item, Problem> {
    let items = store.read(|view| view.catalog())?;
    let mut found: Vec<Item> = items
        .iter()
        .filter_map(|text| serde_json::from_str::<Item>(text).ok())
        .filter(|item| item.external_id == name || format!("{}/{}", item.registry, item.external_id) == name)
        .collect();
    match (found.pop(), found.is_empty()) {
        (Some(item), true) if item.spec.is_empty() => Err(Problem::invalid(item.issues)),
        (Some(item), true) => Ok(item),
        (Some(_), false) => Err(Problem::new(
            ProblemCode::Conflict,
            "several registries have an item of that name; write <registry>/<name>",
        )),
        (None, _) => Err(Problem::new(ProblemCode::NotFound, "no catalog has an item of that name")),
    }
}

/// Where a bundle that is installed from an item came from.
pub fn origin(item: &Item) -> String {
    format!("{ORIGIN}{}/{}@{}", item.registry, item.external_id, item.digest)
}

/// Whether two origins are one source: another version of a catalog's item is the same item.
pub fn same_origin(a: &str, b: &str) -> bool {
    fn item(origin: &str) -> &str {
        match origin.strip_prefix(ORIGIN).and_then(|rest| rest.rsplit_once('@')) {
            Some((item, _)) => item,
            None => origin,
        }
    }
    a == b || (a.starts_with(ORIGIN) && b.starts_with(ORIGIN) && item(a) == item(b))
}
