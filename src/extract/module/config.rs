//! The carrier `export const config = { … }`.

use super::scope::{Binding, Scope, range};
use super::value::{Reader, unwrap};
use crate::diagnostic::Code;
use crate::extract::findings::Findings;
use crate::extract::node::{Data, Node};
use oxc::span::GetSpan;

const HELP: &str = "Write `export const config = { … }` in this module, with literal values";

/// The object that the module exports as `config`. `Ok(None)` when it exports none; `Err` after a finding.
pub(super) fn read(scope: &Scope<'_, '_>, findings: &mut Findings<'_>) -> Result<Option<Node>, ()> {
    let Some(export) = scope.export("config") else { return Ok(None) };
    let problem = match export.binding {
        Binding::Const(value) => {
            let node = Reader::new(scope, findings).read(value).ok_or(())?;
            if matches!(node.data, Data::Object(_)) {
                return Ok(Some(node));
            }
            let at = range(unwrap(value).span());
            let message = format!("`config` is {}, not an object", node.shape());
            findings.add_with_help(Code::AB4805, &at, message, HELP);
            return Err(());
        }
        Binding::NoValue => "`config` has no value".to_owned(),
        Binding::Variable(keyword) => format!("`config` is declared with `{keyword}`, so it may change"),
        Binding::Pattern => "`config` comes out of a destructuring".to_owned(),
        Binding::Declared(keyword) => format!("`config` is declared with `{keyword}`"),
        Binding::Listed(_) => "`config` is exported in a list, apart from its value".to_owned(),
        Binding::From(source) => format!("`config` is re-exported from `{source}`"),
        Binding::Default(_) | Binding::CommonJs => "`config` is not exported with `export const`".to_owned(),
    };
    findings.add_with_help(Code::AB4805, &export.range, problem, HELP);
    Err(())
}
