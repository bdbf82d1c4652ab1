//! One walk over what a node depends on; it feeds either a hasher or an explainer, so that an explanation can
//! never drift from what was hashed.

use super::node::Node;
use crate::world::{Digest, Digester};

/// Receives the fields of a key in order.
pub trait KeyWalk {
    /// One named field.
    fn field(&mut self, name: &str, value: &[u8]);
}

/// Hashes the walk.
pub struct HashWalk(Digester);

impl HashWalk {
    /// The key of everything walked.
    pub fn finish(self) -> Digest {
        self.0.finish()
    }
}

impl Default for HashWalk {
    fn default() -> Self {
        Self(Digester::new("agent-bundle node key 1"))
    }
}

impl KeyWalk for HashWalk {
    fn field(&mut self, name: &str, value: &[u8]) {
        self.0.field(name.as_bytes()).field(value);
    }
}

/// Keeps the walk as names with readable values; values that are long or not text become their digest.
#[derive(Default)]
pub struct TextWalk(pub Vec<(String, String)>);

/// Longest value that is kept as text, in bytes.
const READABLE: usize = 4096;

impl KeyWalk for TextWalk {
    fn field(&mut self, name: &str, value: &[u8]) {
        let text = match std::str::from_utf8(value) {
            Ok(text) if text.len() <= READABLE => text.to_owned(),
            _ => format!("sha256:{}", Digest::of(value)),
        };
        self.0.push((name.to_owned(), text));
    }
}

/// Walks the key of `node`; `inputs` are the ids and output digests of the nodes that it depends on, sorted.
pub fn node_key(walk: &mut dyn KeyWalk, tool: &Digest, node: &Node, inputs: &[(&str, Digest)]) {
    walk.field("tool", tool.to_string().as_bytes());
    walk.field("kind", format!("{} {}", node.kind.word(), node.kind.version()).as_bytes());
    walk.field("id", node.id.as_bytes());
    node.job.walk(walk);
    for (id, digest) in inputs {
        walk.field(&format!("input {id}"), digest.to_string().as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_explained_by_digest() {
        let mut walk = TextWalk::default();
        walk.field("short", b"x");
        walk.field("long", &[b'y'; READABLE + 1]);
        assert_eq!(walk.0[0].1, "x");
        assert!(walk.0[1].1.starts_with("sha256:"));
    }
}
