//! Skills, commands and rules as they are emitted.

use super::*;

fn targets<'a>(registry: &'a Registry, hosts: &[&str]) -> Vec<&'a Target> {
    hosts.iter().map(|host| registry.get(host).unwrap()).collect()
}

/// The emitted document; the body begins after the line of the second fence, and `targets` names a host wherever
/// the frontmatter has the word.
fn lowered(hosts: &[&str], kind: DocumentKind, frontmatter: Value, source: &str) -> String {
    let registry = Registry::builtin();
    let mut ends = source.split_inclusive('\n').scan(0, |at, line| {
        *at += line.len();
        Some((*at, ["---", "..."].contains(&line.trim_end())))
    });
    let fences: Vec<usize> = ends.by_ref().filter(|(_, fence)| *fence).map(|(at, _)| at).collect();
    let body = fences.get(1).copied().unwrap_or(0);
    let named = source[..body].contains("targets:").then(|| strings(&["claude"]));
    let document = Document { body, targets: named, ..document("commands", "c", frontmatter) };
    let bytes = lower_document(&targets(&registry, hosts), kind, &document, source.as_bytes());
    String::from_utf8(bytes).unwrap()
}

const COMMAND: &str = "---\n# How to note\ndescription: Note it\nargumentHint: \"[what]\"\nallowedTools:\n  - Read\n  - Bash(git *)\n\ntargets: [claude,\n  cursor]\ndisableModelInvocation: true\n---\n\n# Capture\n\ntargets: stay in the body\n";

fn command_frontmatter() -> Value {
    json!({
        "description": "Note it", "argumentHint": "[what]", "allowedTools": ["Read", "Bash(git *)"],
        "disableModelInvocation": true,
    })
}

#[test]
fn commands_have_what_their_readers_read() {
    let both = lowered(&["claude", "cursor"], DocumentKind::Command, command_frontmatter(), COMMAND);
    assert_eq!(
        both,
        "---\n# How to note\ndescription: Note it\nargument-hint: \"[what]\"\nallowed-tools:\n  - Read\n  - Bash(git *)\n\ndisable-model-invocation: true\n---\n\n# Capture\n\ntargets: stay in the body\n"
    );
    let cursor = lowered(&["cursor"], DocumentKind::Command, command_frontmatter(), COMMAND);
    assert_eq!(
        cursor,
        "---\n# How to note\ndescription: Note it\n---\n\n# Capture\n\ntargets: stay in the body\n"
    );
}

#[test]
fn emitted_command_frontmatter_fits_the_hosts_schema() {
    let emitted = json!({
        "description": "Note it", "argument-hint": "[what]", "allowed-tools": ["Read"], "model": "m",
        "disable-model-invocation": true,
    });
    let registry = Registry::builtin();
    let claude = registry.get("claude").unwrap();
    assert_eq!(claude.schemas.breach("command", &emitted), None);
    assert!(claude.schemas.breach("command", &json!({"argumentHint": "x"})).is_some());
    let keys = claude.definition.components["commands"].keys.as_ref().unwrap();
    let known: Vec<&String> = emitted.as_object().unwrap().keys().collect();
    assert!(keys.values().all(|key| known.contains(&key)), "{keys:?}");
    let cursor = registry.get("cursor").unwrap();
    let rule = json!({"description": "d", "globs": ["a", "b"], "alwaysApply": false});
    assert_eq!(cursor.schemas.breach("rule", &rule), None);
}

#[test]
fn documents_pass_byte_for_byte_where_nothing_changes() {
    let rule =
        "---\r\ndescription: How   # spaced\r\nglobs: notes/**/*.md\r\nalwaysApply: false\r\n---\r\nBody\r\n";
    let frontmatter = json!({"description": "How", "globs": "notes/**/*.md", "alwaysApply": false});
    assert_eq!(lowered(&["cursor"], DocumentKind::Rule, frontmatter.clone(), rule), rule);
    let with_targets = rule.replace("alwaysApply", "targets: [cursor]\r\nalwaysApply");
    assert_eq!(lowered(&["cursor"], DocumentKind::Rule, frontmatter, &with_targets), rule);
    assert_eq!(
        lowered(&["claude"], DocumentKind::Command, json!({}), "No frontmatter\n"),
        "No frontmatter\n"
    );
}

#[test]
fn frontmatter_in_another_style_is_written_anew() {
    let source = "---\n{description: \"a: b\", targets: [claude], model: m}\n---\nBody";
    let frontmatter = json!({"description": "a: \"b\"", "model": "m"});
    assert_eq!(
        lowered(&["claude"], DocumentKind::Command, frontmatter, source),
        "---\ndescription: \"a: \\\"b\\\"\"\nmodel: \"m\"\n---\nBody"
    );
    let quoted = "---\n\"argumentHint\": x\n---\nBody";
    assert_eq!(
        lowered(&["claude"], DocumentKind::Command, json!({"argumentHint": "x"}), quoted),
        "---\nargument-hint: \"x\"\n---\nBody"
    );
}

#[test]
fn frontmatter_that_nobody_reads_goes() {
    let source = "---\ntargets: [claude]\n---\nBody\n";
    assert_eq!(lowered(&["claude"], DocumentKind::Command, json!({}), source), "Body\n");
}

fn outputs(model: &Model) -> Vec<SkillOutput> {
    let registry = Registry::builtin();
    skill_outputs(&registry, model, &slices(&registry, model), &model.skills[0])
}

fn lower(model: &Model, path: &str, source: &str) -> (String, Vec<Diagnostic>) {
    let output = outputs(model).into_iter().find(|output| output.path == path).unwrap();
    let lowered = lower_skill(&Registry::builtin(), &output, &model.skills[0], source.as_bytes());
    (String::from_utf8(lowered.bytes).unwrap(), lowered.diagnostics)
}

const SHARED: &str = "skills/field-notes/SKILL.md";
const SKILL: &str = "---\nname: field-notes\ndescription: Keep notes.\n---\nBody\n";

#[test]
fn skills_lie_where_their_hosts_look() {
    let shown: Vec<(String, usize)> =
        outputs(&plain(&ALL)).into_iter().map(|output| (output.path, output.hosts.len())).collect();
    let own = ".amp/plugins/field-notes/skills/field-notes/SKILL.md".to_owned();
    assert_eq!(shown, [(SHARED.to_owned(), 4), (own, 1)]);
}

#[test]
fn skills_without_host_parts_pass_byte_for_byte() {
    let source = SKILL.replace('\n', "\r\n");
    assert_eq!(lower(&plain(&ALL), SHARED, &source), (source, Vec::new()));
}

#[test]
fn skill_tokens_are_claudes_alone() {
    let text = "See agent-bundle:path:plugin-root/a for agent-bundle:token:arguments.\n";
    let source = format!("{SKILL}{text}");
    let mut model = plain(&["claude"]);
    model.skills[0].tokens = strings(&["agent-bundle:path:plugin-root", "agent-bundle:token:arguments"]);
    let (bytes, found) = lower(&model, SHARED, &source);
    assert_eq!(bytes, format!("{SKILL}See ${{CLAUDE_PLUGIN_ROOT}}/a for $ARGUMENTS.\n"));
    assert_eq!(found, []);

    select(&mut model, &["codex"]);
    let (_, found) = lower(&model, SHARED, &source);
    assert_eq!(codes(&found), ["AB3008", "AB3008"]);
    let span = found[0].span.clone().unwrap();
    assert_eq!(&source[span.start..span.end], "agent-bundle:path:plugin-root");

    select(&mut model, &["claude", "codex"]);
    assert_eq!(codes(&lower(&model, SHARED, &source).1), ["AB3008", "AB3008"]);
}

#[test]
fn placeholders_of_other_hosts_are_refused() {
    let source = format!("{SKILL}Run ${{CLAUDE_PLUGIN_ROOT}}/x\n");
    let found = |hosts: &[&str]| codes(&lower(&plain(hosts), SHARED, &source).1);
    assert_eq!(found(&["claude"]), Vec::<String>::new());
    assert_eq!(found(&["cursor"]), ["AB3009"]);
    assert_eq!(found(&["claude", "codex", "portable"]), ["AB3009", "AB3009"]);
}

#[test]
fn host_fields_of_skills_need_a_place_of_their_own() {
    let source =
        "---\nname: field-notes\ntargets:\n  claude:\n    model: opus\ndescription: Keep notes.\n---\nBody\n";
    let mut model = plain(&["claude"]);
    model.skills[0].host_frontmatter.insert("claude".to_owned(), object(json!({"model": "opus"})));
    let claude = "---\nname: field-notes\ndescription: Keep notes.\nmodel: \"opus\"\n---\nBody\n";
    assert_eq!(lower(&model, SHARED, source), (claude.to_owned(), Vec::new()));

    select(&mut model, &["codex"]);
    assert_eq!(lower(&model, SHARED, source), (SKILL.to_owned(), Vec::new()));

    select(&mut model, &["claude", "codex"]);
    assert_eq!(codes(&lower(&model, SHARED, source).1), ["AB4103"]);

    // Amp and the moved portable projection have copies of their own.
    select(&mut model, &["amp", "claude", "portable"]);
    assert_eq!(lower(&model, SHARED, source), (claude.to_owned(), Vec::new()));
    for own in
        [".amp/plugins/field-notes/skills/field-notes/SKILL.md", "portable/skills/field-notes/SKILL.md"]
    {
        assert_eq!(lower(&model, own, source), (SKILL.to_owned(), Vec::new()), "{own}");
    }
}

#[test]
fn skill_frontmatter_fits_the_hosts_schema() {
    let mut model = plain(&["claude"]);
    model.skills[0].host_frontmatter.insert("claude".to_owned(), object(json!({"allowed-tools": 5})));
    assert_eq!(codes(&lower(&model, SHARED, SKILL).1), ["AB3010"]);
    model.skills[0].host_frontmatter.insert("claude".to_owned(), object(json!({"allowed-tools": "Read"})));
    assert_eq!(codes(&lower(&model, SHARED, SKILL).1), Vec::<String>::new());
}
