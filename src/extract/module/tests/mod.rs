use super::*;
use crate::extract::{APP_REFERENCE_KEY, MAX_MODULE_BYTES, app_references};
use serde_json::{Value, json};

mod robustness;
mod surfaces;

const ROUTES: &str = "import { appResourceUri, defineTool } from 'agent-bundle/routes';\n";

/// Codes with the text under their spans.
fn findings(extraction: &Extraction, source: &[u8]) -> Vec<(String, String)> {
    let text = |start: usize, end: usize| String::from_utf8_lossy(&source[start..end]).into_owned();
    let of = |diagnostic: &crate::diagnostic::Diagnostic| {
        let span = diagnostic.span.clone().unwrap();
        (diagnostic.code.to_string(), text(span.start, span.end))
    };
    extraction.diagnostics.iter().map(of).collect()
}

fn assert_findings(kind: ModuleKind, path: &str, source: &str, expected: &[(&str, &str)]) -> Extraction {
    let extraction = extract_module(kind, path, source.as_bytes());
    let found = findings(&extraction, source.as_bytes());
    let expected: Vec<(String, String)> =
        expected.iter().map(|(code, text)| ((*code).to_owned(), (*text).to_owned())).collect();
    assert_eq!(found, expected, "in {source:?}");
    for diagnostic in &extraction.diagnostics {
        assert!(diagnostic.help.as_ref().is_some_and(|help| !help.is_empty()), "{diagnostic:?}");
        assert_eq!(diagnostic.span.as_ref().unwrap().path, path);
    }
    extraction
}

/// A tool with these properties beside its schemas.
fn tool(properties: &str) -> String {
    format!("{ROUTES}export default defineTool({{ {properties}, inputSchema, resultSchema }}, h);")
}

fn assert_tool(properties: &str, expected: &[(&str, &str)]) -> Value {
    let extraction = assert_findings(ModuleKind::Tool, "src/t.tsx", &tool(properties), expected);
    Value::Object(extraction.facts.config)
}

/// A prompt whose `config` is this expression.
fn config_of(expression: &str) -> Extraction {
    let source = format!("export const config = {expression};");
    extract_module(ModuleKind::Prompt, "src/p.ts", prompt(&source).as_bytes())
}

fn prompt(rest: &str) -> String {
    format!("export const inputSchema = 1, resultSchema = 1; export default function () {{}}\n{rest}")
}

fn assert_prompt(rest: &str, expected: &[(&str, &str)]) -> Value {
    let extraction = assert_findings(ModuleKind::Prompt, "src/p.ts", &prompt(rest), expected);
    Value::Object(extraction.facts.config)
}

#[test]
fn every_spelling_of_the_grammar_is_read() {
    let config =
        assert_prompt("export const config = { a: -1.5, b: [true, null], 'c-d': `x` } as const;", &[]);
    assert_eq!(config, json!({"a": -1.5, "b": [true, null], "c-d": "x"}));
    let config = assert_prompt(
        "const U = ('u' as string)!; export const config = ({ a: <T>1, b: (2 satisfies number), c: +3, [`x`.y]: 1 });",
        &[("AB4806", "[`x`.y]: 1")],
    );
    assert_eq!(config, json!({}));
    let config = assert_prompt(
        "const U = ('u' as string)!; export const config = ({ a: <T>1, b: (2 satisfies number), c: +3, d: U, 1: {}, 0x10: '', 1.50: 'x' });",
        &[],
    );
    assert_eq!(config, json!({"a": 1, "b": 2, "c": 3, "d": "u", "1": {}, "16": "", "1.5": "x"}));
}

#[test]
fn numbers_keep_their_kind() {
    let config = assert_prompt(
        "export const config = { a: 1.0, b: 0.5, c: 9007199254740992, d: 1e21, e: -0x10 };",
        &[],
    );
    assert_eq!(
        serde_json::to_string(&config).unwrap(),
        r#"{"a":1,"b":0.5,"c":9007199254740992,"d":1e+21,"e":-16}"#
    );
    for (written, under) in [("1e999", "1e999"), ("-1e999", "-1e999"), ("-0", "-0"), ("(-0.0)", "-0.0")] {
        let config =
            assert_prompt(&format!("export const config = {{ a: {written} }};"), &[("AB4806", under)]);
        assert_eq!(config, json!({}));
    }
}

#[test]
fn the_last_of_equal_keys_counts() {
    let config = assert_prompt("export const config = { a: 1, b: 2, 'a': 3 };", &[]);
    assert_eq!(serde_json::to_string(&config).unwrap(), r#"{"a":3,"b":2}"#);
}

#[test]
fn constants_hold_strings_only() {
    let source = "const U = 'ui://a/b' as string; export const config = { resourceUri: U };";
    let app = assert_findings(ModuleKind::App, "src/a.tsx", source, &[]);
    assert_eq!(app.facts.config["resourceUri"], "ui://a/b");
    for (declaration, word) in [
        ("const U = 'ui://a/' + 'b'", "`const` that is not a string literal"),
        ("import { U } from './u'", "imported from `./u`"),
        ("let U = 'ui://a/b'", "the identifier `U`"),
        ("", "the identifier `U`"),
    ] {
        let source = format!("{declaration};export const config = {{ resourceUri: U }};");
        let app = assert_findings(ModuleKind::App, "src/a.tsx", &source, &[("AB4806", "U")]);
        assert!(app.diagnostics[0].message.contains(word), "{:?}", app.diagnostics[0]);
        assert!(app.diagnostics[0].message.starts_with("`resourceUri`: "));
        assert!(app.facts.config.is_empty());
    }
}

#[test]
fn dynamic_values_are_named_each_at_its_place() {
    for (value, under) in [
        ("text()", "text()"),
        ("a.b", "a.b"),
        ("a?.b", "a?.b"),
        ("`x${y}`", "`x${y}`"),
        ("tag`x`", "tag`x`"),
        ("undefined", "undefined"),
        ("1n", "1n"),
        ("/x/u", "/x/u"),
        ("() => 1", "() => 1"),
        ("function () {}", "function () {}"),
        ("class {}", "class {}"),
        ("!true", "!true"),
        ("- -1", "- -1"),
        ("-'1'", "-'1'"),
        ("1 + 2", "1 + 2"),
        ("a ?? 'b'", "a ?? 'b'"),
        ("a ? 1 : 2", "a ? 1 : 2"),
        ("new Date()", "new Date()"),
        ("[...x]", "...x"),
        ("{ ...x }", "...x"),
        ("{ x }", "x"),
        ("{ [k]: 1 }", "[k]: 1"),
        ("{ get x() { return 1 } }", "get x() { return 1 }"),
        ("{ x() {} }", "x() {}"),
        ("{ __proto__: {} }", "__proto__"),
        ("'\\ud800'", "'\\ud800'"),
        ("`\\ud800`", "`\\ud800`"),
        ("f<string>", "f<string>"),
    ] {
        let source = format!("export const config = {{ a: {{ b: ({value}) }} }};");
        let config = assert_prompt(&source, &[("AB4806", under)]);
        assert_eq!(config, json!({}));
    }
    assert_prompt("export const config = { a: [1, , 2] };", &[("AB4806", ",")]);
    assert_prompt(
        "export const config = { a: x, b: [y(), 1], c: 1 };",
        &[("AB4806", "x"), ("AB4806", "y()")],
    );
}

#[test]
fn config_must_be_declared_where_it_is_exported() {
    for (declaration, under) in [
        ("export let config = {}", "config"),
        ("export var config = {}", "config"),
        ("const config = {}; export { config }", "config"),
        ("const c = {}; export { c as config }", "config"),
        ("export { config } from './c'", "config"),
        ("export * as config from './c'", "config"),
        ("export function config() {}", "config"),
        ("export class config {}", "config"),
        ("export enum config { A }", "config"),
        ("export const { config } = x", "config"),
        ("export declare const config: {}", "config"),
        ("export const config = 'x'", "'x'"),
        ("export const config = [{}] as const", "[{}]"),
    ] {
        assert_prompt(declaration, &[("AB4805", under)]);
    }
    for accepted in [
        "const config = {};",
        "export type config = {};",
        "export interface config {}",
        "type c = {}; export type { c as config };",
        "export type { config } from './c';",
        "export const config = {}, other = f();",
    ] {
        assert_eq!(assert_prompt(accepted, &[]), json!({}));
    }
    assert_prompt("export const config = make();", &[("AB4806", "make()")]);
}

#[test]
fn tools_are_defined_directly() {
    let source = "import { defineTool as t } from 'agent-bundle/routes';\nexport default t({ title: 'T', inputSchema: z.object({}), resultSchema }, h)";
    let found = assert_findings(ModuleKind::Tool, "src/t.ts", source, &[]);
    assert_eq!(Value::Object(found.facts.config), json!({"title": "T"}));
    let source = format!(
        "{ROUTES}export default defineTool(({{ inputSchema, 'resultSchema': r }}) as const, async function* () {{ await import(x) }})"
    );
    assert_findings(ModuleKind::Tool, "src/t.ts", &source, &[]);
    for (export, under) in [
        ("const d = defineTool({ inputSchema, resultSchema }, h); export default d;", "d"),
        ("const d = defineTool({ inputSchema, resultSchema }, h); export { d as default };", "default"),
        ("const d = defineTool({ inputSchema, resultSchema }, h); export default wrap(d);", "wrap(d)"),
        (
            "export default wrap(defineTool({ inputSchema, resultSchema }, h));",
            "wrap(defineTool({ inputSchema, resultSchema }, h))",
        ),
        (
            "import * as r from 'agent-bundle/routes'; export default r.defineTool({}, h);",
            "r.defineTool({}, h)",
        ),
        (
            "import { events } from 'agent-bundle/routes'; export default events.stop({}, h);",
            "events.stop({}, h)",
        ),
        ("export default defineTool(options, h);", "options"),
        ("export default defineTool({ ...o, inputSchema, resultSchema }, h);", "...o"),
        (
            "export default defineTool({ inputSchema, resultSchema });",
            "defineTool({ inputSchema, resultSchema })",
        ),
        (
            "export default defineTool({ inputSchema, resultSchema }, h, 1);",
            "defineTool({ inputSchema, resultSchema }, h, 1)",
        ),
        ("export default defineTool(...x);", "...x"),
        ("export default defineTool({ resultSchema }, h);", "{ resultSchema }"),
        ("export default defineTool({ resultSchema, inputSchema() {} }, h);", "inputSchema() {}"),
        ("export default function () {}", "function () {}"),
        ("export const a = 1;", ""),
    ] {
        assert_findings(ModuleKind::Tool, "src/t.ts", &format!("{ROUTES}{export}"), &[("AB4810", under)]);
    }
    assert_findings(ModuleKind::Tool, "src/t.ts", "", &[("AB4810", "")]);
    assert_tool("description: text()", &[("AB4806", "text()")]);
}

#[test]
fn a_tool_without_the_helper_exports_its_parts() {
    let parts = "export const inputSchema = 1; export { r as resultSchema } from './r';";
    let source = format!("{parts} export const config = {{ title: 'x' }}; export default async () => {{}}");
    let found = assert_findings(ModuleKind::Tool, "src/t.ts", &source, &[]);
    assert_eq!(found.facts.config["title"], "x");
    let source = format!("{parts} export {{ x as default }} from './x';");
    assert_findings(ModuleKind::Tool, "src/t.ts", &source, &[]);
    let source = "import type { defineTool } from 'agent-bundle/routes'; export default defineTool({}, h);";
    let found = assert_findings(ModuleKind::Tool, "src/t.ts", source, &[("AB4810", "defineTool({}, h)")]);
    assert!(found.diagnostics[0].message.contains("not imported as a value"), "{found:?}");
    for import in
        ["", "import defineTool from 'agent-bundle/routes';", "import { defineTool } from './helpers';"]
    {
        let source = format!("{import} export default defineTool({{}}, h);");
        let found =
            assert_findings(ModuleKind::Tool, "src/t.ts", &source, &[("AB4810", "defineTool({}, h)")]);
        assert!(found.diagnostics[0].message.contains("not imported as a value"), "{found:?}");
    }
}

#[test]
fn metadata_stands_in_one_place() {
    let source = format!(
        "{ROUTES}export const config = {{}}; export default defineTool({{ inputSchema, resultSchema }}, h);"
    );
    assert_findings(ModuleKind::Tool, "src/t.ts", &source, &[("AB4805", "config")]);
}

#[test]
fn gates_are_refused() {
    assert_prompt(
        "export function execute() {} export const render = 1;",
        &[("AB4811", "execute"), ("AB4811", "render")],
    );
    assert_prompt("function execute() {} export type render = 1;", &[]);
}

#[test]
fn render_budgets_are_whole_milliseconds() {
    assert_eq!(
        assert_tool("render: { maxElapsedMs: 86400000 }", &[]),
        json!({"render": {"maxElapsedMs": 86_400_000}})
    );
    for (value, under) in
        [("0", "0"), ("1.5", "1.5"), ("86400001", "86400001"), ("'60'", "'60'"), ("-1", "-1")]
    {
        assert_tool(&format!("render: {{ maxElapsedMs: {value} }}"), &[("AB4835", under)]);
    }
    assert_tool("render: { maxElapsedMs: 1, x: 1 }", &[("AB4835", "x")]);
    assert_tool("render: {}", &[("AB4835", "{}")]);
    assert_tool("render: 5", &[("AB4835", "5")]);
}

#[test]
fn task_support_belongs_to_tools() {
    for mode in ["forbidden", "optional", "required"] {
        assert_tool(&format!("execution: {{ taskSupport: '{mode}' }}"), &[]);
    }
    assert_tool("execution: { taskSupport: 'maybe' }", &[("AB4836", "'maybe'")]);
    assert_tool("execution: { taskSupport: 'optional', x: 1 }", &[("AB4836", "x")]);
    assert_tool("execution: {}", &[("AB4836", "{}")]);
    assert_tool("execution: true", &[("AB4836", "true")]);
    assert_prompt(
        "export const config = { execution: { taskSupport: 'optional' } };",
        &[("AB4836", "execution")],
    );
}

#[test]
fn excluded_clients_are_names() {
    let long = format!("'{}'", "x".repeat(129));
    assert_tool(&format!("excludeClients: ['{}']", "ü".repeat(128)), &[]);
    assert_tool("excludeClients: ['']", &[("AB4805", "''")]);
    assert_tool(&format!("excludeClients: ['a', {long}]"), &[("AB4805", &long)]);
    let found = extract_module(ModuleKind::Tool, "src/t.ts", tool("excludeClients: 'a'").as_bytes());
    assert!(found.diagnostics[0].message.contains("`excludeClients`"), "{found:?}");
}

#[test]
fn known_keys_have_their_shapes_and_others_are_kept() {
    let config = assert_tool(
        "title: 'T', x: { y: [1] }, annotations: { readOnlyHint: true, title: 'A' }, exitCode: 'result'",
        &[],
    );
    assert_eq!(config["x"], json!({"y": [1]}));
    assert_tool("title: 1", &[("AB4805", "1")]);
    assert_tool("description: null", &[("AB4805", "null")]);
    assert_tool("annotations: { readOnlyHint: 'yes' }", &[("AB4805", "'yes'")]);
    assert_tool("annotations: []", &[("AB4805", "[]")]);
    assert_tool("exitCode: 'zero'", &[("AB4805", "'zero'")]);
    assert_tool("_meta: 1", &[("AB4805", "1")]);
    assert_tool("_meta: { ui: { resourceUri: 1 } }", &[("AB4805", "1")]);
}

#[test]
fn resources_have_an_address() {
    let resource = |rest: &str| prompt(rest);
    let path = "src/r.ts";
    assert_findings(ModuleKind::Resource, path, &resource("export const config = { uri: 'a://b' };"), &[]);
    assert_findings(
        ModuleKind::Resource,
        path,
        &resource("export const config = { uri: '' };"),
        &[("AB4805", "''")],
    );
    assert_findings(
        ModuleKind::Resource,
        path,
        &resource("export const config = { mimeType: 'x' };"),
        &[("AB4805", "{ mimeType: 'x' }")],
    );
    assert_findings(ModuleKind::Resource, path, &resource(""), &[("AB4805", "")]);
    assert_findings(
        ModuleKind::Resource,
        path,
        &resource("export const config = { uri: f() };"),
        &[("AB4806", "f()")],
    );
}

#[test]
fn apps_have_a_static_address() {
    let app = |config: &str, expected: &[(&str, &str)]| {
        assert_findings(ModuleKind::App, "src/a.tsx", &format!("export const config = {config};"), expected)
    };
    app("{ resourceUri: 'ui://notes/board', template: './x.html', targets: ['claude'], _meta: {} }", &[]);
    app("{ resourceUri: '' }", &[("AB4812", "''")]);
    app("{ resourceUri: 5 }", &[("AB4812", "5")]);
    app("{ }", &[("AB4812", "{ }")]);
    for uri in ["'ui://'", "'ui:///x'", "'https://a/b'", "'ui:a'", "'ui://a b'"] {
        app(&format!("{{ resourceUri: {uri} }}"), &[("AB4329", uri)]);
    }
    app("{ resourceUri: 'ui://a', template: 'x.txt' }", &[("AB4332", "'x.txt'")]);
    app("{ resourceUri: 'ui://a', targets: 'claude' }", &[("AB4805", "'claude'")]);
    assert_findings(ModuleKind::App, "src/a.tsx", "render(<App/>);", &[("AB4812", "")]);
}

#[test]
fn input_json_schema_is_a_closed_subset() {
    let schema = |body: &str, expected: &[(&str, &str)]| {
        assert_tool(&format!("inputJsonSchema: {body}"), expected);
    };
    let whole = |properties: &str| {
        format!("{{ type: 'object', additionalProperties: false, properties: {{ {properties} }} }}")
    };
    schema(&whole(""), &[]);
    schema(
        &whole(
            "a: { type: 'boolean', default: false }, b: { type: 'number', description: 'n' }, c: { type: 'string', enum: ['x'] }, d: { type: 'array', items: { type: 'string', enum: ['y'] }, default: ['y'] }",
        ),
        &[],
    );
    schema(
        "{ type: 'object', additionalProperties: false, properties: { a: { type: 'number' } }, required: ['a'] }",
        &[],
    );
    schema(
        "{ type: 'object', additionalProperties: false, properties: {}, required: ['b', 1] }",
        &[("AB4814", "'b'"), ("AB4814", "1")],
    );
    schema("5", &[("AB4814", "5")]);
    schema("{ type: 'array', additionalProperties: false, properties: {} }", &[("AB4814", "'array'")]);
    schema("{ type: 'object', additionalProperties: true, properties: {} }", &[("AB4814", "true")]);
    schema("{ type: 'object', properties: {} }", &[("AB4814", "{ type: 'object', properties: {} }")]);
    schema("{ type: 'object', additionalProperties: false, properties: {}, $id: 'x' }", &[("AB4814", "$id")]);
    for (property, under) in [
        ("a: 1", "1"),
        ("a: { type: 'integer' }", "'integer'"),
        ("a: {}", "{}"),
        ("a: { type: 'number', enum: [1] }", "enum"),
        ("a: { type: 'string', enum: [] }", "[]"),
        ("a: { type: 'string', description: '' }", "''"),
        ("a: { type: 'string', default: {} }", "{}"),
        ("a: { type: 'array' }", "{ type: 'array' }"),
        ("a: { type: 'array', items: { type: 'array' } }", "'array'"),
        ("a: { type: 'array', items: { type: 'string', description: 'x' } }", "description"),
    ] {
        schema(&whole(property), &[("AB4814", under)]);
    }
}

#[test]
fn app_references_become_markers() {
    let config = assert_tool(
        "_meta: { ui: { resourceUri: appResourceUri('../apps/panel.js') }, 'a/b': [appResourceUri(U)] }",
        &[("AB4806", "U")],
    );
    assert_eq!(config, json!({}));
    let source = format!(
        "{ROUTES}const U = 'x';\nexport default defineTool({{ _meta: {{ ui: {{ resourceUri: appResourceUri('../apps/panel.js') }}, 'a/b': [appResourceUri(U)] }}, inputSchema, resultSchema }}, h)"
    );
    let found = assert_findings(ModuleKind::Tool, "src/t.ts", &source, &[]);
    assert_eq!(
        found.facts.config["_meta"]["ui"]["resourceUri"],
        json!({APP_REFERENCE_KEY: "../apps/panel.js"})
    );
    let references = app_references(&found.facts.config);
    let expected = [("/_meta/ui/resourceUri", "../apps/panel.js"), ("/_meta/a~1b/0", "x")];
    assert_eq!(references, expected.map(|(pointer, text)| (pointer.to_owned(), text.to_owned())));
    let span = config_span(ModuleKind::Tool, "src/t.ts", source.as_bytes(), "/_meta/a~1b/0").unwrap();
    assert_eq!(&source[span.start..span.end], "appResourceUri(U)");
    assert_eq!(config_span(ModuleKind::Tool, "src/t.ts", source.as_bytes(), "/_meta/no"), None);
    assert_tool("_meta: { a: appResourceUri() }", &[("AB4806", "appResourceUri()")]);
    assert_tool("_meta: { a: appResourceUri('a', 'b') }", &[("AB4806", "'a'")]);
    let local = "function appResourceUri() {} export const config = { a: appResourceUri('x') };";
    assert_prompt(local, &[("AB4806", "appResourceUri('x')")]);
}

#[test]
fn layouts_export_a_component_only() {
    let path = "src/layout.tsx";
    assert_findings(
        ModuleKind::Layout,
        path,
        "export default function ({ children }) { return <>{children}</> }",
        &[],
    );
    assert_findings(ModuleKind::Layout, path, "export const a = 1;", &[("AB4830", "")]);
    let source = "export const config = {}, helper = 1; export { render } from './r'; export default 1;";
    assert_findings(ModuleKind::Layout, path, source, &[("AB4830", "config"), ("AB4830", "render")]);
}

#[test]
fn providers_and_entries_have_a_default_export() {
    assert_findings(ModuleKind::Provider, "src/p.ts", "export default () => 1;", &[]);
    assert_findings(ModuleKind::Provider, "src/p.ts", "export const p = 1;", &[("AB4940", "")]);
    assert_findings(ModuleKind::Entry, "src/mcp/s.ts", "new Server().connect();", &[("AB4730", "")]);
    assert_findings(ModuleKind::Entry, "src/mcp/s.ts", "export default interface S {}", &[("AB4730", "")]);
    for (path, source) in [
        ("src/mcp/s.ts", "export default () => new Server();"),
        ("src/mcp/s.ts", "export { create as default } from './server';"),
        ("src/mcp/s.cjs", "module.exports = () => 1;"),
        ("src/mcp/s.cjs", "exports.default = () => 1;"),
        ("src/mcp/s.js", "module.exports.default = function () {};"),
        ("src/mcp/s.mjs", "export default class {}"),
    ] {
        assert_findings(ModuleKind::Entry, path, source, &[]);
    }
}

#[test]
fn build_time_code_is_imported_as_types_only() {
    let provider = |source: &str, expected: &[(&str, &str)]| {
        assert_findings(ModuleKind::Provider, "src/p.ts", &format!("{source}\nexport default 1;"), expected);
    };
    for (source, under) in [
        ("import { x } from 'agent-bundle/config';", "'agent-bundle/config'"),
        ("import 'agent-bundle';", "'agent-bundle'"),
        ("import { type X, y } from \"agent-bundle/api\";", "\"agent-bundle/api\""),
        ("export { x } from 'agent-bundle/test';", "'agent-bundle/test'"),
        ("export * from 'agent-bundle/eval';", "'agent-bundle/eval'"),
        ("const x = () => import('agent-bundle/api');", "'agent-bundle/api'"),
    ] {
        provider(source, &[("AB4837", under)]);
    }
    for source in [
        "import type { X } from 'agent-bundle/config';",
        "import { type X } from 'agent-bundle';",
        "export type { X } from 'agent-bundle/test';",
        "export type * from 'agent-bundle/eval';",
        "import { agent } from 'agent-bundle/routes';",
        "import x from 'agent-bundle-extra';",
        "const x = (name: string) => import(name);",
    ] {
        provider(source, &[]);
    }
}

#[test]
fn handlers_are_never_looked_at() {
    let source = format!(
        "{ROUTES}await connect(); console.log(`x${{1}}`);\nexport default defineTool({{ title: 'x', inputSchema: f(...g), resultSchema: class {{}} }}, async (input) => {{ const m = await import(input.x); return <b>{{m}}</b> }});"
    );
    let found = assert_findings(ModuleKind::Tool, "src/t.tsx", &source, &[]);
    assert_eq!(Value::Object(found.facts.config), json!({"title": "x"}));
}

#[test]
fn syntax_errors_hide_everything_else() {
    let source = "export const config = { a: f() };\nexport let execute = ;";
    let found = assert_findings(ModuleKind::Prompt, "src/p.ts", source, &[("AB2000", ";")]);
    assert_eq!(found.facts, Facts::default());
    assert_findings(
        ModuleKind::Provider,
        "src/p.ts",
        "export default 1; export default 2;",
        &[("AB2000", "2")],
    );
    let overloads = "export default function f(): void; export default function f(a?: 1) {}";
    assert_findings(ModuleKind::Provider, "src/p.ts", overloads, &[]);
    let jsx = extract_module(ModuleKind::Tool, "src/t.ts", b"export default () => <b>x</b>;");
    assert_eq!(jsx.diagnostics.len(), 1);
    assert!(jsx.diagnostics[0].help.as_deref().unwrap().contains(".tsx"), "{jsx:?}");
}
