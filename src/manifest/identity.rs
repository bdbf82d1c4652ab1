//! Identity: the manifest and `package.json` together.

use super::Manifest;
use super::package::{Package, author, keywords, repository};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Identity, Metadata};
use crate::world::{Root, World, is_file, is_safe_relative};
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// Longest plugin name, so that it can be a directory everywhere.
const NAME_LIMIT: usize = 64;

/// Who the plugin is. The manifest's metadata come before the package's; `false` withholds a field.
pub fn identity(
    manifest: &Manifest,
    package: &Package,
    world: &dyn World,
    root: &Root,
) -> (Identity, Vec<Diagnostic>) {
    let plugin = &manifest.data.plugin;
    let mut diagnostics = Vec::new();
    let mut mismatch = None;
    let mut report = |code, pointer: &str, message: String| {
        diagnostics.push(Diagnostic::new(code, message).with_span(manifest.span(pointer)));
    };
    if plugin.name.trim().is_empty() {
        report(Code::AB4000, "/plugin/name", "`plugin.name` is blank".to_owned());
    } else if !is_plugin_name(&plugin.name) {
        let message = format!(
            "`{}` cannot be a plugin name: use up to {NAME_LIMIT} of `a-z`, `0-9`, `-` and `.`, with a letter or digit at both ends",
            plugin.name
        );
        report(Code::AB4803, "/plugin/name", message);
    }
    let version = match (&package.version, &plugin.version) {
        (Some(version), declared) => {
            if let Some(declared) = declared.as_ref().filter(|declared| *declared != version) {
                let message = format!("`plugin.version` says {declared}, package.json says {version}");
                let key = manifest.key_span("/plugin/version");
                let finding =
                    Diagnostic::new(Code::AB4008, message).with_span(manifest.span("/plugin/version"));
                mismatch = Some(finding.with_fix(key.as_ref().and_then(|key| manifest.removal(key))));
            }
            version.clone()
        }
        (None, Some(declared)) if !declared.trim().is_empty() => declared.clone(),
        (None, Some(_)) => {
            report(Code::AB4001, "/plugin/version", "`plugin.version` is blank".to_owned());
            String::new()
        }
        (None, None) => {
            report(Code::AB4013, "/plugin", "no version: package.json has none that can be used".to_owned());
            String::new()
        }
    };
    if let Some(logo) = &plugin.logo
        && !(is_safe_relative(logo) && is_file(world, &root.absolute(logo)))
    {
        report(Code::AB4012, "/plugin/logo", format!("`{logo}` is not a file of this project"));
    }
    let metadata = metadata(manifest, package, &mut report);
    let identity = Identity {
        name: plugin.name.clone(),
        version,
        description: plugin.description.clone(),
        logo: plugin.logo.clone(),
        metadata,
        package_name: package.name.clone(),
        package_version: package.version.clone(),
    };
    diagnostics.extend(mismatch);
    (identity, diagnostics)
}

fn is_plugin_name(name: &str) -> bool {
    let edge = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    name.len() <= NAME_LIMIT
        && name.chars().all(|c| edge(c) || c == '-' || c == '.')
        && name.starts_with(edge)
        && name.ends_with(edge)
        && !name.contains("--")
        && !name.contains("..")
}

fn metadata(manifest: &Manifest, package: &Package, report: &mut impl FnMut(Code, &str, String)) -> Metadata {
    let declared = &manifest.data.plugin.metadata;
    fn choose<T>(
        value: Option<&Value>,
        fallback: Option<T>,
        read: impl Fn(&Value) -> Option<T>,
        wrong: impl FnOnce(),
    ) -> Option<T> {
        match value {
            None => fallback,
            Some(Value::Bool(false)) => None,
            Some(value) => {
                let read = read(value);
                if read.is_none() {
                    wrong();
                }
                read
            }
        }
    }
    let text = |value: &Value| value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
    let shared = package.metadata.clone();
    let nothing = if manifest.file == super::MANIFEST_FILE { "false" } else { "null" };
    let mut wrong = |field: &str, wanted: &str| {
        let message = format!("`plugin.metadata.{field}` must be {wanted}, or `{nothing}`");
        report(Code::AB4014, &format!("/plugin/metadata/{field}"), message);
    };
    Metadata {
        author: choose(declared.author.as_ref(), shared.author, author, || {
            wrong("author", "a name or a table with a `name`");
        }),
        homepage: choose(declared.homepage.as_ref(), shared.homepage, text, || {
            wrong("homepage", "an address")
        }),
        keywords: choose(declared.keywords.as_ref(), shared.keywords, keywords, || {
            wrong("keywords", "a list of strings");
        }),
        license: choose(declared.license.as_ref(), shared.license, text, || {
            wrong("license", "an SPDX expression")
        }),
        repository: choose(declared.repository.as_ref(), shared.repository, repository, || {
            wrong("repository", "an address");
        }),
    }
}

/// The output directory: `chosen` on the command line, else `output.path` of the manifest; relative to the root
/// wherever it lies inside.
///
/// A command line may name any directory; the manifest stays inside the project. Neither may lie in the sources, in
/// package stores or in this tool's own folder, and none may hold the project: what is published replaces what is there.
pub fn output_directory(
    manifest: &Manifest,
    chosen: Option<&str>,
    world: &dyn World,
    root: &Root,
) -> Result<String, Box<Diagnostic>> {
    let (path, span) = match (chosen, &manifest.data.output.path) {
        (Some(path), _) => (path, None),
        (None, Some(path)) => (path.as_str(), manifest.span("/output/path")),
        (None, None) => ("artifact", Some(crate::diagnostic::Span::file(manifest.file))),
    };
    let refuse =
        |code, message: String| Err(Box::new(Diagnostic::new(code, message).with_span(span.clone())));
    let path = path.strip_prefix("./").unwrap_or(path).trim_end_matches('/');
    if chosen.is_none() && !is_safe_relative(path) {
        return refuse(Code::AB4708, format!("`{path}` is not a relative path inside the project"));
    }
    let place = resolved(world, &root.path().join(path));
    if root.path().starts_with(&place) {
        return refuse(Code::AB4709, "the output cannot be a directory that holds the project".to_owned());
    }
    if let Ok(inside) = place.strip_prefix(root.path()) {
        let first = inside.iter().next().unwrap_or_default().to_string_lossy();
        if ["src", "node_modules", ".git", ".agent-bundle", "assets"].contains(&first.as_ref()) {
            return refuse(Code::AB4709, format!("the output cannot lie in `{first}`"));
        }
    }
    for (name, payload) in &manifest.data.payload {
        let source = resolved(world, &root.path().join(payload.path()));
        if source != root.path() && (place.starts_with(&source) || source.starts_with(&place)) {
            let message =
                format!("the output and the payload `{name}` (`{}`) lie in each other", payload.path());
            return refuse(Code::AB4749, message);
        }
    }
    Ok(path.to_owned())
}

/// `path` without `.` and `..`, and with the links of whatever part of it is there.
fn resolved(world: &dyn World, path: &Path) -> PathBuf {
    let mut place = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(place.pop()),
            Component::CurDir => {}
            part => place.push(part),
        }
        place = world.canonicalize(&place).unwrap_or(place);
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::MemoryWorld;

    fn codes(text: &str, package: &Package) -> Vec<String> {
        let manifest = super::super::parse(text).unwrap();
        let (_, found) = identity(&manifest, package, &MemoryWorld::default(), &Root::new("/p"));
        found.iter().map(|d| d.code.to_string()).collect()
    }

    #[test]
    fn each_slip_has_its_code() {
        let versioned = Package { version: Some("1.0.0".to_owned()), ..Package::default() };
        assert!(codes("[plugin]\nname = \"a-b\"", &versioned).is_empty());
        assert_eq!(codes("[plugin]\nname = \" \"", &versioned), ["AB4000"]);
        assert_eq!(codes("[plugin]\nname = \"A\"", &versioned), ["AB4803"]);
        assert_eq!(codes("[plugin]\nname = \"a\"", &Package::default()), ["AB4013"]);
        assert_eq!(codes("[plugin]\nname = \"a\"\nversion = \"2.0.0\"", &versioned), ["AB4008"]);
        assert_eq!(codes("[plugin]\nname = \"a\"\nlogo = \"x.png\"", &versioned), ["AB4012"]);
        assert_eq!(codes("[plugin]\nname = \"a\"\n[plugin.metadata]\nauthor = 3", &versioned), ["AB4014"]);
    }

    #[test]
    fn metadata_of_the_manifest_come_first_and_false_withholds() {
        let mut package = Package { version: Some("1.0.0".to_owned()), ..Package::default() };
        package.metadata.license = Some("MIT".to_owned());
        package.metadata.homepage = Some("https://a".to_owned());
        let text = "[plugin]\nname = \"a\"\n[plugin.metadata]\nlicense = false\nkeywords = [\"k\"]";
        let manifest = super::super::parse(text).unwrap();
        let (identity, _) = identity(&manifest, &package, &MemoryWorld::default(), &Root::new("/p"));
        assert_eq!(identity.metadata.license, None);
        assert_eq!(identity.metadata.homepage.as_deref(), Some("https://a"));
        assert_eq!(identity.metadata.keywords, Some(vec!["k".to_owned()]));
    }

    #[test]
    fn outputs_stay_out_of_the_sources() {
        let output = |path: &str| {
            let text = format!("[plugin]\nname = \"a\"\n[output]\npath = \"{path}\"");
            output_directory(
                &super::super::parse(&text).unwrap(),
                None,
                &MemoryWorld::default(),
                &Root::new("/p"),
            )
            .map_err(|d| d.code)
        };
        assert_eq!(output("./out/x"), Ok("out/x".to_owned()));
        assert_eq!(output("../out"), Err(Code::AB4708));
        assert_eq!(output("src/out"), Err(Code::AB4709));
        assert_eq!(output("."), Err(Code::AB4708));
    }
}
