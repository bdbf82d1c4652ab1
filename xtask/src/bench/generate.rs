//! Synthetic projects on disk.

use super::sources::{Dialect, Revision, SHARED, plain_server, tool, tool_name};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A project of so many tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its directory.
    pub root: PathBuf,
    /// For whom it is written.
    pub dialect: Dialect,
    /// How many tools it has.
    pub tools: usize,
}

impl Project {
    /// Every file by path.
    pub fn files(&self, name: &str) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        for number in 0..self.tools {
            files.insert(self.tool_path(number), tool(self.dialect, number, Revision::default()));
        }
        files.insert("src/shared/words.ts".to_owned(), SHARED.to_owned());
        let mut add = |path: &str, text: String| files.insert(path.to_owned(), text);
        match self.dialect {
            Dialect::Routes => {
                add("agent-bundle.toml", routes_manifest(name));
                add("package.json", routes_package(name));
                add("tsconfig.json", "{ \"extends\": \"./.agent-bundle/tsconfig.json\" }\n".to_owned());
            }
            Dialect::Plain => {
                add("src/server.ts", plain_server(self.tools));
                add("package.json", plain_package(name));
                add("tsconfig.json", PLAIN_TSCONFIG.to_owned());
            }
        }
        files
    }

    /// Writes it, without packages.
    pub fn write(&self, name: &str) -> Result<(), String> {
        self.files(name).into_iter().try_for_each(|(path, text)| write(&self.root.join(path), &text))
    }

    /// Writes the tool in the middle anew.
    pub fn edit(&self, revision: Revision) -> Result<(), String> {
        let number = self.tools / 2;
        write(&self.root.join(self.tool_path(number)), &tool(self.dialect, number, revision))
    }

    fn tool_path(&self, number: usize) -> String {
        let name = tool_name(number);
        match self.dialect {
            Dialect::Routes => format!("src/mcp/weights/tools/{name}.tsx"),
            // No JSX in it; and xmcp takes a `.tsx` for a view in a browser.
            Dialect::Plain => format!("src/tools/{name}.ts"),
        }
    }
}

fn routes_manifest(name: &str) -> String {
    format!(
        "targets = [\"claude\", \"codex\", \"cursor\", \"portable\"]\n\n[plugin]\nname = \"{name}\"\n\
         description = \"Weighs words in many ways.\"\n"
    )
}

fn routes_package(name: &str) -> String {
    format!(
        "{{\n  \"name\": \"{name}\",\n  \"version\": \"1.0.0\",\n  \"private\": true,\n  \"type\": \"module\",\n  \
         \"dependencies\": {{ \"zod\": \"^4.2.0\" }}\n}}\n"
    )
}

fn plain_package(name: &str) -> String {
    format!(
        "{{\n  \"name\": \"{name}\",\n  \"version\": \"1.0.0\",\n  \"private\": true,\n  \"type\": \"module\"\n}}\n"
    )
}

const PLAIN_TSCONFIG: &str = "\
{
  \"compilerOptions\": { \"module\": \"esnext\", \"moduleResolution\": \"bundler\", \"strict\": true },
  \"include\": [\"src\"]
}
";

/// Many small projects under one root manifest.
pub fn workspace(root: &Path, projects: usize, tools: usize) -> Result<Vec<Project>, String> {
    write(&root.join("agent-bundle.toml"), "[projects]\nmembers = [\"plugins/*\"]\n")?;
    (0..projects)
        .map(|number| {
            let name = format!("weights-{number:03}");
            let root = root.join("plugins").join(&name);
            let project = Project { root, dialect: Dialect::Routes, tools };
            project.write(&name)?;
            Ok(project)
        })
        .collect()
}

/// Writes a file and the directories above it.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| fs::write(path, text)).map_err(|error| format!("{}: {error}", path.display()))
}

/// Copies a tree but for the names in `without` at its top; links stay links.
pub fn copy(from: &Path, to: &Path, without: &[&str]) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (name, kind) = (entry.file_name(), entry.file_type().map_err(failed)?);
        if without.iter().any(|left_out| name == *left_out) {
            continue;
        }
        let target = to.join(&name);
        if kind.is_dir() {
            copy(&entry.path(), &target, &[])?;
        } else if kind.is_symlink() {
            let leads = fs::read_link(entry.path()).map_err(failed)?;
            std::os::unix::fs::symlink(leads, target).map_err(failed)?;
        } else {
            fs::copy(entry.path(), target).map_err(failed)?;
        }
    }
    Ok(())
}

/// Removes a tree that may not be there.
pub fn remove(path: &Path) -> Result<(), String> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{}: {error}", path.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_the_same_every_time() {
        for dialect in [Dialect::Routes, Dialect::Plain] {
            let project = Project { root: PathBuf::new(), dialect, tools: 12 };
            let files = project.files("some-name");
            assert_eq!(files, project.files("some-name"));
            let tools = files.keys().filter(|path| path.contains("/tools/")).count();
            assert_eq!(tools, 12);
            assert!(files["package.json"].contains("\"some-name\""));
            serde_json::from_str::<serde_json::Value>(&files["package.json"]).unwrap();
            serde_json::from_str::<serde_json::Value>(&files["tsconfig.json"]).unwrap();
        }
    }

    #[test]
    fn a_copy_leaves_out_what_it_is_told_to() {
        let scratch = std::env::temp_dir().join(format!("bench-generate-{}", std::process::id()));
        remove(&scratch).unwrap();
        let (from, to) = (scratch.join("from"), scratch.join("to"));
        let projects = workspace(&from, 2, 1).unwrap();
        write(&from.join("artifact/old"), "").unwrap();
        copy(&from, &to, &["artifact"]).unwrap();
        assert!(!to.join("artifact").exists());
        for project in &projects {
            let copied = to.join(project.root.strip_prefix(&from).unwrap());
            for (path, text) in project.files(project.root.file_name().unwrap().to_str().unwrap()) {
                assert_eq!(fs::read_to_string(copied.join(path)).unwrap(), text);
            }
        }
        projects[0].edit(Revision { handler: 5, ..Revision::default() }).unwrap();
        assert!(
            fs::read_to_string(projects[0].root.join(projects[0].tool_path(0)))
                .unwrap()
                .contains("Revision 5:")
        );
        remove(&scratch).unwrap();
    }
}
