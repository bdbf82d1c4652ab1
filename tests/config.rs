//! `agent-bundle.config.ts` in place of a manifest: the same plugin, and findings at its own characters.
#![allow(clippy::disallowed_methods, reason = "tests make and read projects")]

use agent_bundle::build::{BuildReport, Hooks, Inspection, Settings, build};
use agent_bundle::diagnostic::Diagnostic;
use agent_bundle::engine::Outcome;
use agent_bundle::world::OsWorld;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

const CONFIG: &str = "agent-bundle.config.ts";
const MANIFEST: &str = "agent-bundle.toml";

const GOOD: &str = "import { defineConfig } from 'agent-bundle/config';

const HOME = 'https://example.org';

export default defineConfig({
  plugin: {
    name: 'demo',
    description: 'Says what it is told.',
    metadata: { homepage: HOME, license: null },
  },
  targets: ['claude', 'codex', 'portable'],
  mcp: {
    servers: {
      main: { args: ['--quiet'], env: { DEPTH: '3' } },
      'far-away': { url: 'https://example.org/mcp', transport: 'streamable-http' },
    },
  },
  assets: 'assets',
  output: { distPath: 'out' },
  claude: { displayName: 'Demo' },
});
";

fn project() -> tempfile::TempDir {
    let project = tempfile::tempdir().unwrap();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/plain");
    for entry in walkdir::WalkDir::new(&fixture).into_iter().filter_map(Result::ok) {
        let to = project.path().join(entry.path().strip_prefix(&fixture).unwrap());
        match entry.file_type().is_dir() {
            true => fs::create_dir_all(&to).unwrap(),
            false if entry.file_name() == MANIFEST => {}
            false => drop(fs::copy(entry.path(), &to).unwrap()),
        }
    }
    fs::create_dir(project.path().join("assets")).unwrap();
    fs::write(project.path().join("assets/a.txt"), "a").unwrap();
    fs::write(project.path().join("package.json"), "{\"version\": \"1.0.0\", \"license\": \"MIT\"}").unwrap();
    fs::write(project.path().join(CONFIG), GOOD).unwrap();
    project
}

fn settings(root: &Path) -> Settings {
    Settings { root: root.to_owned(), ..Settings::default() }
}

fn built(root: &Path) -> BuildReport {
    build(&settings(root), Arc::new(OsWorld), Hooks { progress: &|_| {}, waiting: &|_| {} })
}

/// Code and text under the place of each finding about the configuration.
fn told(root: &Path, config: &str) -> Vec<(String, String)> {
    fs::write(root.join(CONFIG), config).unwrap();
    let found = Inspection::of(&settings(root), Arc::new(OsWorld)).diagnostics;
    let text = |one: &Diagnostic| match &one.span {
        Some(span) if span.path == CONFIG => config[span.start..span.end].to_owned(),
        other => format!("{other:?}: {}", one.message),
    };
    found.iter().map(|one| (one.code.to_string(), text(one))).collect()
}

fn agent_bundle(root: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agent-bundle"));
    let output = command.args(arguments).arg("--root").arg(root).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The artifact's files, but for the index and its evidence, which name and hash the sources.
fn artifact(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let out = root.join("out");
    let files = walkdir::WalkDir::new(&out).into_iter().filter_map(Result::ok);
    let files = files.filter(|entry| entry.file_type().is_file()).map(|entry| {
        let path = entry.path().strip_prefix(&out).unwrap().to_str().unwrap().to_owned();
        (path, fs::read(entry.path()).unwrap())
    });
    files.filter(|(path, _)| path != "agent-bundle.manifest.json").collect()
}

#[test]
fn a_configuration_builds_what_the_manifest_made_of_it_builds() {
    let project = project();
    let root = project.path();
    let report = built(root);
    assert!(report.succeeded(), "{:?}", report.diagnostics);
    let first = artifact(root);
    assert!(first.contains_key(".claude-plugin/plugin.json") && first.contains_key("assets/a.txt"));
    let index = fs::read_to_string(root.join("out/agent-bundle.manifest.json")).unwrap();
    assert!(index.contains(CONFIG) && !index.contains(MANIFEST), "{index}");

    let (migrated, text) = agent_bundle(root, &["migrate"]);
    assert!(migrated, "{text}");
    let report = built(root);
    let codes: Vec<String> = report.diagnostics.iter().map(|one| one.code.to_string()).collect();
    assert_eq!(codes, ["AB1006"], "{:?}", report.diagnostics);
    assert_eq!(artifact(root), first);
    let index = fs::read_to_string(root.join("out/agent-bundle.manifest.json")).unwrap();
    assert!(index.contains(MANIFEST) && !index.contains(CONFIG), "{index}");

    fs::remove_file(root.join(CONFIG)).unwrap();
    let report = built(root);
    assert!(report.succeeded() && report.diagnostics.is_empty(), "{:?}", report.diagnostics);
    assert_eq!(artifact(root), first);
}

#[test]
fn an_edit_of_the_configuration_is_built() {
    let project = project();
    let root = project.path();
    assert!(built(root).succeeded());
    let ran =
        |report: &BuildReport| report.nodes.iter().filter(|node| node.outcome == Outcome::Executed).count();
    assert_eq!(ran(&built(root)), 0);
    fs::write(root.join(CONFIG), GOOD.replace("Says what it is told.", "Repeats.")).unwrap();
    assert!(built(root).succeeded());
    let manifest = String::from_utf8(artifact(root)[".claude-plugin/plugin.json"].clone()).unwrap();
    assert!(manifest.contains("Repeats."), "{manifest}");
    // A manifest that appears comes first.
    fs::write(root.join(MANIFEST), "targets = [\"claude\"]\n[plugin]\nname = \"other\"\n").unwrap();
    assert_eq!(built(root).plugin.as_deref(), Some("other"));
}

#[test]
fn findings_point_at_the_configurations_own_characters() {
    let project = project();
    let root = project.path();
    assert!(told(root, GOOD).is_empty());
    let slips = [
        ("targets: ['claude'", "tragets: ['claude'", "AB1002", "tragets"),
        ("'codex'", "'cdex'", "AB4100", "'cdex'"),
        ("name: 'demo'", "name: 3", "AB4000", "3"),
        ("args: ['--quiet']", "args: ['--quiet', 3]", "AB4311", "3"),
        ("args: ['--quiet']", "cwd: '.'", "AB4309", "cwd"),
        ("DEPTH: '3'", "DEPTH: 3", "AB4312", "3"),
        ("transport: 'streamable-http'", "transport: 'sse'", "AB4317", "transport"),
        ("distPath: 'out'", "distPath: '../out'", "AB4708", "'../out'"),
        ("distPath: 'out'", "path: 'out'", "AB1002", "path"),
        ("description: 'Says", "description: 'Sä' + 'ys", "AB4806", "'Sä' + 'ys what it is told.'"),
        ("HOME, license", "license, homepage", "AB4806", "license"),
        ("name: 'demo'", "name: 'demo', version: '2.0.0'", "AB4008", "'2.0.0'"),
        ("assets: 'assets'", "assets: 'asset'", "AB4602", "'asset'"),
    ];
    for (right, wrong, code, place) in slips {
        assert!(GOOD.contains(right), "{right}");
        let found = told(root, &GOOD.replacen(right, wrong, 1));
        assert_eq!(found, [(code.to_owned(), place.to_owned())], "{wrong}");
    }
    // A byte order mark moves everything.
    let marked = format!("\u{feff}{}", GOOD.replace("'codex'", "'cdex'"));
    assert_eq!(told(root, &marked), [("AB4100".to_owned(), "'cdex'".to_owned())]);
}

#[test]
fn keys_are_shown_as_the_configuration_spells_them() {
    let project = project();
    let root = project.path();
    let apps = "apps: { board: { entry: 'a.tsx', resourceURI: 'ui://x/y' } }";
    fs::write(root.join(CONFIG), GOOD.replace("args: ['--quiet']", apps)).unwrap();
    let (valid, text) = agent_bundle(root, &["validate"]);
    assert!(!valid && text.contains("did you mean `resourceUri`?"), "{text}");
    fs::write(root.join(CONFIG), GOOD.replace("args: ['--quiet']", "apps: { board: { entry: 'a.tsx' } }"))
        .unwrap();
    let (valid, text) = agent_bundle(root, &["validate"]);
    assert!(!valid && text.contains("`mcp.servers.main.apps.board` has no `resourceUri`"), "{text}");
    assert!(text.contains("14:23"), "{text}");
}

#[test]
fn what_is_computed_stops_the_run_with_a_way_out() {
    let project = project();
    let root = project.path();
    for config in [
        GOOD.replace("'demo'", "process.env.NAME"),
        GOOD.replace("  assets: 'assets',", "  ...shared,"),
        "export default async () => ({});\n".to_owned(),
    ] {
        fs::write(root.join(CONFIG), config).unwrap();
        let report = built(root);
        assert_eq!(report.diagnostics.len(), 1, "{:?}", report.diagnostics);
        let help = report.diagnostics[0].help.clone().unwrap();
        assert!(!report.succeeded() && help.contains("agent-bundle migrate"), "{help}");
    }
}

#[test]
fn edits_of_a_configuration_are_right_or_absent() {
    let project = project();
    let root = project.path();
    let slipped = GOOD.replace("targets:", "tragets:").replace("'main'", "main");
    fs::write(root.join(CONFIG), slipped).unwrap();
    let (valid, text) = agent_bundle(root, &["validate", "--fix"]);
    assert!(valid, "{text}");
    assert_eq!(fs::read_to_string(root.join(CONFIG)).unwrap(), GOOD);
    // What only a change of structure mends is told and left.
    let slipped = GOOD.replace("args: ['--quiet']", "transport: 'sse'");
    fs::write(root.join(CONFIG), &slipped).unwrap();
    let found = Inspection::of(&settings(root), Arc::new(OsWorld)).diagnostics;
    assert!(found.iter().any(|one| one.code.to_string() == "AB4308" && one.fixes.is_empty()), "{found:?}");
    let (valid, _) = agent_bundle(root, &["validate", "--fix"]);
    assert!(!valid);
    assert_eq!(fs::read_to_string(root.join(CONFIG)).unwrap(), slipped);
}

const BLOCKS: &str = "  hooks: {
    sessionStart: 'src/hooks/start.ts',
    beforeTool: [
      { handler: './src/hooks/guard.ts', tools: ['shell', 'claude:Task'], timeout: 5, targets: ['claude'] },
      { handler: { prebuilt: 'viewer/out/guard.mjs' }, args: ['--strict'] },
    ],
  },
  scripts: { report: { entry: 'tools/report.py', targets: ['claude'] } },
  bin: { 'demo-tool': { entry: 'src/tool.ts' } },
  lib: { entry: 'src/lib.ts', dts: false },
  payload: { viewer: { source: 'viewer/out', runtimeDependencies: ['zod'] } },
  runtime: { node: '22.12.0' },
  notices: { retention: { terminalTtl: '7d', maxTerminal: 9 } },
  tools: { rsbuild: { source: { entryPoint: 'x' } } },
";

/// The project with every block, and the files that the blocks name.
fn full() -> (tempfile::TempDir, String) {
    let project = project();
    let state = "import { defineState } from '@agent-bundle/runtime/state';\n\nexport default defineState({ id: 'x', lifetime: 'process', initial: {} });\n";
    for (path, text) in [
        ("src/hooks/start.ts", "export default () => {};\n"),
        ("src/hooks/guard.ts", "export default () => {};\n"),
        ("src/tool.ts", "export function main() {}\n"),
        ("src/lib.ts", "export const answer = 42;\n"),
        ("src/state.ts", state),
        ("tools/report.py", "print(1)\n"),
        ("viewer/out/guard.mjs", "export {};\n"),
        ("hooks/native.json", "{}\n"),
    ] {
        let path = project.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let package = "{\"version\": \"1.0.0\", \"dependencies\": {\"zod\": \"^4.2.0\"}}";
    fs::write(project.path().join("package.json"), package).unwrap();
    let config = GOOD
        .replace("  claude: {", &format!("{BLOCKS}  claude: {{\n    nativeHooks: 'hooks/native.json',\n   "));
    fs::write(project.path().join(CONFIG), &config).unwrap();
    (project, config)
}

/// The findings but for those about what is not emitted.
fn grave(root: &Path, config: &str) -> Vec<(String, String)> {
    told(root, config).into_iter().filter(|(code, _)| code != "AB2010").collect()
}

#[test]
fn blocks_are_shown_and_said_to_be_left_out() {
    let (project, config) = full();
    let root = project.path();
    assert!(grave(root, &config).is_empty(), "{:?}", grave(root, &config));
    let left_out: Vec<String> = told(root, &config).into_iter().map(|(_, place)| place).collect();
    for key in ["sessionStart", "nativeHooks", "report", "'demo-tool'", "lib", "viewer", "retention", "tools"]
    {
        assert!(left_out.iter().any(|place| place == key), "{key} in {left_out:?}");
    }
    let inspection = Inspection::of(&settings(root), Arc::new(OsWorld));
    let declared = inspection.model.unwrap().declared;
    let hooks: Vec<(&str, &str, bool)> = declared
        .hooks
        .iter()
        .map(|hook| (hook.event.as_str(), hook.handler.as_str(), hook.prebuilt))
        .collect();
    let expected = [
        ("session-start", "src/hooks/start.ts", false),
        ("before-tool", "src/hooks/guard.ts", false),
        ("before-tool", "viewer/out/guard.mjs", true),
    ];
    assert_eq!(hooks, expected);
    assert_eq!(declared.native_hooks["claude"], "hooks/native.json");
    assert_eq!(declared.scripts[0].output, "scripts/report.py");
    assert_eq!(declared.bin["demo-tool"], "src/tool.ts");
    assert!(declared.lib.is_some_and(|lib| !lib.dts));
    assert_eq!(declared.payloads[0].runtime_dependencies, ["zod"]);
    assert_eq!(declared.retention.unwrap().terminal_ttl, Some(7 * 86_400_000));
    let mut command = Command::new(env!("CARGO_BIN_EXE_agent-bundle"));
    let shown = command.args(["inspect", "--routes", "--root"]).arg(root).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("handler: src/hooks/guard.ts") && shown.contains("source: viewer/out"), "{shown}");
}

#[test]
fn blocks_are_migrated_whole() {
    let (project, _) = full();
    let root = project.path();
    let model = || {
        let inspection = Inspection::of(&settings(root), Arc::new(OsWorld));
        inspection.model.unwrap_or_else(|| panic!("{:?}", inspection.diagnostics))
    };
    let before = model();
    assert!(built(root).succeeded());
    let first = artifact(root);
    let index = fs::read_to_string(root.join("out/agent-bundle.manifest.json")).unwrap();
    assert!(index.contains("22.12.0"), "the lowest Node.js is in the index");
    let plugin = String::from_utf8(first[".claude-plugin/plugin.json"].clone()).unwrap();
    assert!(!plugin.contains("ative"), "{plugin}");
    let (migrated, text) = agent_bundle(root, &["migrate"]);
    assert!(migrated && !text.contains("not carried over"), "{text}");
    fs::remove_file(root.join(CONFIG)).unwrap();
    let manifest = fs::read_to_string(root.join(MANIFEST)).unwrap();
    assert!(manifest.contains("session-start") && manifest.contains("native-hooks"), "{manifest}");
    assert_eq!(model(), before, "{manifest}");
    assert!(built(root).succeeded());
    assert_eq!(artifact(root), first);
}

#[test]
fn slips_in_blocks_are_told_at_their_characters() {
    let (project, config) = full();
    let root = project.path();
    let slips = [
        ("sessionStart:", "sesionStart:", "AB1002", "sesionStart"),
        ("sessionStart:", "'session-start':", "AB1002", "'session-start'"),
        ("'src/hooks/start.ts'", "3", "AB4200", "3"),
        ("'src/hooks/start.ts'", "{ handler: 'src/hooks/start.ts', tools: [] }", "AB4201", "tools"),
        ("'shell'", "'Shell'", "AB4202", "'Shell'"),
        ("'claude:Task'", "'codex:x'", "AB4212", "'codex:x'"),
        ("'claude:Task'", "'cluade:Task'", "AB4210", "'cluade:Task'"),
        ("timeout: 5", "timeout: '5'", "AB4205", "'5'"),
        ("timeout: 5", "timeot: 5", "AB1002", "timeot"),
        ("timeout: 5, targets: ['claude']", "targets: ['clod']", "AB4203", "'clod'"),
        ("'--strict'", "'a b'", "AB4746", "'a b'"),
        ("'viewer/out/guard.mjs'", "'viewer/guard.mjs'", "AB4744", "'viewer/guard.mjs'"),
        ("entry: 'tools/report.py'", "entry: 'tools/report.rb'", "AB4403", "'tools/report.rb'"),
        ("{ 'demo-tool': { entry: 'src/tool.ts' } }", "true", "AB4700", "true"),
        ("dts: false", "dts: 'no'", "AB4715", "'no'"),
        ("source: 'viewer/out'", "sorce: 'viewer/out'", "AB1002", "sorce"),
        ("['zod']", "['yaml']", "AB4751", "'yaml'"),
        ("'22.12.0'", "'18.0.0'", "AB4602", "'18.0.0'"),
        ("'22.12.0'", "'>=22'", "AB4601", "'>=22'"),
        ("maxTerminal: 9", "maxTerminal: 0", "AB4833", "0"),
        ("source: { entryPoint: 'x' }", "output: { externals: [] }", "AB4725", "externals"),
        ("runtime: {", "state: true, runtime: {", "AB4818", "true"),
        ("nativeHooks: 'hooks/native.json'", "nativeHooks: false", "AB4208", "false"),
    ];
    for (right, wrong, code, place) in slips {
        assert!(config.contains(right), "{right}");
        let found = grave(root, &config.replacen(right, wrong, 1));
        assert_eq!(found, [(code.to_owned(), place.to_owned())], "{wrong}");
    }
}

#[test]
fn apps_for_browsers_are_checked() {
    let project = project();
    let root = project.path();
    fs::write(root.join("src/board.tsx"), "export {};\n").unwrap();
    let with = |web: &str, more: &str| {
        let apps = "args: ['--quiet'], apps: { board: { entry: 'src/board.tsx', resourceUri: 'ui://x/y' } }";
        let web = format!("  web: {web},{more}\n  assets:");
        GOOD.replace("args: ['--quiet']", apps).replace("  assets:", &web)
    };
    let good = "{ apps: [{ app: 'main/board', tool: 'echo', allow: ['call-tool'] }], open: 'never' }";
    assert!(grave(root, &with(good, "")).is_empty(), "{:?}", grave(root, &with(good, "")));
    for (right, wrong, place) in [
        ("'main/board'", "'main/bord'", "'main/bord'"),
        ("'echo'", "'ekho'", "'ekho'"),
        ("'call-tool'", "'call-tools'", "'call-tools'"),
        ("'never'", "'always'", "'always'"),
        ("{ apps: [", "{ apps: ['main/board', ", "'main/board'"),
        ("{ apps:", "{ app:", "app"),
    ] {
        let found = grave(root, &with(&good.replacen(right, wrong, 1), ""));
        let code = if place == "app" { "AB1002" } else { "AB4341" };
        assert_eq!(found, [(code.to_owned(), place.to_owned())], "{wrong}");
    }
    let told_at_the_key = [("AB4341".to_owned(), "web".to_owned())];
    assert_eq!(grave(root, &with(good, " bin: false,")), told_at_the_key);
    assert_eq!(grave(root, &with(good, " bin: { demo: 'src/board.tsx' },")), told_at_the_key);
    let amp = with(good, "").replace("'portable'", "'portable', 'amp'");
    let found = Inspection::of(&settings(root), Arc::new(OsWorld)).diagnostics;
    assert!(found.iter().any(Diagnostic::is_error));
    let about_amp: Vec<_> = grave(root, &amp).into_iter().filter(|(code, _)| code == "AB4341").collect();
    assert_eq!(about_amp, told_at_the_key, "a warning");
    assert!(!Inspection::of(&settings(root), Arc::new(OsWorld)).failed());
}

#[test]
fn a_member_of_many_projects_may_have_a_configuration() {
    let root = tempfile::tempdir().unwrap();
    let member = root.path().join("plugins/one");
    fs::create_dir_all(&member).unwrap();
    fs::write(root.path().join(MANIFEST), "[projects]\nmembers = [\"plugins/*\"]\n").unwrap();
    fs::write(member.join("package.json"), "{\"version\": \"1.0.0\"}").unwrap();
    let config = "export default { plugin: { name: 'one' }, targets: ['cluade'] };\n";
    fs::write(member.join(CONFIG), config).unwrap();
    let (valid, text) = agent_bundle(root.path(), &["validate"]);
    assert!(!valid && text.contains("plugins/one/agent-bundle.config.ts:1:53"), "{text}");
    fs::write(member.join(CONFIG), config.replace("cluade", "claude")).unwrap();
    let (built, text) = agent_bundle(root.path(), &["build"]);
    assert!(built && member.join("artifact/.claude-plugin/plugin.json").is_file(), "{text}");
}
