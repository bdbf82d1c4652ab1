//! The members of each object of the format.

use super::read::{Object, Reader};
use super::reference;
use super::tree::{Data, Node};
use super::types::{
    Agent, Automation, AutomationType, Bundle, Channel, ChannelType, DEFAULT_CHANNEL_PROMPT, Effect,
    FieldType, Kind, Mcp, Metadata, Policy, SCHEMA_VERSION, SetupField, Skill, SkillSource,
};
use crate::workspace::issue::{Issue, IssueCode};

const MAX_KEY: usize = 128;
const MAX_SETUP_KEY: usize = 255;
const MAX_INSTRUCTION: usize = 20_000;
const MAX_SKILL: usize = 1024 * 1024;
const MAX_SECTION: usize = 256;
const MAX_ENTITIES: usize = 1_000;

/// Reads the root. Another version of the format is reported alone.
pub(super) fn bundle(node: &Node) -> Result<Bundle, Vec<Issue>> {
    let mut reader = Reader::default();
    if let Some(version) = node.get("schema_version") {
        let problem = match version.as_text() {
            Some(SCHEMA_VERSION) => None,
            Some(_) => {
                Some((IssueCode::SchemaVersion, format!("only `schema_version` {SCHEMA_VERSION} is known")))
            }
            None => Some((
                IssueCode::WrongType,
                format!("`schema_version` must be text (put it in quotes), not {}", version.shape()),
            )),
        };
        if let Some((code, message)) = problem {
            reader.add(code, version, "/schema_version", message);
            return Err(reader.finish());
        }
    }
    let bundle = root(&mut reader, node);
    let issues = reader.finish();
    match bundle {
        Some(bundle) if issues.is_empty() => Ok(bundle),
        _ => Err(issues),
    }
}

fn root(reader: &mut Reader, node: &Node) -> Option<Bundle> {
    let known = [
        "schema_version",
        "name",
        "display_name",
        "description",
        "metadata",
        "setup",
        "mcps",
        "skills",
        "agents",
        "channels",
        "automations",
        "policies",
    ];
    let object = reader.object(node, "", &known)?;
    let bundle = Bundle {
        schema_version: SCHEMA_VERSION.to_owned(),
        name: reader.filled(&object, "name"),
        display_name: reader.optional_text(&object, "display_name"),
        description: reader.text_or(&object, "description", ""),
        metadata: metadata(reader, &object),
        setup: section(reader, &object, "setup", setup_field),
        mcps: section(reader, &object, "mcps", mcp),
        skills: section(reader, &object, "skills", skill),
        agents: section(reader, &object, "agents", agent),
        channels: section(reader, &object, "channels", channel),
        automations: section(reader, &object, "automations", automation),
        policies: section(reader, &object, "policies", policy),
    };
    let entities: usize = Kind::ALL
        .iter()
        .map(|kind| match node.get(kind.section()).map(|node| &node.data) {
            Some(Data::List(items)) => items.len(),
            _ => 0,
        })
        .sum();
    if entities > MAX_ENTITIES {
        let message = format!("the document has {entities} entities; at most {MAX_ENTITIES} are allowed");
        reader.add(IssueCode::TooLarge, node, "", message);
    }
    Some(bundle)
}

fn section<T>(
    reader: &mut Reader,
    object: &Object<'_>,
    key: &str,
    read: fn(&mut Reader, &Node, &str) -> Option<T>,
) -> Vec<T> {
    let items = reader.list(object, key, MAX_SECTION);
    items.iter().filter_map(|(node, path)| read(reader, node, path)).collect()
}

fn metadata(reader: &mut Reader, root: &Object<'_>) -> Metadata {
    let Some(node) = root.get("metadata") else { return Metadata::default() };
    let known = ["developer", "category", "capabilities", "icon", "website", "privacy_url", "terms_url"];
    let Some(object) = reader.object(node, "/metadata", &known) else { return Metadata::default() };
    let url = |reader: &mut Reader, key: &str| {
        let text = reader.optional_text(&object, key)?;
        if !text.starts_with("https://") && !text.starts_with("http://") {
            let node = object.get(key).unwrap_or(object.node);
            reader.add(
                IssueCode::InvalidValue,
                node,
                &object.path_of(key),
                format!("`{key}` is an http(s) URL"),
            );
        }
        Some(text)
    };
    Metadata {
        website: url(reader, "website"),
        privacy_url: url(reader, "privacy_url"),
        terms_url: url(reader, "terms_url"),
        developer: reader.optional_text(&object, "developer"),
        category: reader.optional_text(&object, "category"),
        capabilities: reader.texts(&object, "capabilities"),
        icon: reader.optional_text(&object, "icon"),
    }
}

fn setup_field(reader: &mut Reader, node: &Node, path: &str) -> Option<SetupField> {
    let known = ["key", "label", "type", "required", "help", "default", "options", "min", "max"];
    let object = reader.object(node, path, &known)?;
    let types = [
        ("secret", FieldType::Secret),
        ("string", FieldType::String),
        ("number", FieldType::Number),
        ("boolean", FieldType::Boolean),
        ("select", FieldType::Select),
    ];
    let options = match object.get("options").map(|node| &node.data) {
        None | Some(Data::Null) => None,
        Some(_) => Some(reader.texts(&object, "options")),
    };
    let field = SetupField {
        key: reader.key(&object, MAX_SETUP_KEY),
        label: reader.filled(&object, "label"),
        field_type: reader.word(&object, "type", &types, Some(FieldType::String)),
        required: reader.flag(&object, "required", false),
        help: reader.optional_text(&object, "help"),
        default: object.get("default").map(Node::to_json).filter(|value| !value.is_null()),
        options,
        min: reader.optional_number(&object, "min"),
        max: reader.optional_number(&object, "max"),
    };
    if field.field_type == FieldType::Select && field.options.as_ref().is_none_or(Vec::is_empty) {
        reader.add(IssueCode::InvalidValue, node, path, "a `select` needs `options`".to_owned());
    }
    Some(field)
}

fn mcp(reader: &mut Reader, node: &Node, path: &str) -> Option<Mcp> {
    let object = reader.object(node, path, &["key", "name", "json_spec", "bindings", "context_secret"])?;
    let context_secret = reader.optional_text(&object, "context_secret");
    if let Some(text) = &context_secret
        && reference::single(text).is_none()
    {
        let message = "`context_secret` is one reference `${setup.<key>}` and nothing else; the key itself never \
                       stands in a document";
        let at = object.get("context_secret").unwrap_or(node);
        reader.add(IssueCode::InvalidValue, at, &object.path_of("context_secret"), message.to_owned());
    }
    Some(Mcp {
        key: reader.key(&object, MAX_KEY),
        name: reader.filled(&object, "name"),
        json_spec: reader.open(&object, "json_spec", true),
        bindings: reader.text_map(&object, "bindings"),
        context_secret,
    })
}

fn skill(reader: &mut Reader, node: &Node, path: &str) -> Option<Skill> {
    let object = reader.object(node, path, &["key", "name", "source_type", "content", "source_url"])?;
    let types = [("content", SkillSource::Content), ("github", SkillSource::Github)];
    let skill = Skill {
        key: reader.key(&object, MAX_KEY),
        name: reader.filled(&object, "name"),
        source_type: reader.word(&object, "source_type", &types, Some(SkillSource::Content)),
        content: reader.optional_text(&object, "content"),
        source_url: reader.optional_text(&object, "source_url"),
    };
    let (member, needed) = match skill.source_type {
        SkillSource::Content => ("content", &skill.content),
        SkillSource::Github => ("source_url", &skill.source_url),
    };
    if needed.as_ref().is_none_or(|text| text.trim().is_empty()) {
        reader.add(IssueCode::MissingMember, node, path, format!("this skill needs `{member}`"));
    }
    if skill.content.as_ref().is_some_and(|text| text.len() > MAX_SKILL) {
        reader.add(IssueCode::TooLarge, node, path, format!("a skill has at most {MAX_SKILL} bytes"));
    }
    Some(skill)
}

fn agent(reader: &mut Reader, node: &Node, path: &str) -> Option<Agent> {
    let known = ["key", "name", "instruction", "model", "mcps", "skills", "toolsets"];
    let object = reader.object(node, path, &known)?;
    let agent = Agent {
        key: reader.key(&object, MAX_KEY),
        name: reader.filled(&object, "name"),
        instruction: reader.text_or(&object, "instruction", ""),
        model: reader.optional_text(&object, "model"),
        mcps: reader.texts(&object, "mcps"),
        skills: reader.texts(&object, "skills"),
        toolsets: reader.texts(&object, "toolsets"),
    };
    if agent.instruction.chars().count() > MAX_INSTRUCTION {
        let message = format!("`instruction` has more than {MAX_INSTRUCTION} characters");
        let at = object.get("instruction").unwrap_or(node);
        reader.add(IssueCode::TooLarge, at, &object.path_of("instruction"), message);
    }
    Some(agent)
}

fn channel(reader: &mut Reader, node: &Node, path: &str) -> Option<Channel> {
    let known = ["key", "name", "agent", "type", "bindings", "prompt", "enabled"];
    let object = reader.object(node, path, &known)?;
    let types = [("telegram", ChannelType::Telegram), ("generic", ChannelType::Generic)];
    let channel = Channel {
        key: reader.key(&object, MAX_KEY),
        name: reader.filled(&object, "name"),
        agent: reader.text(&object, "agent"),
        channel_type: reader.word(&object, "type", &types, Some(ChannelType::Telegram)),
        bindings: reader.text_map(&object, "bindings"),
        prompt: reader.text_or(&object, "prompt", DEFAULT_CHANNEL_PROMPT),
        enabled: reader.flag(&object, "enabled", false),
    };
    reader.not_blank(&object, "prompt", &channel.prompt);
    Some(channel)
}

fn automation(reader: &mut Reader, node: &Node, path: &str) -> Option<Automation> {
    let known = ["key", "agent", "type", "cron", "timezone", "prompt", "enabled"];
    let object = reader.object(node, path, &known)?;
    Some(Automation {
        key: reader.key(&object, MAX_KEY),
        agent: reader.text(&object, "agent"),
        automation_type: reader.word(
            &object,
            "type",
            &[("cron", AutomationType::Cron)],
            Some(AutomationType::Cron),
        ),
        cron: reader.text(&object, "cron"),
        timezone: reader.text_or(&object, "timezone", "UTC"),
        prompt: reader.filled(&object, "prompt"),
        enabled: reader.flag(&object, "enabled", false),
    })
}

fn policy(reader: &mut Reader, node: &Node, path: &str) -> Option<Policy> {
    let known =
        ["key", "subject", "target", "effect", "params", "condition", "priority", "enabled", "message"];
    let object = reader.object(node, path, &known)?;
    let effects = [
        ("allow", Effect::Allow),
        ("deny", Effect::Deny),
        ("cap", Effect::Cap),
        ("approval", Effect::Approval),
        ("safety", Effect::Safety),
    ];
    Some(Policy {
        key: reader.key(&object, MAX_KEY),
        subject: reader.text_or(&object, "subject", "workspace"),
        target: reader.filled(&object, "target"),
        effect: reader.word(&object, "effect", &effects, None),
        params: reader.open(&object, "params", false),
        condition: reader.optional_text(&object, "condition"),
        priority: reader.integer(&object, "priority", 0),
        enabled: reader.flag(&object, "enabled", true),
        message: reader.optional_text(&object, "message"),
    })
}
