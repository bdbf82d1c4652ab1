use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use walkdir::WalkDir;

/// All files below a directory with their bytes, links not followed; a link counts as its target's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree(BTreeMap<String, Vec<u8>>);

impl Tree {
    /// Reads `root`; a missing directory is an empty tree.
    pub fn of(root: &Path) -> Self {
        let mut files = BTreeMap::new();
        for entry in WalkDir::new(root).min_depth(1).into_iter().map_while(Result::ok) {
            let bytes = match entry.file_type() {
                kind if kind.is_dir() => continue,
                kind if kind.is_symlink() => {
                    fs::read_link(entry.path()).unwrap().to_string_lossy().into_owned().into_bytes()
                }
                _ => fs::read(entry.path()).unwrap(),
            };
            let path = entry.path().strip_prefix(root).unwrap();
            files.insert(path.to_str().unwrap().to_owned(), bytes);
        }
        Self(files)
    }

    /// Path and bytes of every file.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
    }

    /// Paths of all files.
    pub fn paths(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// Whether there is a file at `path`.
    pub fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    /// The text of a file.
    #[track_caller]
    pub fn text(&self, path: &str) -> String {
        let bytes = self.0.get(path).unwrap_or_else(|| panic!("no {path} in {:#?}", self.paths()));
        String::from_utf8(bytes.clone()).unwrap()
    }

    /// The JSON document in a file.
    #[track_caller]
    pub fn json(&self, path: &str) -> serde_json::Value {
        serde_json::from_str(&self.text(path)).unwrap()
    }

    /// The only file whose path begins with `prefix`.
    #[track_caller]
    pub fn only(&self, prefix: &str) -> String {
        let found: Vec<&String> = self.0.keys().filter(|path| path.starts_with(prefix)).collect();
        assert_eq!(found.len(), 1, "{prefix}: {found:?}");
        found[0].clone()
    }

    /// Paths at which the two do not hold the same bytes.
    pub fn differing<'a>(&'a self, other: &'a Self) -> Vec<&'a String> {
        let differ = |path: &&String| self.0.get(*path) != other.0.get(*path);
        let mut paths: Vec<&String> = self.0.keys().chain(other.0.keys()).filter(differ).collect();
        paths.sort();
        paths.dedup();
        paths
    }

    /// Insists that both hold the same bytes at the same paths; says which differ.
    #[track_caller]
    pub fn same_as(&self, other: &Self) {
        let paths = self.differing(other);
        assert!(paths.is_empty(), "these differ: {paths:#?}");
    }

    /// Paths of files that hold `needle`.
    pub fn holding(&self, needle: &str) -> Vec<&str> {
        let needle = needle.as_bytes();
        let holds = |bytes: &Vec<u8>| bytes.windows(needle.len()).any(|window| window == needle);
        self.0.iter().filter(|(_, bytes)| holds(bytes)).map(|(path, _)| path.as_str()).collect()
    }
}
