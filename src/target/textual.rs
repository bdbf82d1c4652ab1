//! Rules for the text of a server's fields that no schema can say.

use super::definition::{McpRule, TextCheck};
use super::slice::{SliceLaunch, SliceServer};
use super::tokens;
use crate::world::is_safe_relative;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// What `server` breaks of the host's rules: code and problem.
pub(super) fn breaches(rule: &McpRule, server: &SliceServer) -> Vec<(String, String)> {
    let found = rule.rules.iter().filter_map(|rule| Some((rule.code.clone(), check(&rule.rule, server)?)));
    found.collect()
}

fn check(check: &TextCheck, server: &SliceServer) -> Option<String> {
    match (check, &server.launch) {
        (TextCheck::BareCommand, SliceLaunch::Command { command, .. }) => (!is_bare(command))
            .then(|| format!("`command` must be the bare name of a program, not `{command}`")),
        (TextCheck::BundledCommand, SliceLaunch::Command { command, .. }) => {
            let bundled = command.strip_prefix("./").is_some_and(is_safe_relative);
            (!is_bare(command) && !bundled).then(|| {
                format!("`command` must be the bare name of a program or a file `./…` of the plugin, not `{command}`")
            })
        }
        (TextCheck::ContainedCwd, SliceLaunch::Command { cwd: Some(cwd), .. }) => (!is_contained(cwd))
            .then(|| format!("`cwd` must stay in the plugin's root or data folder, unlike `{cwd}`")),
        (TextCheck::PublicUrl, SliceLaunch::Remote { url, .. }) => url_problem(url),
        (TextCheck::HttpHeaders, SliceLaunch::Remote { headers, .. }) => header_problem(headers),
        (TextCheck::ReservedEnv(reserved), _) => {
            let name = server.env.keys().find(|name| reserved.contains(name))?;
            Some(format!("`env` sets `{name}`, which the host sets itself"))
        }
        _ => None,
    }
}

fn is_bare(command: &str) -> bool {
    !command.is_empty() && !command.contains(|c: char| c == '/' || c == '\\' || c.is_whitespace())
}

fn is_contained(cwd: &str) -> bool {
    let path = [tokens::PLUGIN_ROOT, tokens::PLUGIN_DATA, "."].iter().find_map(|base| cwd.strip_prefix(base));
    path.is_some_and(|path| {
        path.is_empty() && cwd != "."
            || path == "/"
            || path.strip_prefix('/').is_some_and(|path| is_safe_relative(path.trim_end_matches('/')))
    })
}

fn url_problem(url: &str) -> Option<String> {
    let problem = |what: &str| Some(format!("`url` {what}: `{url}`"));
    let Some((scheme, rest)) = url.split_once("://") else { return problem("is not absolute") };
    let scheme = scheme.to_ascii_lowercase();
    if scheme != "http" && scheme != "https" {
        return problem("must be http or https");
    }
    if url.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return problem("holds a space or a control character");
    }
    if rest.contains('#') {
        return problem("must have no fragment");
    }
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    if authority.contains('@') {
        return problem("must name no user");
    }
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    if host.is_empty() {
        return problem("names no host");
    }
    let local = host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    (scheme == "http" && !local)
        .then(|| format!("`url` must be https unless it leads to this machine: `{url}`"))
}

fn header_problem(headers: &BTreeMap<String, String>) -> Option<String> {
    let mut seen = BTreeSet::new();
    for (name, value) in headers {
        let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if name.is_empty() || !name.chars().all(token) {
            return Some(format!("`{name}` is not the name of a header"));
        }
        if !seen.insert(name.to_ascii_lowercase()) {
            return Some(format!("the header `{name}` is given twice"));
        }
        let printable = value.bytes().all(|byte| byte == b'\t' || (0x20..0x7f).contains(&byte));
        if !printable || value.trim() != value {
            return Some(format!("the value of the header `{name}` is not plain text"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_https_or_local() {
        for good in
            ["https://a.example/mcp?x=1", "http://localhost:1/", "http://127.0.0.1/x", "http://[::1]:80/mcp"]
        {
            assert_eq!(url_problem(good), None, "{good}");
        }
        for bad in [
            "http://a.example",
            "https://u:p@a.example",
            "https://a.example/#x",
            "https://",
            "ws://x/",
            "/mcp",
        ] {
            assert!(url_problem(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn folders_stay_in_the_plugin() {
        for good in [
            "./",
            "./a",
            "agent-bundle:path:plugin-root",
            "agent-bundle:path:plugin-data/a",
            "agent-bundle:path:plugin-root/",
        ] {
            assert!(is_contained(good), "{good}");
        }
        for bad in
            [".", "/a", "a", "./../a", "agent-bundle:path:workspace-root", "agent-bundle:path:plugin-rootx"]
        {
            assert!(!is_contained(bad), "{bad}");
        }
    }

    #[test]
    fn headers_are_unique_whatever_their_case() {
        let headers =
            |pairs: &[(&str, &str)]| pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        assert_eq!(header_problem(&headers(&[("X-Key", "a b"), ("Y", "")])), None);
        for bad in [&[("X-Key", "a"), ("x-key", "b")][..], &[("X Key", "a")], &[("X", "a\nb")], &[("", "a")]]
        {
            assert!(header_problem(&headers(bad)).is_some(), "{bad:?}");
        }
    }
}
