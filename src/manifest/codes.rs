//! Which code a value of the wrong shape has, by its place.

use crate::diagnostic::Code;

/// Places with a code of their own; the first that fits counts. `*` is any key, `#` a place in a list or nothing at
/// all, and `**` whatever follows.
const SHAPES: [(&str, Code); 41] = [
    ("/plugin/name", Code::AB4000),
    ("/plugin/version", Code::AB4001),
    ("/hooks/*/#/tools/**", Code::AB4202),
    ("/hooks/*/#/targets/**", Code::AB4203),
    ("/hooks/*/#/timeout", Code::AB4205),
    ("/hooks/*/#/args/**", Code::AB4746),
    ("/hooks/*/#", Code::AB4200),
    ("/hooks/*/#/handler/**", Code::AB4200),
    ("/*/native-hooks", Code::AB4208),
    ("/mcp", Code::AB4300),
    ("/mcp/servers", Code::AB4301),
    ("/mcp/servers/*", Code::AB4303),
    ("/mcp/servers/*/targets/**", Code::AB4305),
    ("/mcp/servers/*/entry/**", Code::AB4306),
    ("/mcp/servers/*/args/**", Code::AB4311),
    ("/mcp/servers/*/env/**", Code::AB4312),
    ("/mcp/servers/*/headers/**", Code::AB4319),
    ("/mcp/servers/*/apps", Code::AB4323),
    ("/mcp/servers/*/apps/*/targets/**", Code::AB4333),
    ("/mcp/servers/*/apps/*/_meta", Code::AB4335),
    ("/mcp/servers/*/apps/**", Code::AB4326),
    ("/web/**", Code::AB4341),
    ("/scripts", Code::AB4400),
    ("/scripts/*/targets/**", Code::AB4407),
    ("/scripts/**", Code::AB4402),
    ("/assets/**", Code::AB4600),
    ("/runtime", Code::AB4600),
    ("/runtime/node", Code::AB4601),
    ("/bin", Code::AB4700),
    ("/bin/**", Code::AB4702),
    ("/output/**", Code::AB4707),
    ("/lib/dts", Code::AB4715),
    ("/lib/entry", Code::AB4711),
    ("/lib", Code::AB4710),
    ("/tools", Code::AB4720),
    ("/tools/rsbuild", Code::AB4722),
    ("/tools/rspack/**", Code::AB4723),
    ("/payload/*/runtime-dependencies/**", Code::AB4751),
    ("/payload/**", Code::AB4740),
    ("/state", Code::AB4818),
    ("/notices/**", Code::AB4833),
];

/// What to do, where the code's own recovery is about something else.
const HELPS: [(&str, &str); 3] = [
    ("/state", "Write `false`, or remove it"),
    ("/runtime", "Give it `node`, the lowest version of Node.js"),
    ("/runtime/node", "Write it as text with three numbers, such as `22.12.0`"),
];

/// What to do about a value of the wrong shape, where its code does not say it.
pub(super) fn help(pointer: &str) -> Option<&'static str> {
    HELPS.iter().find(|(place, _)| *place == pointer).map(|(_, help)| *help)
}

/// The code of a value of the wrong shape.
pub(super) fn wrong_shape(pointer: &str) -> Code {
    let found = SHAPES.iter().find(|(pattern, _)| fits(pattern, pointer));
    found.map_or(Code::AB1003, |(_, code)| code.clone())
}

/// The code of a key that is missing.
pub(super) fn missing(pointer: &str, name: &str) -> Code {
    match (pointer, name) {
        ("", "plugin") | ("/plugin", "name") => Code::AB4000,
        ("/lib", "entry") => Code::AB4711,
        _ => wrong_shape(pointer),
    }
}

/// The code of a key that is not known.
pub(super) fn unknown(pointer: &str) -> Code {
    match pointer {
        "/tools" => Code::AB4721,
        _ => Code::AB1002,
    }
}

/// The code of a value that JSON cannot hold.
pub(super) fn no_json(pointer: &str) -> Code {
    match fits("/mcp/servers/*/apps/*/_meta/**", pointer) {
        true => Code::AB4338,
        false => Code::AB4500,
    }
}

fn fits(pattern: &str, pointer: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('/').skip(1).collect();
    let parts: Vec<&str> = pointer.split('/').skip(1).collect();
    fit(&pattern, &parts)
}

fn fit(pattern: &[&str], parts: &[&str]) -> bool {
    match (pattern, parts) {
        ([], []) | (["**"], _) => true,
        (["#", rest @ ..], _) => {
            let is_item = |part: &&str| part.parse::<usize>().is_ok();
            parts.split_first().is_some_and(|(part, others)| is_item(part) && fit(rest, others))
                || fit(rest, parts)
        }
        ([first, rest @ ..], [part, others @ ..]) => (*first == "*" || first == part) && fit(rest, others),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_the_code_of_the_first_pattern_that_fits() {
        for (pointer, code) in [
            ("/hooks/stop", Code::AB4200),
            ("/hooks/stop/0", Code::AB4200),
            ("/hooks/stop/0/timeout", Code::AB4205),
            ("/hooks/stop/timeout", Code::AB4205),
            ("/hooks/stop/handler/prebuilt", Code::AB4200),
            ("/claude/native-hooks", Code::AB4208),
            ("/mcp/servers/a/apps/b/entry", Code::AB4326),
            ("/mcp/servers/a/apps/b/targets/0", Code::AB4333),
            ("/assets", Code::AB4600),
            ("/assets/0", Code::AB4600),
            ("/mcp/servers/a/cwd", Code::AB1003),
            ("/hooks", Code::AB1003),
            ("", Code::AB1003),
        ] {
            assert_eq!(wrong_shape(pointer), code, "{pointer}");
        }
    }
}
