//! `agent-bundle explain`

use super::{Exit, Printer};
use crate::diagnostic::{Code, Diagnostic, explanation, nearest, reference};
use clap::Args;
use std::path::Path;

#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// A code of a finding, for example `AB4810`; without one, all codes are explained.
    code: Option<String>,
}

pub(super) fn run(args: &ExplainArgs, printer: &Printer) -> Exit {
    let Some(word) = &args.code else {
        printer.raw(reference().as_bytes());
        return Exit::Success;
    };
    match Code::named(&word.to_ascii_uppercase()).as_ref().and_then(explanation) {
        Some(text) => {
            printer.raw(text.as_bytes());
            Exit::Success
        }
        None => {
            printer.diagnostics(Path::new("."), &[unknown(word)]);
            Exit::Failure
        }
    }
}

fn unknown(word: &str) -> Diagnostic {
    let message = format!("`{word}` is not the code of a finding");
    let near = nearest(&word.to_ascii_uppercase(), Code::ALL.iter().map(|info| info.name));
    let help = match near {
        Some(near) => format!("did you mean {near}?"),
        None if word.contains('.') => {
            "it is a rule of one host; the finding's message says all there is".to_owned()
        }
        None => {
            "a code looks like AB4810; it stands in brackets before the message of each finding".to_owned()
        }
    };
    Diagnostic::new(Code::AB5005, message).help(help)
}
