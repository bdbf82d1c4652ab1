//! What a module imports, binds and exports at its top level.

use oxc::ast::ast::{
    BindingPattern, Declaration, ExportDefaultDeclaration, ExportDefaultDeclarationKind,
    ExportNamedDeclaration, Expression, ImportDeclaration, ImportDeclarationSpecifier, Program, Statement,
    VariableDeclaration, VariableDeclarationKind,
};
use oxc::span::{GetSpan, Span};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A name taken from another module.
#[derive(Debug, Clone, Copy)]
pub(super) struct Import<'a> {
    /// The specifier as written.
    pub(super) source: &'a str,
    /// The exported name; `*` for the namespace.
    pub(super) imported: &'a str,
    /// Whether only its type is taken.
    pub(super) type_only: bool,
}

/// How a name comes to be exported.
#[derive(Debug, Clone, Copy)]
pub(super) enum Binding<'a, 'p> {
    /// `export const <name> = <expression>`
    Const(&'p Expression<'a>),
    /// `export const <name>` without a value
    NoValue,
    /// `export let`, `export var`, … with the keyword
    Variable(&'static str),
    /// `export const { <name> } = …`
    Pattern,
    /// `export function`, `export class`, `export enum`, `export namespace`, with the keyword
    Declared(&'static str),
    /// `export { <local> as <name> }`
    Listed(&'a str),
    /// `export … from '…'`
    From(&'a str),
    /// `export default …`
    Default(&'p ExportDefaultDeclaration<'a>),
    /// `export = …`, `module.exports = …` or `exports.<name> = …`
    CommonJs,
}

/// One exported name.
#[derive(Debug, Clone)]
pub(super) struct Export<'a, 'p> {
    pub(super) name: &'a str,
    /// The name where it is exported.
    pub(super) range: Range<usize>,
    pub(super) binding: Binding<'a, 'p>,
}

/// The top level of a module. Exports of types are not exports here.
#[derive(Debug, Default)]
pub(super) struct Scope<'a, 'p> {
    pub(super) imports: FxHashMap<&'a str, Import<'a>>,
    /// Initialisers of top-level `const` names, exported or not.
    pub(super) constants: FxHashMap<&'a str, &'p Expression<'a>>,
    pub(super) exports: Vec<Export<'a, 'p>>,
}

pub(super) fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

impl<'a, 'p> Scope<'a, 'p> {
    pub(super) fn of(program: &'p Program<'a>) -> Self {
        let mut scope = Self::default();
        for statement in &program.body {
            scope.statement(statement);
        }
        scope
    }

    /// The export of that name.
    pub(super) fn export(&self, name: &str) -> Option<&Export<'a, 'p>> {
        self.exports.iter().find(|export| export.name == name)
    }

    fn statement(&mut self, statement: &'p Statement<'a>) {
        match statement {
            Statement::ImportDeclaration(import) => self.import(import),
            Statement::VariableDeclaration(variables) => self.constants(variables),
            Statement::ExportDeclaration(export) => self.declaration(&export.declaration),
            Statement::ExportNamedDeclaration(list) => self.list(list),
            Statement::ExportFromDeclaration(from) if from.export_kind.is_value() => {
                for specifier in from.specifiers.iter().filter(|found| found.export_kind.is_value()) {
                    let binding = Binding::From(from.source.value.as_str());
                    self.add(specifier.exported.name().as_str(), specifier.exported.span(), binding);
                }
            }
            Statement::ExportAllDeclaration(all) if all.export_kind.is_value() => {
                if let Some(name) = &all.exported {
                    self.add(name.name().as_str(), name.span(), Binding::From(all.source.value.as_str()));
                }
            }
            Statement::ExportDefaultDeclaration(default) => {
                // Interfaces and the heads of overloaded functions exist for the type checker only.
                let is_type = match &default.declaration {
                    ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => true,
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => function.body.is_none(),
                    _ => false,
                };
                if !is_type {
                    self.add("default", default.declaration.span(), Binding::Default(default));
                }
            }
            Statement::TSExportAssignment(export) => {
                self.add("default", export.expression.span(), Binding::CommonJs);
            }
            Statement::ExpressionStatement(statement) => self.assignment(&statement.expression),
            _ => {}
        }
    }

    fn add(&mut self, name: &'a str, span: Span, binding: Binding<'a, 'p>) {
        self.exports.push(Export { name, range: range(span), binding });
    }

    fn import(&mut self, import: &ImportDeclaration<'a>) {
        for specifier in import.specifiers.iter().flatten() {
            let (imported, own_kind) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(named) => {
                    (named.imported.name().as_str(), named.import_kind)
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => ("default", import.import_kind),
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => ("*", import.import_kind),
            };
            let type_only = import.import_kind.is_type() || own_kind.is_type();
            let source = import.source.value.as_str();
            self.imports.insert(specifier.local().name.as_str(), Import { source, imported, type_only });
        }
    }

    fn constants(&mut self, variables: &'p VariableDeclaration<'a>) {
        if variables.kind != VariableDeclarationKind::Const {
            return;
        }
        for variable in &variables.declarations {
            if let (BindingPattern::BindingIdentifier(name), Some(value)) = (&variable.id, &variable.init) {
                self.constants.insert(name.name.as_str(), value);
            }
        }
    }

    fn declaration(&mut self, declaration: &'p Declaration<'a>) {
        match declaration {
            Declaration::VariableDeclaration(variables) => {
                self.constants(variables);
                self.variables(variables);
            }
            Declaration::FunctionDeclaration(function) if function.body.is_some() => {
                if let Some(name) = &function.id {
                    self.add(name.name.as_str(), name.span, Binding::Declared("function"));
                }
            }
            Declaration::ClassDeclaration(class) if !class.declare => {
                if let Some(name) = &class.id {
                    self.add(name.name.as_str(), name.span, Binding::Declared("class"));
                }
            }
            Declaration::TSNamespaceDeclaration(found) if !found.declare => {
                self.add(found.id.name.as_str(), found.id.span, Binding::Declared("namespace"));
            }
            Declaration::TSEnumDeclaration(found) if !found.declare => {
                self.add(found.id.name.as_str(), found.id.span, Binding::Declared("enum"));
            }
            Declaration::TSImportEqualsDeclaration(found) if found.import_kind.is_value() => {
                self.add(found.id.name.as_str(), found.id.span, Binding::Declared("import"));
            }
            _ => {}
        }
    }

    fn variables(&mut self, variables: &'p VariableDeclaration<'a>) {
        let keyword = match variables.kind {
            VariableDeclarationKind::Const => None,
            VariableDeclarationKind::Var => Some("var"),
            VariableDeclarationKind::Let => Some("let"),
            VariableDeclarationKind::Using => Some("using"),
            VariableDeclarationKind::AwaitUsing => Some("await using"),
        };
        for variable in &variables.declarations {
            if let BindingPattern::BindingIdentifier(name) = &variable.id {
                let binding = match (keyword, &variable.init) {
                    (Some(keyword), _) => Binding::Variable(keyword),
                    (None, Some(value)) => Binding::Const(value),
                    (None, None) => Binding::NoValue,
                };
                self.add(name.name.as_str(), name.span, binding);
            } else {
                for name in variable.id.get_binding_identifiers() {
                    self.add(name.name.as_str(), name.span, Binding::Pattern);
                }
            }
        }
    }

    fn list(&mut self, list: &ExportNamedDeclaration<'a>) {
        if list.export_kind.is_type() {
            return;
        }
        for specifier in list.specifiers.iter().filter(|found| found.export_kind.is_value()) {
            let binding = Binding::Listed(specifier.local.name().as_str());
            self.add(specifier.exported.name().as_str(), specifier.exported.span(), binding);
        }
    }

    /// `module.exports = …` and `exports.<name> = …`.
    fn assignment(&mut self, expression: &'p Expression<'a>) {
        let Expression::AssignmentExpression(assignment) = expression else { return };
        let Some(target) = assignment.left.as_member_expression() else { return };
        let Some(property) = target.static_property_name() else { return };
        let object = target.object();
        if object.is_specific_id("module") && property == "exports" {
            self.add("default", assignment.left.span(), Binding::CommonJs);
        } else if object.is_specific_id("exports") || object.is_specific_member_access("module", "exports") {
            self.add(property, assignment.left.span(), Binding::CommonJs);
        }
    }
}
