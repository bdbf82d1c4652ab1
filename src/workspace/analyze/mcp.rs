//! What `json_spec` says, and whether such a server can run here.

use crate::workspace::document::Mcp;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Runtimes that fetch what they run, sorted.
pub const RUNTIMES: [&str; 8] = ["bunx", "deno", "node", "npx", "python", "python3", "uv", "uvx"];

const MEMBERS: [&str; 8] =
    ["type", "command", "args", "image", "endpoint_url", "url", "environment", "headers"];
const MAX_ARGS: usize = 256;
const MAX_ARG: usize = 32 * 1024;
const PLUGIN_ROOT: [&str; 2] = ["${CLAUDE_PLUGIN_ROOT}", "$CLAUDE_PLUGIN_ROOT"];

/// How a server is reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Transport {
    /// A process on this machine.
    #[default]
    Command,
    /// A container.
    Docker,
    /// An address.
    Url,
}

impl Transport {
    /// The word of the document.
    pub fn word(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Docker => "docker",
            Self::Url => "url",
        }
    }
}

/// What the members of `json_spec` come to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Server {
    /// How it is reached.
    pub transport: Transport,
    /// The runtime, without blanks around it.
    pub command: String,
    /// Arguments as written.
    pub args: Vec<String>,
    /// The image.
    pub image: String,
    /// The address as written.
    pub url: String,
    /// Which member the address came from.
    pub url_member: &'static str,
    /// Literal variables.
    pub environment: BTreeMap<String, String>,
    /// Literal headers.
    pub headers: BTreeMap<String, String>,
}

/// Problems by member of `json_spec`.
#[derive(Debug, Default)]
pub struct Findings {
    /// What makes it unusable.
    pub wrong: Vec<(String, String)>,
    /// What has no effect.
    pub ignored: Vec<(String, String)>,
}

/// Reads `json_spec`.
pub fn server(mcp: &Mcp) -> (Server, Findings) {
    let spec = &mcp.json_spec;
    let mut findings = Findings::default();
    let mut wrong = |member: &str, message: String| findings.wrong.push((member.to_owned(), message));
    let mut server = Server { url_member: "endpoint_url", ..Server::default() };
    let transport = match spec.get("type").and_then(Value::as_str) {
        Some("command") => Some(Transport::Command),
        Some("docker") => Some(Transport::Docker),
        Some("url") => Some(Transport::Url),
        _ => None,
    };
    match transport {
        Some(transport) => server.transport = transport,
        None => wrong("type", "`json_spec.type` is `command`, `docker` or `url`".to_owned()),
    }
    let mut text = |member: &str| match spec.get(member) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(_) => {
            wrong(member, format!("`json_spec.{member}` must be text"));
            String::new()
        }
    };
    server.command = text("command").trim().to_owned();
    server.image = text("image").trim().to_owned();
    server.url = text("endpoint_url");
    if server.url.is_empty() {
        let other = text("url");
        if !other.is_empty() {
            server.url_member = "url";
            server.url = other;
        }
    }
    server.args = args(spec, &mut wrong);
    server.environment = literals(spec, "environment", &mut wrong);
    server.headers = literals(spec, "headers", &mut wrong);
    match transport {
        Some(Transport::Docker) if server.image.is_empty() => {
            wrong("image", "a `docker` server needs `json_spec.image`".to_owned());
        }
        Some(Transport::Url) if server.url.is_empty() => {
            wrong("endpoint_url", "a `url` server needs `json_spec.endpoint_url`".to_owned());
        }
        _ => {}
    }
    for member in spec.keys().filter(|member| !MEMBERS.contains(&member.as_str())) {
        findings.ignored.push((member.clone(), format!("`json_spec.{member}` has no effect")));
    }
    if !server.args.is_empty() && transport.is_some_and(|transport| transport != Transport::Command) {
        server.args.clear();
        let message = "`json_spec.args` has no effect on a server that is not a command".to_owned();
        findings.ignored.push(("args".to_owned(), message));
    }
    (server, findings)
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

fn args(spec: &Map<String, Value>, wrong: &mut dyn FnMut(&str, String)) -> Vec<String> {
    let items = match spec.get("args") {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(items)) => items,
        Some(_) => {
            wrong("args", "`json_spec.args` must be a list".to_owned());
            return Vec::new();
        }
    };
    if items.len() > MAX_ARGS {
        wrong("args", format!("`json_spec.args` has at most {MAX_ARGS} entries"));
    }
    let mut args = Vec::new();
    for (at, item) in items.iter().enumerate() {
        match plain(item) {
            Some(text) if text.len() > MAX_ARG => {
                wrong(&format!("args/{at}"), format!("an argument has at most {MAX_ARG} bytes"));
            }
            Some(text) => args.push(text),
            None => wrong(&format!("args/{at}"), "an argument is text, a number or a boolean".to_owned()),
        }
    }
    args
}

fn literals(
    spec: &Map<String, Value>,
    member: &str,
    wrong: &mut dyn FnMut(&str, String),
) -> BTreeMap<String, String> {
    let members = match spec.get(member) {
        None | Some(Value::Null) => return BTreeMap::new(),
        Some(Value::Object(members)) => members,
        Some(_) => {
            wrong(member, format!("`json_spec.{member}` must be an object"));
            return BTreeMap::new();
        }
    };
    let mut map = BTreeMap::new();
    for (name, value) in members {
        match plain(value) {
            Some(text) => {
                map.insert(name.clone(), text);
            }
            None => wrong(member, format!("`json_spec.{member}.{name}` is text, a number or a boolean")),
        }
    }
    map
}

/// Why the server cannot run here; `None` when it can.
pub fn skip_reason(server: &Server) -> Option<String> {
    if server.transport != Transport::Command {
        return None;
    }
    let command = server.command.as_str();
    let needs_plugin = |text: &str| PLUGIN_ROOT.iter().any(|root| text.contains(root));
    if command.is_empty() {
        Some("no command is given".to_owned())
    } else if needs_plugin(command) || server.args.iter().any(|arg| needs_plugin(arg)) {
        Some("it needs files that come with a plugin".to_owned())
    } else if is_path(command) {
        Some(format!("`{command}` is a local path; only published runtimes run here"))
    } else if !RUNTIMES.contains(&command) {
        Some(format!("`{command}` is not a supported runtime: {}", RUNTIMES.join(", ")))
    } else {
        None
    }
}

fn is_path(command: &str) -> bool {
    let word = command.split_whitespace().next().unwrap_or_default();
    word.starts_with('~') || word.contains(['/', '\\']) || word.as_bytes().get(1) == Some(&b':')
}

/// What is wrong with the name of a variable or header.
pub fn name_problem(transport: Transport, name: &str) -> Option<String> {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if transport == Transport::Url {
        let fits = !name.is_empty() && name.bytes().all(token);
        (!fits).then(|| format!("`{name}` is not a header name"))
    } else {
        let fits = !name.is_empty() && name.bytes().all(word) && !name.as_bytes()[0].is_ascii_digit();
        (!fits).then(|| format!("`{name}` is not the name of a variable"))
    }
}
