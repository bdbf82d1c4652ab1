//! Relative links of a skill's body.

use crate::diagnostic::{Code, Fix, nearest};
use crate::extract::findings::Findings;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Finds links of `text[body..]` to files that the skill does not ship. `files` are relative to the skill.
pub(super) fn check(text: &str, body: usize, files: &[String], findings: &mut Findings<'_>) {
    let shipped: FxHashSet<&str> = files.iter().map(String::as_str).collect();
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    for (event, range) in Parser::new_ext(&text[body..], options).into_offset_iter() {
        let Event::Start(Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. }) =
            event
        else {
            continue;
        };
        if matches!(link_type, LinkType::Autolink | LinkType::Email) {
            continue;
        }
        let Some(path) = relative_path(&dest_url) else { continue };
        let range = place(text, &(range.start + body..range.end + body), &dest_url);
        match normalize(&path) {
            Some(file) if shipped.contains(file.as_str()) => {}
            Some(file) => missing(&dest_url, &file, files, &range, findings),
            None => {
                let message = format!("the link `{dest_url}` leads out of the skill's directory");
                let help = "Copy the file into the directory and link it there";
                findings.add_with_help(Code::AB4005, &range, message, help);
            }
        }
    }
}

fn missing(link: &str, file: &str, files: &[String], range: &Range<usize>, findings: &mut Findings<'_>) {
    let directory = format!("{}/", file.trim_end_matches('/'));
    let (message, help) = if file.is_empty() || files.iter().any(|shipped| shipped.starts_with(&directory)) {
        (format!("the link `{link}` names a directory"), "Link a file in it".to_owned())
    } else {
        if let Some(near) = nearest(file, files.iter().map(String::as_str)) {
            let message = format!("the link `{link}` names a file that the skill does not ship");
            let fix = Fix::exact(&findings.span(range), near);
            let help = format!("Did you mean `{near}`?");
            return findings.add_with_fix(Code::AB4005, range, message, help, fix);
        }
        let help = "Add the file to the skill's directory, or correct the link".to_owned();
        (format!("the link `{link}` names a file that the skill does not ship"), help)
    };
    findings.add_with_help(Code::AB4005, range, message, help);
}

/// The file that a link names, when the link is relative; without query and fragment, percent signs decoded.
fn relative_path(link: &str) -> Option<String> {
    let path = link.split(['#', '?']).next().unwrap_or("");
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    };
    let has_scheme = path.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme));
    // A token at the head stands for a directory that only the host knows.
    if path.is_empty() || path.starts_with(['/', '\\', '$']) || has_scheme {
        return None;
    }
    Some(decode(path))
}

fn decode(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        match hex.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if bytes[at] == b'%' => {
                decoded.push(byte);
                at += 3;
            }
            _ => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| path.to_owned())
}

/// The path without `.` and `..`; `None` when it leaves its directory.
fn normalize(path: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The destination inside the link where it is written there, else the whole link.
fn place(text: &str, link: &Range<usize>, destination: &str) -> Range<usize> {
    match text[link.clone()].rfind(destination) {
        Some(at) => link.start + at..link.start + at + destination.len(),
        None => link.clone(),
    }
}
