//! Settings of a bundler that is not ours: nothing is made of them, but what could never be is refused.

use crate::diagnostic::{Code, Diagnostic};
use crate::discover::pointer;
use crate::manifest::{Manifest, Several};
use crate::model::JsonObject;

/// Settings by which packages would stay outside of what is emitted.
const EXTERNAL: [&[&str]; 2] = [&["output", "externals"], &["externals"]];

/// Settings with another name by now.
const RENAMED: [(&[&str], &str); 2] =
    [(&["source", "alias"], "resolve.alias"), (&["source", "aliasStrategy"], "resolve.aliasStrategy")];

pub(super) fn check(manifest: &Manifest, found: &mut Vec<Diagnostic>) {
    let Some(tools) = &manifest.data.tools else { return };
    let mut tables: Vec<(String, &JsonObject)> = Vec::new();
    tables.extend(tools.rsbuild.iter().map(|table| ("/tools/rsbuild".to_owned(), table)));
    match &tools.rspack {
        None => {}
        Some(Several::One(table)) => tables.push(("/tools/rspack".to_owned(), table)),
        Some(Several::Many(many)) => {
            let many = many.iter().enumerate();
            tables.extend(many.map(|(at, table)| (format!("/tools/rspack/{at}"), table)));
        }
    }
    for (place, table) in tables {
        for keys in EXTERNAL {
            if let Some(place) = holds(table, keys, &place) {
                let message = format!("{} would leave packages out of the plugin", manifest.path(&place));
                found.push(Diagnostic::new(Code::AB4725, message).with_span(manifest.key_span(&place)));
            }
        }
        for (keys, name) in RENAMED.iter().filter(|_| place == "/tools/rsbuild") {
            if let Some(place) = holds(table, keys, &place) {
                let message = format!("{} is called `{name}` by now", manifest.path(&place));
                found.push(Diagnostic::new(Code::AB4726, message).with_span(manifest.key_span(&place)));
            }
        }
    }
}

/// The pointer of the value to which `keys` lead.
fn holds(table: &JsonObject, keys: &[&str], place: &str) -> Option<String> {
    let (last, parents) = keys.split_last()?;
    let mut table = table;
    for key in parents {
        table = table.get(*key)?.as_object()?;
    }
    table.contains_key(*last).then(|| keys.iter().fold(place.to_owned(), |place, key| pointer(&place, key)))
}
