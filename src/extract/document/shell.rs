//! Shell commands in a document (`` !`command` ``, and blocks fenced with `` ```! ``): a host runs them and puts what they
//! print in their place. It writes paths into them first, and a folder whose name has a space falls into two words.

use crate::diagnostic::{Code, Fix};
use crate::extract::findings::Findings;
use std::ops::Range;

/// Finds paths of the host that stand in a command outside of quotation marks.
pub(super) fn check(text: &str, body: usize, findings: &mut Findings<'_>) {
    for command in commands(text, body) {
        for word in unquoted(&text[command.clone()]) {
            let range = command.start + word.start..command.start + word.end;
            let written = &text[range.clone()];
            let message = format!("`{written}` is two words where the path has a space");
            let help = format!("Write `\"{written}\"`");
            let fix = Fix::exact(&findings.span(&range), format!("\"{written}\""));
            findings.add_with_fix(Code::AB4114, &range, message, help, fix);
        }
    }
}

/// Where the commands of `text[body..]` stand.
fn commands(text: &str, body: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // The mark of the fence that is open, and whether what it holds is run.
    let mut fence: Option<(&str, bool)> = None;
    let mut at = body;
    for line in text[body..].split_inclusive('\n') {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (Some((open, _)), Some(mark)) if open == mark => fence = None,
            (Some((_, true)), _) => found.push(at..at + line.trim_end().len()),
            (Some(_), _) => {}
            (None, Some(mark)) => fence = Some((mark, start[mark.len()..].starts_with('!'))),
            (None, None) => found.extend(inline(line).map(|one| at + one.start..at + one.end)),
        }
        at += line.len();
    }
    found
}

/// What stands between `` !` `` and `` ` ``.
fn inline(line: &str) -> impl Iterator<Item = Range<usize>> {
    line.match_indices("!`").filter_map(|(at, mark)| {
        let start = at + mark.len();
        let is_word = line[..at].ends_with(|before: char| !before.is_whitespace());
        let length = line[start..].find('`')?;
        (!is_word).then_some(start..start + length)
    })
}

/// Words with a path of the host in them and no quotation mark around it.
fn unquoted(command: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut quote = None;
    let mut escaped = false;
    for (at, letter) in command.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quote != Some('\'') => escaped = true,
            '"' | '\'' if quote == Some(letter) => quote = None,
            '"' | '\'' if quote.is_none() => quote = Some(letter),
            '$' if quote.is_none() && is_path(&command[at..]) => {
                let word = word(command, at);
                // A word that has quotation marks of its own is left to its author.
                if !command[word.clone()].contains(['"', '\'', '\\']) && found.last() != Some(&word) {
                    found.push(word);
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether a placeholder for a folder begins here.
fn is_path(text: &str) -> bool {
    let name = text.strip_prefix("${").and_then(|rest| rest.split_once('}')).map(|(name, _)| name);
    name.is_some_and(|name| {
        name.starts_with("agent-bundle:path:")
            || name == "agent-bundle:token:skill-root"
            || ["_ROOT", "_DATA", "_DIR"].iter().any(|end| name.ends_with(end))
    })
}

/// The word around `at`, without what ends a command.
fn word(command: &str, at: usize) -> Range<usize> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '|' | '&' | ';' | '<' | '>' | '(' | ')' | '=');
    let start = command[..at]
        .rfind(ends)
        .map_or(0, |before| before + command[before..].chars().next().map_or(1, char::len_utf8));
    let end = command[at..].find(ends).map_or(command.len(), |length| at + length);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        commands(text, 0)
            .into_iter()
            .flat_map(|command| {
                unquoted(&text[command.clone()]).into_iter().map(move |word| (command.start, word))
            })
            .map(|(start, word)| &text[start + word.start..start + word.end])
            .collect()
    }

    #[test]
    fn paths_outside_of_quotation_marks_are_found() {
        assert_eq!(
            words(
                "Now: !`cat ${CLAUDE_PLUGIN_ROOT}/a.txt | head` and !`ls --in=${agent-bundle:path:plugin-data}`"
            ),
            ["${CLAUDE_PLUGIN_ROOT}/a.txt", "${agent-bundle:path:plugin-data}"]
        );
        assert_eq!(
            words("```!\nx ${PLUGIN_ROOT}/a\n\"y\" ${PLUGIN_ROOT}\n```\n"),
            ["${PLUGIN_ROOT}/a", "${PLUGIN_ROOT}"]
        );
    }

    #[test]
    fn what_is_quoted_or_not_run_is_left_alone() {
        for text in [
            "!`cat \"${CLAUDE_PLUGIN_ROOT}/a.txt\"`",
            "!`cat '${CLAUDE_PLUGIN_ROOT}/a'`",
            "`cat ${CLAUDE_PLUGIN_ROOT}/a`",
            "wow!`cat ${CLAUDE_PLUGIN_ROOT}/a`",
            "```sh\n!`cat ${CLAUDE_PLUGIN_ROOT}/a`\n```\n",
            "!`echo ${HOME_DIRECTORY} $ARGUMENTS`",
            "!`cat ${CLAUDE_PLUGIN_ROOT}\"/a b\"`",
            "!`cat ${CLAUDE_PLUGIN_ROOT}/a",
        ] {
            assert_eq!(words(text), Vec::<&str>::new(), "{text}");
        }
    }
}
