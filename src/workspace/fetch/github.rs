//! A skill from a directory of a public repository, at the commit that its branch or tag has now.

use super::client::Client;
use crate::workspace::analyze::skill::GithubSource;
use crate::workspace::render::Fetched;
use crate::world::is_safe_relative;
use serde_json::Value;
use std::collections::BTreeMap;

const MANIFEST: &str = "SKILL.md";
const MAX_LISTING: usize = 8 * 1024 * 1024;
const MAX_FILES: usize = 200;
const MAX_BYTES: usize = 10 * 1024 * 1024;

/// Fetches skills.
pub trait SkillFetcher: Send + Sync {
    /// The package of a source; `Err` says why there is none.
    fn fetch(&self, source: &GithubSource) -> Result<Fetched, String>;
}

/// Fetches from a code host with GitHub's interface.
#[derive(Clone)]
pub struct Github {
    client: Client,
    api: String,
    raw: String,
}

impl Github {
    /// Fetches from github.com.
    pub fn new(client: Client) -> Self {
        Self::at(client, "https://api.github.com", "https://raw.githubusercontent.com")
    }

    /// Fetches from other addresses.
    pub fn at(client: Client, api: &str, raw: &str) -> Self {
        Self { client, api: api.to_owned(), raw: raw.to_owned() }
    }

    fn json(&self, path: &str) -> Result<Value, String> {
        let bytes = self
            .client
            .get(&format!("{}{path}", self.api), MAX_LISTING)
            .map_err(|error| error.to_string())?;
        serde_json::from_slice(&bytes).map_err(|_| "the answer is not JSON".to_owned())
    }
}

impl SkillFetcher for Github {
    fn fetch(&self, source: &GithubSource) -> Result<Fetched, String> {
        let repository = format!("/repos/{}/{}", source.owner, source.repository);
        let reference = source.reference.as_deref().unwrap_or("HEAD");
        let commit = self.json(&format!("{repository}/commits/{reference}"))?;
        let commit = commit
            .get("sha")
            .and_then(Value::as_str)
            .filter(|sha| is_commit(sha))
            .ok_or("the commit has no id")?;
        let listing = self.json(&format!("{repository}/git/trees/{commit}?recursive=1"))?;
        if listing.get("truncated") == Some(&Value::Bool(true)) {
            return Err("the repository has too many files to be listed".to_owned());
        }
        let files = package(&listing, &source.directory)?;
        let mut package = Fetched { commit: Some(commit.to_owned()), ..Fetched::default() };
        let mut left = MAX_BYTES;
        for (relative, path) in files {
            let url = format!("{}/{}/{}/{commit}/{path}", self.raw, source.owner, source.repository);
            let bytes = self.client.get(&url, left).map_err(|error| format!("{relative}: {error}"))?;
            left = left.saturating_sub(bytes.len());
            let text = String::from_utf8(bytes).map_err(|_| format!("{relative} is not text"))?;
            if relative == MANIFEST {
                package.content = text;
            } else {
                package.files.insert(relative, text);
            }
        }
        Ok(package)
    }
}

fn is_commit(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The files of the one package below `directory`: relative to it, and in the repository.
fn package(listing: &Value, directory: &str) -> Result<BTreeMap<String, String>, String> {
    let entries = listing.get("tree").and_then(Value::as_array).ok_or("the listing holds no files")?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.get("path").and_then(Value::as_str).unwrap_or_default();
        if !is_safe_relative(path) {
            return Err("the repository holds a path that leads out of it".to_owned());
        }
        if entry.get("type").and_then(Value::as_str) == Some("blob") {
            paths.push(path);
        }
    }
    let head = if directory.is_empty() { String::new() } else { format!("{directory}/") };
    let manifests: Vec<&str> = paths
        .iter()
        .filter(|path| path.starts_with(&head) && path.rsplit('/').next() == Some(MANIFEST))
        .copied()
        .collect();
    let manifest = match manifests.as_slice() {
        [] => return Err(format!("there is no {MANIFEST}")),
        [one] => *one,
        _ => return Err("there are several skills; name the directory of one".to_owned()),
    };
    let root = manifest.strip_suffix(MANIFEST).unwrap_or_default();
    let files: BTreeMap<String, String> = paths
        .iter()
        .filter_map(|path| Some((path.strip_prefix(root)?.to_owned(), (*path).to_owned())))
        .collect();
    if files.len() > MAX_FILES {
        return Err(format!("the skill has more than {MAX_FILES} files"));
    }
    Ok(files)
}
