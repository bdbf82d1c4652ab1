//! The bundler's view of the disk: a world, and nothing that writes.

use crate::world::{Kind, Metadata, OsWorld, World};
use oxc_resolver::{FileMetadata, FileSystem as ResolverFileSystem, ResolveError};
use rolldown_fs::FileSystem;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A read-only file system over a world. Handing the bundler a recording world makes everything that it reads
/// and everything that it looks for in vain a discovered input.
#[derive(Clone)]
pub(super) struct WorldFs(pub Arc<dyn World>);

fn describe(found: Metadata) -> FileMetadata {
    FileMetadata::new(found.kind == Kind::File, found.kind == Kind::Dir, found.kind == Kind::Link)
}

/// Virtual modules have a NUL in their id, and the resolver looks around them as if they were files. No such path
/// can exist, so it is not worth a question.
fn is_virtual(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().contains(&0)
}

fn absent() -> io::Error {
    io::Error::from(io::ErrorKind::NotFound)
}

fn refuse() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, "a bundle writes nothing")
}

impl ResolverFileSystem for WorldFs {
    fn new(_yarn_pnp: bool) -> Self {
        Self(Arc::new(OsWorld))
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if is_virtual(path) {
            return Err(absent());
        }
        self.0.read(path)
    }

    fn read_to_string(&self, path: &Path) -> io::Result<String> {
        let not_text = |_| io::Error::new(io::ErrorKind::InvalidData, "the file is not UTF-8 text");
        String::from_utf8(ResolverFileSystem::read(self, path)?).map_err(not_text)
    }

    fn metadata(&self, path: &Path) -> io::Result<FileMetadata> {
        if is_virtual(path) {
            return Err(absent());
        }
        self.0.metadata(path).map(describe)
    }

    fn symlink_metadata(&self, path: &Path) -> io::Result<FileMetadata> {
        if is_virtual(path) {
            return Err(absent());
        }
        self.0.symlink_metadata(path).map(describe)
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, ResolveError> {
        self.0.read_link(path).map_err(ResolveError::from)
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        if is_virtual(path) {
            return Err(absent());
        }
        self.0.canonicalize(path)
    }
}

impl FileSystem for WorldFs {
    fn remove_dir_all(&self, _path: &Path) -> io::Result<()> {
        Err(refuse())
    }

    fn create_dir_all(&self, _path: &Path) -> io::Result<()> {
        Err(refuse())
    }

    fn write(&self, _path: &Path, _content: &[u8]) -> io::Result<()> {
        Err(refuse())
    }

    fn exists(&self, path: &Path) -> bool {
        self.0.metadata(path).is_ok()
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        Ok(self.0.list(path)?.into_iter().map(|entry| path.join(entry.name)).collect())
    }

    fn remove_file(&self, _path: &Path) -> io::Result<()> {
        Err(refuse())
    }
}
