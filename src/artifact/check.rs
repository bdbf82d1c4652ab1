//! Validation of an artifact without its sources.

use super::index::POLICY;
use super::tree::{is_operator_file, list_files};
use super::{EVIDENCE_FILE, Evidence, INDEX_FILE, Index, imports, is_builtin};
use crate::diagnostic::{Code, Diagnostic, normalize};
use crate::engine::FileKind;
use crate::world::{Digest, Kind, World};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Checks one host document: host, document role and bytes in, findings out.
pub type CheckDocument<'a> = &'a dyn Fn(&str, &str, &[u8]) -> Vec<Diagnostic>;

/// Checks the artifact at `directory`: index, file table, JSON files, modules, and the agreement of host documents
/// with the launch records. Schemas of host documents are checked by `document`, which gets host, document role and
/// bytes.
pub fn check_artifact(
    world: &dyn World,
    directory: &Path,
    document: CheckDocument,
) -> (Option<Index>, Vec<Diagnostic>) {
    let unreadable = |message: String| (None, vec![Diagnostic::new(Code::AB6000, message)]);
    let bytes = match world.read(&directory.join(INDEX_FILE)) {
        Ok(bytes) => bytes,
        Err(error) => return unreadable(format!("{INDEX_FILE} cannot be read: {error}")),
    };
    let index = match Index::from_bytes(&bytes) {
        Ok(index) => index,
        Err(reason) => {
            let found = Diagnostic::new(Code::AB6001, format!("{INDEX_FILE} is refused: {reason}"));
            return (None, vec![found.generated(INDEX_FILE)]);
        }
    };
    let on_disk = match list_files(world, directory) {
        Ok(entries) => entries,
        Err(error) => return unreadable(format!("the artifact cannot be listed: {error}")),
    };
    let mut check = Check { world, directory, index: &index, contents: BTreeMap::new(), found: Vec::new() };
    check.tree(&on_disk);
    check.json();
    check.modules();
    check.documents(document);
    let mut found = check.found;
    normalize(&mut found);
    (Some(index), found)
}

struct Check<'a> {
    world: &'a dyn World,
    directory: &'a Path,
    index: &'a Index,
    contents: BTreeMap<String, Vec<u8>>,
    found: Vec<Diagnostic>,
}

impl Check<'_> {
    fn report(&mut self, code: Code, path: &str, message: String) {
        self.found.push(Diagnostic::new(code, message).generated(path));
    }

    /// The tree and the file table agree, to the byte.
    fn tree(&mut self, on_disk: &[(String, Kind)]) {
        let rows: BTreeSet<&str> = self.index.files.iter().map(|row| row.path.as_str()).collect();
        for (path, kind) in on_disk {
            if is_operator_file(path) || path == INDEX_FILE {
                continue;
            }
            match kind {
                Kind::File if rows.contains(path.as_str()) => {}
                Kind::File => self.report(Code::AB6004, path, format!("{path} is not in the file table")),
                Kind::Dir => self.report(Code::AB6014, path, format!("{path} is an empty directory")),
                Kind::Link | Kind::Other => {
                    self.report(Code::AB6013, path, format!("{path} is a link or a special file"));
                }
            }
        }
        for row in &self.index.files {
            match self.world.read(&self.directory.join(&row.path)) {
                Ok(bytes) => {
                    if Some(Digest::of(&bytes)) != row.digest() || bytes.len() as u64 != row.bytes {
                        self.report(
                            Code::AB6004,
                            &row.path,
                            format!("{} was changed after the build", row.path),
                        );
                    }
                    self.contents.insert(row.path.clone(), bytes);
                }
                Err(error) => {
                    self.report(Code::AB6004, &row.path, format!("{} cannot be read: {error}", row.path));
                }
            }
        }
    }

    fn json(&mut self) {
        let broken: Vec<(String, String)> = self
            .contents
            .iter()
            .filter(|(path, _)| path.ends_with(".json"))
            .filter(|(path, _)| !path.starts_with("assets/") && !path.starts_with("skills/"))
            .filter_map(|(path, bytes)| {
                let error = serde_json::from_slice::<Value>(bytes).err()?;
                Some((path.clone(), error.to_string()))
            })
            .collect();
        for (path, error) in broken {
            self.report(Code::AB6006, &path, format!("{path} is not valid JSON: {error}"));
        }
    }

    /// The evidence agrees with the table, and no compiled module imports anything but built-ins and siblings.
    fn modules(&mut self) {
        let bundles: Vec<_> = self
            .index
            .files
            .iter()
            .filter(|row| row.kind == FileKind::Bundle)
            .map(|row| row.path.clone())
            .collect();
        let evidence =
            self.contents.get(EVIDENCE_FILE).map(|bytes| serde_json::from_slice::<Evidence>(bytes));
        match evidence {
            Some(Ok(evidence)) if evidence.policy == POLICY => self.evidence(&evidence, &bundles),
            _ => self.report(Code::AB6039, EVIDENCE_FILE, "the compile evidence cannot be read".to_owned()),
        }
        for path in bundles {
            let Some(bytes) = self.contents.get(&path) else { continue };
            let found = imports(&String::from_utf8_lossy(bytes));
            match found {
                Err(reason) => self.report(Code::AB6005, &path, format!("{path} has {reason}")),
                Ok(requests) => {
                    for request in requests.iter().filter(|request| !is_builtin(request)) {
                        self.sibling(&path, request);
                    }
                }
            }
        }
    }

    fn sibling(&mut self, path: &str, request: &str) {
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        let target = request.strip_prefix("./").map(|name| format!("{directory}/{name}"));
        if !target.is_some_and(|target| self.contents.contains_key(target.trim_start_matches('/'))) {
            self.report(
                Code::AB6005,
                path,
                format!("{path} imports `{request}`, which the artifact does not hold"),
            );
        }
    }

    fn evidence(&mut self, evidence: &Evidence, bundles: &[String]) {
        let rows: BTreeMap<&str, &str> =
            evidence.files.iter().map(|row| (row.path.as_str(), row.sha256.as_str())).collect();
        let table: BTreeMap<&str, &str> =
            self.index.files.iter().map(|row| (row.path.as_str(), row.sha256.as_str())).collect();
        let agree = rows.len() == bundles.len()
            && bundles.iter().all(|path| rows.get(path.as_str()) == table.get(path.as_str()));
        if !agree {
            let message = "the compile evidence does not speak of the compiled files that are here";
            self.report(Code::AB6039, EVIDENCE_FILE, message.to_owned());
        }
    }

    /// Host documents exist, fit their schemas and start what the launch records say.
    fn documents(&mut self, document: CheckDocument) {
        for projection in &self.index.projections {
            for (role, path) in &projection.documents {
                let Some(bytes) = self.contents.get(path) else {
                    self.found.push(
                        Diagnostic::new(Code::AB6011, format!("{path} is missing"))
                            .generated(path)
                            .target(&projection.host),
                    );
                    continue;
                };
                let mut found = document(&projection.host, role, bytes);
                self.found.append(&mut found);
            }
            if let Some(path) = projection.documents.get("mcp") {
                self.launches(&projection.host, path);
            }
        }
        let entries: Vec<&str> = self
            .index
            .executables
            .mcp_servers
            .iter()
            .filter_map(|server| server.launch.as_ref())
            .map(|launch| launch.entry.as_str())
            .collect();
        for entry in entries {
            if !self.contents.contains_key(entry) {
                self.found
                    .push(Diagnostic::new(Code::AB6017, format!("{entry} is missing")).generated(entry));
            }
        }
    }

    /// Every compiled server of this host is in its document, and every bundled file that the document starts is a
    /// launch record's.
    fn launches(&mut self, host: &str, path: &str) {
        let document: Value =
            self.contents.get(path).and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default();
        let servers =
            document.get("mcpServers").unwrap_or(&document).as_object().cloned().unwrap_or_default();
        let started = |name: &str| {
            let first = servers.get(name)?.get("args")?.as_array()?.first()?.as_str()?;
            Some(first[first.find("mcp/")?..].to_owned())
        };
        let mut wrong = Vec::new();
        for server in &self.index.executables.mcp_servers {
            let Some(launch) = &server.launch else { continue };
            let expected = server.hosts.iter().any(|name| name == host);
            match (expected, started(&server.name)) {
                (true, Some(entry)) if entry == launch.entry => {}
                (true, Some(entry)) => {
                    wrong.push((
                        Code::AB6017,
                        format!("{path} starts `{entry}`, the index says `{}`", launch.entry),
                    ));
                }
                (true, None) => {
                    wrong.push((Code::AB6017, format!("{path} does not start `{}`", server.name)))
                }
                (false, Some(_)) => {
                    wrong.push((
                        Code::AB6017,
                        format!("{path} starts `{}`, which is not for {host}", server.name),
                    ));
                }
                (false, None) => {}
            }
        }
        let known: BTreeSet<&str> =
            self.index.executables.mcp_servers.iter().map(|row| row.name.as_str()).collect();
        for name in servers.keys().filter(|name| !known.contains(name.as_str())) {
            wrong.push((
                Code::AB6007,
                format!("{path} names the server `{name}`, which the index does not know"),
            ));
        }
        for (code, message) in wrong {
            self.found.push(Diagnostic::new(code, message).generated(path).target(host));
        }
    }
}
