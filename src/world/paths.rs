//! Project-relative paths: the only form in which a path enters a key, a record or a message.

use std::path::{Component, Path, PathBuf};

/// The project root, and the two directions between absolute and relative paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root(PathBuf);

impl Root {
    /// A root; `path` must be absolute and free of links.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The absolute path of the root.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The absolute path of a relative one.
    pub fn absolute(&self, relative: &str) -> PathBuf {
        let mut path = self.0.clone();
        for part in relative.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    path.pop();
                }
                part => path.push(part),
            }
        }
        path
    }

    /// The relative path of an absolute one, with `/` on every system; a path outside the root starts
    /// with `..`.
    pub fn relative(&self, path: &Path) -> String {
        if let Ok(inside) = path.strip_prefix(&self.0) {
            return slash(inside);
        }
        let mut base = self.0.as_path();
        let mut up = String::new();
        while let Some(parent) = base.parent() {
            up.push_str("../");
            base = parent;
            if let Ok(rest) = path.strip_prefix(base) {
                return format!("{up}{}", slash(rest)).trim_end_matches('/').to_owned();
            }
        }
        slash(path)
    }

    /// Whether `path` (absolute, links resolved) lies in the root.
    pub fn contains(&self, path: &Path) -> bool {
        path.starts_with(&self.0)
    }
}

/// A path with `/` between its parts.
pub fn slash(path: &Path) -> String {
    let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/").replacen("//", "/", 1)
}

/// Whether `text` is a nonempty relative path with `/` separators that stays below its base.
pub fn is_safe_relative(text: &str) -> bool {
    !text.is_empty()
        && !text.contains(['\\', '\0'])
        && !text.split('/').any(str::is_empty)
        && Path::new(text).components().all(|part| matches!(part, Component::Normal(_)))
        && !text.split('/').any(|part| part == ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_agree() {
        let root = Root::new("/a/b");
        for (absolute, relative) in
            [("/a/b/c/d", "c/d"), ("/a/x", "../x"), ("/y/z", "../../y/z"), ("/a", ".."), ("/a/b", "")]
        {
            assert_eq!(root.relative(Path::new(absolute)), relative);
            assert_eq!(root.absolute(relative), Path::new(absolute));
        }
    }

    #[test]
    fn safe_paths_stay_below() {
        for good in ["a", "a/b.c", "a b/ü"] {
            assert!(is_safe_relative(good), "{good}");
        }
        for bad in ["", "/a", "../a", "a/../b", "a//b", "a/", "./a", "a\\b"] {
            assert!(!is_safe_relative(bad), "{bad}");
        }
    }
}
