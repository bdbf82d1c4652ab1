//! Skills of a document: the text is read by the compiler's own parser of `SKILL.md`.

use crate::diagnostic::Code;
use serde_json::Value;
use url::Url;

/// What a skill says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// `description`, when it is text.
    pub description: Option<String>,
    /// `allowed-tools`, when it is a list.
    pub allowed_tools: Vec<String>,
}

/// Front matter that cannot be read: the line within the skill, and why.
pub fn front_matter_problem(content: &str) -> Option<(u32, String)> {
    if !content.starts_with("---") {
        return None;
    }
    let read = crate::extract::skill("SKILL.md", content.as_bytes(), "skill", &[]);
    read.diagnostics.into_iter().find(|finding| finding.code == Code::AB3002).map(|finding| {
        let start = finding.span.map_or(0, |span| span.start);
        let lines = content.as_bytes().iter().take(start).filter(|byte| **byte == b'\n').count();
        (u32::try_from(lines + 1).unwrap_or(u32::MAX), finding.message)
    })
}

/// What the front matter says; nothing where it says nothing usable.
pub fn facts(content: &str) -> Facts {
    let Some(rest) = content.strip_prefix("---") else { return Facts::default() };
    let Some((head, _)) = rest.split_once("\n---") else { return Facts::default() };
    let Ok(tree) = crate::workspace::document::parse_tree(head.as_bytes()) else { return Facts::default() };
    let description = tree.get("description").and_then(|node| node.as_text()).map(str::to_owned);
    let allowed_tools = match tree.get("allowed-tools").map(|node| node.to_json()) {
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    Facts { description, allowed_tools }
}

/// A directory of a public repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GithubSource {
    /// Who owns the repository.
    pub owner: String,
    /// The repository.
    pub repository: String,
    /// Branch, tag or commit; the default branch when absent.
    pub reference: Option<String>,
    /// The directory, `/`-separated, without slashes at its ends; empty for the root.
    pub directory: String,
}

/// Reads an address of the form `https://github.com/<owner>/<repository>[/tree/<ref>[/<directory>]]`.
pub fn github_source(text: &str) -> Result<GithubSource, String> {
    let shape =
        "`source_url` is https://github.com/<owner>/<repository>, with /tree/<ref>/<directory> if need be";
    let url = Url::parse(text.trim()).map_err(|_| shape.to_owned())?;
    let bare = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none()
        && url.port().is_none();
    if url.scheme() != "https" || url.host_str() != Some("github.com") || !bare || text.contains("..") {
        return Err(shape.to_owned());
    }
    let steps: Vec<&str> = url.path().split('/').filter(|step| !step.is_empty()).collect();
    let safe = steps
        .iter()
        .all(|step| step.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)));
    let (owner, repository, rest) = match steps.as_slice() {
        [owner, repository, rest @ ..] if safe => (*owner, *repository, rest),
        _ => return Err(shape.to_owned()),
    };
    let (reference, directory) = match rest {
        [] => (None, String::new()),
        ["tree", reference, directory @ ..] => (Some((*reference).to_owned()), directory.join("/")),
        _ => return Err(shape.to_owned()),
    };
    let repository = repository.strip_suffix(".git").unwrap_or(repository);
    Ok(GithubSource { owner: owner.to_owned(), repository: repository.to_owned(), reference, directory })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let source = github_source("https://github.com/a/b/tree/main/skills/x").unwrap();
        assert_eq!((source.reference.as_deref(), source.directory.as_str()), (Some("main"), "skills/x"));
        for bad in [
            "http://github.com/a/b",
            "https://github.com.evil.test/a/b",
            "https://u:p@github.com/a/b",
            "https://github.com/a/b?x=1",
            "https://github.com/a/b#x",
            "https://github.com/a",
            "https://github.com/a/b/blob/main/x",
            "https://github.com/a/b/tree/main/../x",
        ] {
            assert!(github_source(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn front_matter() {
        assert_eq!(front_matter_problem("# Notes"), None);
        assert_eq!(front_matter_problem("---\nname: x\n---\nbody"), None);
        let (line, _) = front_matter_problem("---\nname: x\ndescription: a: b\n---\n").unwrap();
        assert_eq!(line, 3);
    }
}
