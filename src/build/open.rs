//! What is built: a project's directory, or a setup bundle's document in the shape of one.

use super::open_root;
use crate::diagnostic::{Code, Diagnostic};
use crate::workspace::plugin::{Drawn, draw, stem};
use crate::world::{Overlay, Root, World, is_file};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Something that can be built.
pub(super) struct Opened {
    /// Its root; a document has one of its own beside it, where its build lies.
    pub(super) root: Root,
    /// The world, with what a document gives laid over it.
    pub(super) world: Arc<dyn World>,
    /// The document.
    pub(super) document: Option<Drawn>,
}

impl Opened {
    /// Opens `path`.
    pub(super) fn new(path: &Path, world: Arc<dyn World>) -> Result<Self, Vec<Diagnostic>> {
        let root = open_root(path, world.as_ref()).map_err(|problem| vec![*problem])?;
        let Some(file) = document_name(path, world.as_ref()) else {
            return Ok(Self { root, world, document: None });
        };
        let place = root.absolute(&format!("../{file}"));
        let bytes = world.read(&place).map_err(|error| {
            vec![Diagnostic::new(Code::AB1008, format!("{file} cannot be read: {error}")).in_file(&file)]
        })?;
        let drawn = draw(&file, &bytes)?;
        let files = drawn.skills.iter().map(|(path, text)| (root.absolute(path), text.clone())).collect();
        let world = Arc::new(Overlay::new(world, root.path(), files));
        Ok(Self { root, world, document: Some(drawn) })
    }

    /// Findings at the places that they are about.
    pub(super) fn placed(&self, found: &mut Vec<Diagnostic>) {
        if let Some(document) = &self.document {
            *found = std::mem::take(found).into_iter().map(|one| document.placed(one)).collect();
        }
    }
}

/// The file name of a document, where `path` leads to one.
fn document_name(path: &Path, world: &dyn World) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    (stem(name).is_some() && is_file(world, path)).then(|| name.to_owned())
}

/// The directory of a document's build, which lies beside it: its path without the extension.
pub(super) fn document_root(path: &Path, world: &dyn World) -> Option<PathBuf> {
    let name = document_name(path, world)?;
    let real = world.canonicalize(path).ok()?;
    Some(real.parent()?.join(stem(&name)?))
}

/// The directory below which the places of findings about `path` lie: a document's own.
pub fn place(path: &Path) -> &Path {
    let is_document = path.file_name().and_then(|name| name.to_str()).and_then(stem).is_some();
    let above = path.parent().filter(|_| is_document);
    above.map_or(path, |above| if above.as_os_str().is_empty() { Path::new(".") } else { above })
}

/// The directory that holds the artifact of `path`, which may be a document.
pub fn build_directory(path: &Path) -> PathBuf {
    let stem = path.to_str().and_then(stem);
    stem.map_or_else(|| path.to_owned(), PathBuf::from)
}
