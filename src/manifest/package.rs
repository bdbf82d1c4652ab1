//! `package.json`: the plugin's version, and descriptive fields that hosts may share.

use super::Manifest;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::model::{Author, Metadata, pointer_step};
use crate::world::{Root, World};
use jsonc_parser::ast::Value as Written;
use jsonc_parser::common::Ranged;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::ops::Range;

/// File name.
pub const PACKAGE_FILE: &str = "package.json";

/// What the project's `package.json` says, as far as it can be used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Package {
    /// npm name, when valid.
    pub name: Option<String>,
    /// Semantic version, when valid.
    pub version: Option<String>,
    /// Descriptive fields.
    pub metadata: Metadata,
    /// Packages that it needs at run time.
    pub dependencies: BTreeSet<String>,
}

/// Reads `package.json`; a project without one is a project without a version.
pub fn load_package(world: &dyn World, root: &Root) -> (Package, Vec<Diagnostic>) {
    let unusable = |message: String| {
        (Package::default(), vec![Diagnostic::new(Code::AB4011, message).in_file(PACKAGE_FILE)])
    };
    let bytes = match world.read(&root.absolute(PACKAGE_FILE)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return (Package::default(), Vec::new());
        }
        Err(error) => return unusable(format!("{PACKAGE_FILE} cannot be read: {error}")),
    };
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(members)) => read(&members, &String::from_utf8_lossy(&bytes)),
        Ok(_) => unusable(format!("{PACKAGE_FILE} does not hold an object")),
        Err(error) => {
            let at = offset(&bytes, error.line(), error.column());
            let (package, found) = unusable(format!("{PACKAGE_FILE} is not valid JSON: {error}"));
            let span = Span::new(PACKAGE_FILE, at..bytes.len().min(at + 1));
            (package, found.into_iter().map(|one| one.with_span(Some(span.clone()))).collect())
        }
    }
}

/// The byte at a line and column as the JSON reader counts them, from one.
fn offset(bytes: &[u8], line: usize, column: usize) -> usize {
    let before: usize =
        bytes.split_inclusive(|byte| *byte == b'\n').take(line.saturating_sub(1)).map(<[u8]>::len).sum();
    (before + column.saturating_sub(1)).min(bytes.len())
}

/// Where the value of a member stands; the last of equal names is the one that counts.
fn place(text: &str, key: &str) -> Option<Range<usize>> {
    let parsed = jsonc_parser::parse_to_ast(text, &Default::default(), &Default::default()).ok()?;
    let Written::Object(object) = parsed.value? else { return None };
    let property = object.properties.iter().rfind(|property| property.name.as_str() == key)?;
    let range = property.value.range();
    Some(range.start..range.end)
}

fn read(members: &Map<String, Value>, text: &str) -> (Package, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let tell = |code: Code, key: &str, message: String| {
        let found = Diagnostic::new(code, message);
        match place(text, key) {
            Some(range) => found.at(PACKAGE_FILE, range),
            None => found.in_file(PACKAGE_FILE),
        }
    };
    let mut checked = |key: &str, code: Code, is_valid: fn(&str) -> bool| -> Option<String> {
        let value = members.get(key)?;
        let text = value.as_str().filter(|text| is_valid(text));
        if text.is_none() {
            diagnostics.push(tell(code, key, format!("`{key}` is {value}")));
        }
        text.map(str::to_owned)
    };
    let name = checked("name", Code::AB4009, is_package_name);
    let version = checked("version", Code::AB4010, |text| semver::Version::parse(text).is_ok());
    let mut shared = |key: &str| -> Option<Value> {
        let value = members.get(key)?;
        let usable = match key {
            "author" => author(value).is_some(),
            "keywords" => keywords(value).is_some(),
            "repository" => repository(value).is_some(),
            _ => value.as_str().is_some_and(|text| !text.trim().is_empty()),
        };
        if !usable {
            let message = format!("`{key}` of {PACKAGE_FILE} has a shape that hosts cannot show");
            diagnostics.push(tell(Code::AB4015, key, message));
        }
        usable.then(|| value.clone())
    };
    let text = |value: Option<Value>| value.and_then(|value| value.as_str().map(str::to_owned));
    let metadata = Metadata {
        author: shared("author").as_ref().and_then(author),
        homepage: text(shared("homepage")),
        keywords: shared("keywords").as_ref().and_then(keywords),
        license: text(shared("license")),
        repository: shared("repository").as_ref().and_then(repository),
    };
    let dependencies = members.get("dependencies").and_then(Value::as_object);
    let dependencies = dependencies.into_iter().flat_map(Map::keys).cloned().collect();
    (Package { name, version, metadata, dependencies }, diagnostics)
}

/// What payloads need at run time and the package does not name.
pub fn undeclared_dependencies(manifest: &Manifest, package: &Package) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (name, payload) in &manifest.data.payload {
        let escaped = pointer_step(name);
        for (at, dependency) in payload.runtime_dependencies().iter().enumerate() {
            let problem = if !is_package_name(dependency) {
                format!("`{dependency}` is no name of a package")
            } else if !package.dependencies.contains(dependency) {
                format!("`{dependency}` is not among the `dependencies` of {PACKAGE_FILE}")
            } else {
                continue;
            };
            let span = manifest.span(&format!("/payload/{escaped}/runtime-dependencies/{at}"));
            found.push(Diagnostic::new(Code::AB4751, problem).with_span(span));
        }
    }
    found
}

fn is_package_name(text: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['.', '_'])
            && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-._~".contains(c))
    };
    let parts = match text.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/').is_some_and(|(scope, name)| part(scope) && part(name)),
        None => part(text),
    };
    parts && text.len() <= 214
}

/// An author as a table, or as npm's `Name <email> (url)`.
pub(super) fn author(value: &Value) -> Option<Author> {
    if let Some(text) = value.as_str() {
        let between = |open: char, close: char| {
            let (_, rest) = text.split_once(open)?;
            rest.split_once(close).map(|(inside, _)| inside.trim().to_owned())
        };
        let name = text.split(['<', '(']).next().unwrap_or_default().trim();
        return (!name.is_empty()).then(|| Author {
            name: Some(name.to_owned()),
            email: between('<', '>'),
            url: between('(', ')'),
        });
    }
    let author: Author = serde_json::from_value(value.clone()).ok()?;
    author.name.as_ref().is_some_and(|name| !name.trim().is_empty()).then_some(author)
}

pub(super) fn keywords(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
}

/// A repository as an address; npm's table form and its `git+` prefix are understood.
pub(super) fn repository(value: &Value) -> Option<String> {
    let text = value.as_str().or_else(|| value.get("url").and_then(Value::as_str))?;
    let text = text.strip_prefix("git+").unwrap_or(text);
    (!text.trim().is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn package(value: &Value) -> (Package, Vec<String>) {
        let (package, found) = read(value.as_object().unwrap(), &value.to_string());
        (package, found.iter().map(|d| d.code.to_string()).collect())
    }

    #[test]
    fn usable_fields_are_taken() {
        let (package, codes) = package(&json!({
            "name": "@a/b", "version": "1.2.3", "author": "Ann <a@b.c> (https://d.e)",
            "repository": {"type": "git", "url": "git+https://x/y.git"}, "keywords": ["k"],
        }));
        assert!(codes.is_empty(), "{codes:?}");
        let author = package.metadata.author.unwrap();
        assert_eq!(author.email.as_deref(), Some("a@b.c"));
        assert_eq!(package.metadata.repository.as_deref(), Some("https://x/y.git"));
    }

    #[test]
    fn findings_point_at_the_value() {
        let text = "{\n  \"name\": \"ok\", \"version\": 1,\n  \"version\": \"é\"\n}";
        let members: Value = serde_json::from_str(text).unwrap();
        let (_, found) = read(members.as_object().unwrap(), text);
        let span = found[0].span.clone().unwrap();
        assert_eq!(&text[span.start..span.end], "\"é\"");
        let broken = "{\n  \"a\": é\n}";
        let error = serde_json::from_str::<Value>(broken).unwrap_err();
        assert!(broken[offset(broken.as_bytes(), error.line(), error.column())..].starts_with('é'));
        assert_eq!(offset(b"", 7, 7), 0);
    }

    #[test]
    fn unusable_fields_are_told_and_withheld() {
        let (package, codes) =
            package(&json!({"name": "A b", "version": "one", "author": {"email": "x"}, "keywords": "k"}));
        assert_eq!(codes, ["AB4009", "AB4010", "AB4015", "AB4015"]);
        assert_eq!(package, Package::default());
    }
}
