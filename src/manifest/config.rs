//! `agent-bundle.config.ts` as a manifest: its keys in the manifest's spelling, its values with their places.

use super::check::{PROJECT, Written, typed};
use super::shape::{Shapes, config_key};
use super::{CONFIG_FILE, Manifest, Spans};
use crate::diagnostic::{Code, Diagnostic};
use crate::extract::{Data, Member, Node, config_file};
use crate::model::pointer_step;
use serde_json::{Map, Value};

/// Reads the configuration of a project in place of its manifest.
pub fn parse_config(bytes: &[u8]) -> Result<Manifest, Vec<Diagnostic>> {
    let (config, mut found) = config_file(CONFIG_FILE, bytes);
    for one in found.iter_mut().filter(|one| matches!(one.code, Code::AB4805 | Code::AB4806)) {
        let help = one.help.take().unwrap_or_default();
        one.help = Some(format!("{help}. `agent-bundle migrate` writes a manifest with everything else"));
    }
    if config.is_empty() && !found.is_empty() {
        return Err(found);
    }
    let form = manifest_form(&config);
    let written = Written { file: CONFIG_FILE, spans: &form.spans, checked: &PROJECT };
    found.extend(form.unknown.iter().map(|(place, key)| written.unknown_key(place, key)));
    let data = typed(form.value, &written, found)?;
    let text = String::from_utf8_lossy(bytes).into_owned();
    Ok(Manifest { data, spans: form.spans, text, file: CONFIG_FILE })
}

/// A configuration in the manifest's form.
pub(super) struct Form {
    pub(super) value: Value,
    /// Places by the manifest's pointers.
    pub(super) spans: Spans,
    /// Keys that no manifest has, each with the pointer of what holds it.
    pub(super) unknown: Vec<(String, String)>,
}

pub(super) fn manifest_form(config: &Node) -> Form {
    let mut writer = Writer { shapes: PROJECT.shapes(), spans: Spans::new(), unknown: Vec::new() };
    let value = writer.value(config, PROJECT.shapes().at(""), "").unwrap_or_default();
    Form { value, spans: writer.spans, unknown: writer.unknown }
}

struct Writer<'s> {
    shapes: Shapes<'s>,
    spans: Spans,
    unknown: Vec<(String, String)>,
}

impl<'s> Writer<'s> {
    /// The value at `place`, whose shape is `shape`. Where there is none the value is free data.
    fn value(&mut self, node: &Node, shape: Option<&'s Value>, place: &str) -> Option<Value> {
        self.spans.insert(place.to_owned(), node.range.clone());
        match (&node.data, shape) {
            (Data::Null, Some(_)) if place.starts_with("/plugin/metadata/") => Some(Value::Bool(false)),
            (Data::Null, Some(_)) => None,
            // One of a list may stand for the list.
            (Data::String(text), Some(shape)) if is_short(place) && self.shapes.is_list(shape) => {
                self.spans.insert(format!("{place}/0"), node.range.clone());
                Some(Value::from(vec![text.clone()]))
            }
            (Data::Bool(true), Some(_)) if place == "/routes/mcp-commands" => Some(Value::Object(Map::new())),
            (Data::Array(items), _) => {
                let item = shape.and_then(|shape| self.shapes.below(shape, "0"));
                let items = items.iter().enumerate();
                Some(
                    items.filter_map(|(at, node)| self.value(node, item, &format!("{place}/{at}"))).collect(),
                )
            }
            (Data::Object(members), _) => Some(Value::Object(self.members(members, shape, place))),
            _ => Some(node.to_json()),
        }
    }

    fn members(&mut self, members: &[Member], shape: Option<&'s Value>, place: &str) -> Map<String, Value> {
        let mut values = Map::new();
        for (at, member) in members.iter().enumerate() {
            // Of equal keys the last counts.
            if members[at + 1..].iter().any(|later| later.key == member.key) {
                continue;
            }
            let known = shape.map(|shape| self.shapes.keys(shape)).unwrap_or_default();
            let known = known.into_iter().find(|key| config_key(place, key) == member.key);
            let key = known.unwrap_or(&member.key);
            let below = format!("{place}/{}", pointer_step(key));
            self.spans.insert(format!("{below}#key"), member.key_range.clone());
            if known.is_none() && shape.is_some_and(|shape| !self.shapes.is_open(shape)) {
                self.unknown.push((place.to_owned(), member.key.clone()));
                continue;
            }
            // Below a key that is not known by name everything may be free.
            let shape =
                shape.and_then(|shape| self.shapes.below(shape, key)).filter(|shape| shape.is_object());
            if let Some(value) = self.value(&member.value, shape, &below) {
                values.insert(key.to_owned(), value);
            }
        }
        values
    }
}

/// Whether one of a list may stand for the list.
pub(super) fn is_short(place: &str) -> bool {
    ["/skills", "/assets", "/targets"].contains(&place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(config: &str) -> Result<Manifest, Vec<String>> {
        let found = |found: Vec<Diagnostic>| found.iter().map(|one| one.code.to_string()).collect();
        parse_config(config.as_bytes()).map_err(found)
    }

    #[test]
    fn values_are_in_the_manifests_spelling_and_keep_their_places() {
        let text = "export default { plugin: { name: 'x', metadata: { author: null } }, skills: 'a', marketplace: null,
            output: { distPath: 'a', distPath: 'b' }, codex: { interface: { displayName: null } } }";
        let manifest = read(text).unwrap();
        let at = |pointer: &str| &text[manifest.spans[pointer].clone()];
        assert_eq!(manifest.data.output.path.as_deref(), Some("b"), "of equal keys the last counts");
        assert_eq!((at("/output/path"), at("/output/path#key")), ("'b'", "distPath"));
        assert_eq!(manifest.data.plugin.metadata.author, Some(Value::Bool(false)));
        assert_eq!((manifest.data.skills.as_deref(), at("/skills/0")), (Some(&["a".to_owned()][..]), "'a'"));
        assert!(!manifest.data.marketplace);
        assert_eq!(at("/codex/interface/displayName#key"), "displayName", "free data keeps its keys");
    }

    #[test]
    fn what_could_not_be_read_is_not_missed() {
        assert_eq!(read("export default { plugin: make() }").unwrap_err(), ["AB4806"]);
        assert_eq!(read("export default { plugin: { name: n() }, x: 1 }").unwrap_err(), ["AB4806", "AB1002"]);
    }

    #[test]
    fn no_input_makes_it_panic() {
        for text in [
            "",
            "export default 1",
            "export default {}",
            "export default { plugin: [], targets: {}, mcp: 'x', routes: null, claude: [null] }",
            "export default { plugin: { name: 'x', metadata: null }, '': { '': 1 }, '~/a': 2 }",
            "export default { __proto__: {}, constructor: 1, plugin: { name: 'x' } }",
        ] {
            drop(read(text));
            drop(read(&format!("\u{feff}{text}")));
        }
        assert!(parse_config(&[0xff]).is_err());
    }
}
