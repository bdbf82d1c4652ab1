use super::{Run, Tree, agent_bundle};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A project that may be changed at will; it goes with the value.
pub struct Project {
    /// Holds the project and whatever lies beside it.
    base: TempDir,
    root: PathBuf,
}

/// A path of this repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

impl Project {
    /// The fixture `tests/fixtures/plain`: one server with two tools, no packages.
    pub fn plain() -> Self {
        Self::plain_in("project")
    }

    /// The same in a directory of that name.
    pub fn plain_in(name: &str) -> Self {
        Self::empty_in(name).copy_from(&repository("tests/fixtures/plain"))
    }

    /// A directory with nothing in it.
    pub fn empty_in(name: &str) -> Self {
        let base = tempfile::tempdir().unwrap();
        let root = base.path().canonicalize().unwrap().join(name);
        fs::create_dir(&root).unwrap();
        Self { base, root }
    }

    /// Adds every file of `from`; what a run of the tool left there is not taken.
    pub fn copy_from(self, from: &Path) -> Self {
        for (path, bytes) in Tree::of(from).files() {
            if !path.starts_with(".agent-bundle/") && !path.ends_with(".snap") {
                self.put(path, bytes);
            }
        }
        self
    }

    /// Adds or replaces a file.
    pub fn write(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.put(path, content.as_ref());
        self
    }

    /// Adds or replaces a file.
    pub fn put(&self, path: &str, content: &[u8]) {
        let to = self.root.join(path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, content).unwrap();
    }

    /// Replaces text of a file that must hold it.
    pub fn edit(self, path: &str, from: &str, to: &str) -> Self {
        let text = fs::read_to_string(self.root.join(path)).unwrap();
        assert!(text.contains(from), "{path} does not hold {from:?}");
        self.write(path, text.replace(from, to))
    }

    /// Removes a file or a directory.
    pub fn remove(self, path: &str) -> Self {
        let at = self.root.join(path);
        if at.is_dir() {
            fs::remove_dir_all(at).unwrap()
        } else {
            fs::remove_file(at).unwrap()
        }
        self
    }

    /// Removes a file or a directory that may be missing.
    pub fn remove_if_there(self, path: &str) -> Self {
        if self.root.join(path).exists() { self.remove(path) } else { self }
    }

    /// Makes a symbolic link at `path`.
    pub fn link(self, target: impl AsRef<Path>, path: &str) -> Self {
        let at = self.root.join(path);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, at).unwrap();
        self
    }

    /// A tool of the server `main` whose module begins with `imports` and that returns `text`, an expression.
    pub fn tool(self, name: &str, imports: &str, text: &str) -> Self {
        let module = format!(
            "import {{ Agent }} from '@agent-bundle/runtime';\nimport {{ defineTool }} from 'agent-bundle/routes';\n\
             import {{ object }} from '../../../lib/schema.js';\n{imports}\n\
             export default defineTool(\n  {{ inputSchema: object({{}}), resultSchema: object({{ text: 'string' }}) }},\n  \
             async () => <Agent.Result value={{{{ text: String({text}) }}}} />,\n);\n"
        );
        self.write(&format!("src/mcp/main/tools/{name}.tsx"), module)
    }

    /// The project's directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path of the project.
    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// A path beside the project, for what must lie outside of it.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.base.path().canonicalize().unwrap().join(name)
    }

    /// Runs the binary in the project's directory.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Run {
        agent_bundle(&self.root, arguments)
    }

    /// `build --json`.
    pub fn build(&self) -> Run {
        self.run(["build", "--json"])
    }

    /// `build --json` that must succeed.
    pub fn built(&self) -> Run {
        self.build().succeeded()
    }

    /// The artifact, at its usual place.
    pub fn artifact(&self) -> Tree {
        Tree::of(&self.path("artifact"))
    }

    /// Calls a tool of the built artifact and gives the protocol's result.
    pub fn call(&self, tool: &str) -> serde_json::Value {
        let run = self.run(["mcp", "invoke", "--artifact", "artifact", "--tool", tool, "--input", "{}"]);
        run.succeeded().document()
    }

    /// The text that a tool made by [`Project::tool`] returns.
    pub fn says(&self, tool: &str) -> String {
        let result = self.call(tool);
        result["structuredContent"]["text"].as_str().unwrap_or_else(|| panic!("{result:#}")).to_owned()
    }
}
