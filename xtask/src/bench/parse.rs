//! The bare parser, as a program: every module below a directory is read and parsed, and nothing else is done. What
//! `validate` takes is compared with it.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a measuring program of the bench")]

use oxc::allocator::Allocator;
use oxc::parser::Parser;
use oxc::span::SourceType;
use std::path::Path;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::io::Result<()> {
    let directory = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let (mut modules, mut statements) = (0, 0);
    let mut allocator = Allocator::default();
    for entry in walkdir::WalkDir::new(Path::new(&directory)) {
        let entry = entry?;
        let Ok(kind) = SourceType::from_path(entry.path()) else { continue };
        if !entry.file_type().is_file() {
            continue;
        }
        let text = std::fs::read_to_string(entry.path())?;
        statements += Parser::new(&allocator, &text, kind).parse().program.body.len();
        modules += 1;
        allocator.reset();
    }
    println!("{modules} modules, {statements} statements");
    Ok(())
}
