//! Commands, CLI projections, event routes, scripts and state.

use super::*;

const EVENTS: &str = "import { events } from 'agent-bundle/routes';\n";
const STATE: &str = "import { defineState } from '@agent-bundle/runtime/state';\n";

fn event(properties: &str, expected: &[(&str, &str)]) -> Value {
    let source = format!("{EVENTS}export default events.tool.before({{ {properties} }}, h);");
    Value::Object(
        assert_findings(ModuleKind::Event, "src/events/tool/before.ts", &source, expected).facts.config,
    )
}

fn projection(source: &str, expected: &[(&str, &str)]) -> Value {
    let path = "src/mcp/s/tools/t.cli.ts";
    Value::Object(assert_findings(ModuleKind::Projection, path, source, expected).facts.config)
}

fn projected(properties: &str, expected: &[(&str, &str)]) -> Value {
    projection(&format!("export const config = {{ {properties} }};"), expected)
}

fn command(path: &str, config: &str, expected: &[(&str, &str)]) {
    let source = prompt(&format!("export const config = {config};"));
    assert_findings(ModuleKind::Command, path, &source, expected);
}

#[test]
fn events_are_defined_by_the_helper_that_their_path_names() {
    let check = |path: &str, source: &str, expected: &[(&str, &str)]| {
        assert_findings(ModuleKind::Event, path, &format!("{EVENTS}{source}"), expected)
    };
    check("src/events/stop.ts", "export default events.stop({}, h);", &[]);
    check("src/events/stop/failure.tsx", "export default events.stop.failure({}, h);", &[]);
    check("src/events/model-switch/before.ts", "export default events.modelSwitch.before({}, h);", &[]);
    let found = check(
        "src/events/model-switch/after.ts",
        "export default events.modelSwitch.before({}, h);",
        &[("AB4840", "events.modelSwitch.before")],
    );
    assert_eq!(found.diagnostics[0].fixes[0].text, "events.modelSwitch.after");
    let path = "src/events/tool/before.ts";
    check(path, "export const x = 1;", &[("AB4810", "")]);
    check(path, "const e = events.tool.before({}, h); export default e;", &[("AB4810", "e")]);
    check(path, "export default events.tool.before({});", &[("AB4810", "events.tool.before({})")]);
    check(path, "export default events.tool.before(options, h);", &[("AB4810", "options")]);
    check(path, "export default events.tool.before({ ...o }, h);", &[("AB4810", "...o")]);
    check(path, "export default events.tool.before({ timeoutMs: f() }, h);", &[("AB4806", "f()")]);
    for gate in ["before", "preflight", "execute", "render"] {
        let source = format!("export default events.tool.before({{}}, h); export const {gate} = 1;");
        check(path, &source, &[("AB4840", gate)]);
    }
    let alias = "import { events as on } from 'agent-bundle/routes'; export default on.tool.before({}, h);";
    assert_findings(ModuleKind::Event, path, alias, &[]);
    let foreign = "import { events } from './mine'; export default events.tool.before({}, h);";
    assert_findings(ModuleKind::Event, path, foreign, &[("AB4810", "events.tool.before({}, h)")]);
}

#[test]
fn keys_of_events_have_their_shapes() {
    let config =
        event("targets: ['claude'], runtime: 'shared', timeoutMs: 10, tools: ['shell', 'codex:x']", &[]);
    assert_eq!(config["timeoutMs"], 10);
    event("requires: ['events.stop.deny'], delivery: ['immediate'], fallback: 'none'", &[]);
    event("targets: []", &[("AB4825", "[]")]);
    event("targets: 'claude'", &[("AB4825", "'claude'")]);
    event("targets: ['claude'], requires: ['events.stop.deny']", &[("AB4825", "requires")]);
    event("requires: ['events.stop.deni']", &[("AB4824", "'events.stop.deni'")]);
    event("runtime: 'both'", &[("AB4805", "'both'")]);
    event("fallback: true", &[("AB4805", "true")]);
    event("delivery: ['later']", &[("AB4805", "['later']")]);
    event("timeoutMs: 0", &[("AB4805", "0")]);
    event("timeoutMs: 1.5", &[("AB4805", "1.5")]);
    event("tools: ['bash']", &[("AB4805", "'bash'")]);
    event("tools: 'shell'", &[("AB4805", "'shell'")]);
    let source = format!("{EVENTS}export default events.stop({{ tools: ['shell'] }}, h);");
    assert_findings(ModuleKind::Event, "src/events/stop.ts", &source, &[("AB4805", "tools")]);
}

#[test]
fn commands_declare_their_parts() {
    let path = "src/cli/greet.ts";
    command(path, "{ description: 'd', aliases: ['a'], positionals: ['b'], exitCode: 'result' }", &[]);
    command(path, "{ description: 1 }", &[("AB4815", "1")]);
    command(path, "{ aliases: [''] }", &[("AB4815", "['']")]);
    command(path, "{ positionals: 'a' }", &[("AB4815", "'a'")]);
    command(path, "{ exitCode: 'zero' }", &[("AB4815", "'zero'")]);
    command(path, "{ input: 'text' }", &[("AB4815", "'text'")]);
    command(path, "{ render: { maxElapsedMs: 1 } }", &[("AB4835", "render")]);
    command("src/cli/greet.tsx", "{ render: { maxElapsedMs: 1 } }", &[]);
    command("src/cli/greet.tsx", "{ render: { maxElapsedMs: 0 } }", &[("AB4835", "0")]);
    command(path, "{ inputJsonSchema: {} }", &[("AB4814", "{}"), ("AB4814", "{}"), ("AB4814", "{}")]);
    assert_findings(ModuleKind::Command, path, "export default 1;", &[("AB4815", "1")]);
}

#[test]
fn projections_are_closed() {
    assert_eq!(
        projection("export const config = {}; export const mapInput = f;", &[]),
        json!({"mapInput": true})
    );
    projected(
        "command: ['a', 'b'], confirm: false, exitCode: 'zero', aliases: ['x'], positionals: ['y']",
        &[],
    );
    projected(
        "flags: { a: { name: 'n', aliases: ['m'], description: 'd', default: [1], required: false } }",
        &[],
    );
    projection("export const mapInput = f;", &[("AB4844", "")]);
    projection("export let config = {};", &[("AB4844", "config")]);
    projection("export const config = { confirm: f() };", &[("AB4844", "f()")]);
    projection("export const config = [];", &[("AB4844", "[]")]);
    projected("comand: []", &[("AB4844", "comand")]);
    projected("mapInput: true", &[("AB4844", "mapInput")]);
    projected("command: []", &[("AB4844", "[]")]);
    projected("confirm: 'no'", &[("AB4844", "'no'")]);
    projected("exitCode: 'one'", &[("AB4844", "'one'")]);
    projected("flags: []", &[("AB4844", "[]")]);
    projected("flags: { a: 1 }", &[("AB4844", "1")]);
    projected("flags: { a: { nam: 'x' } }", &[("AB4844", "nam")]);
    projected("flags: { a: { required: true } }", &[("AB4844", "true")]);
    projected("flags: { a: { default: {} } }", &[("AB4844", "{}")]);
    projected("input: 'json', flags: {}", &[("AB4844", "flags")]);
    projected("input: 'json', positionals: ['a']", &[("AB4844", "positionals")]);
    projection(
        "export const config = { input: 'json' }; export function mapInput() {}",
        &[("AB4844", "mapInput")],
    );
}

#[test]
fn state_is_one_literal_definition() {
    let check = |source: &str, expected: &[(&str, &str)]| {
        assert_findings(ModuleKind::State, "src/state.ts", &format!("{STATE}{source}"), expected)
    };
    let found =
        check("export default defineState({ id: 'a', lifetime: 'request', reduce() {}, ['x']: f() });", &[]);
    assert_eq!(Value::Object(found.facts.config), json!({"id": "a", "lifetime": "request"}));
    check("export const x = 1;", &[("AB4818", "")]);
    check("const s = defineState({}); export default s;", &[("AB4818", "s")]);
    check("export default defineState(options);", &[("AB4818", "defineState(options)")]);
    check("export default defineState({}, 1);", &[("AB4818", "defineState({}, 1)")]);
    check("export default defineState({ ...o });", &[("AB4818", "...o")]);
    check("export default defineState({});", &[("AB4819", "{}"), ("AB4819", "{}")]);
    check("export default defineState({ id, lifetime: 'process' });", &[("AB4819", "id")]);
    check("export default defineState({ id: '', lifetime: 'process' });", &[("AB4819", "''")]);
    check("export default defineState({ id: 'a', lifetime: 'proces' });", &[("AB4819", "'proces'")]);
    check("export default defineState({ id: 'a', lifetime: 'external' });", &[("AB4820", "'external'")]);
    let reserved = "'@agent-bundle/runtime/agent-notice-ledger/v1'";
    check(
        &format!("export default defineState({{ id: {reserved}, lifetime: 'process' }});"),
        &[("AB4821", reserved)],
    );
}

#[test]
fn scripts_and_views_export_what_is_rendered() {
    assert_findings(ModuleKind::Script, "src/scripts/a.ts", "work();", &[]);
    assert_findings(ModuleKind::Script, "src/scripts/a.tsx", "work();", &[("AB4810", "")]);
    assert_findings(ModuleKind::Script, "src/scripts/a.jsx", "export default () => <a/>;", &[]);
    assert_findings(ModuleKind::View, "src/events/stop.view.tsx", "export const x = 1;", &[("AB4840", "")]);
}

#[test]
fn names_that_servers_do_not_have_are_told_at_the_import() {
    static REACT: std::sync::LazyLock<std::collections::BTreeSet<String>> =
        std::sync::LazyLock::new(|| ["useId", "useMemo", "createElement"].map(str::to_owned).into());
    let exports = |specifier: &str| (specifier == "react").then(|| &*REACT);
    let check = |kind, source: &str| {
        let found =
            extract_with(kind, "src/p.ts", format!("{source} export default 1;").as_bytes(), &exports);
        found.diagnostics.iter().map(|one| (one.code.to_string(), one.fixes.len())).collect::<Vec<_>>()
    };
    let provider = |source| check(ModuleKind::Provider, source);
    assert_eq!(provider("import { useState, useId } from 'react';"), [("AB2011".to_owned(), 0)]);
    assert_eq!(provider("import { usememo as x } from 'react';"), [("AB2011".to_owned(), 1)]);
    assert_eq!(provider("import React, { type useState } from 'react';"), []);
    assert_eq!(provider("import type { FC } from 'react'; import { useState } from 'preact';"), []);
    assert_eq!(
        check(
            ModuleKind::App,
            "import { useState } from 'react'; export const config = { resourceUri: 'ui://a' };"
        ),
        []
    );
}
