//! Two workspaces that get the same requests, one through the command line and one over HTTP.

use agent_bundle::workspace::analyze::skill::GithubSource;
use agent_bundle::workspace::fetch::{Cidr, Client, Guard, Resolve, Settings, SkillFetcher};
use agent_bundle::workspace::render::Fetched;
use agent_bundle::workspace::serve::{App, Role, create_token, router};
use agent_bundle::workspace::store::Store;
use axum::body::Body;
use axum::http::{HeaderMap, Request};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use std::io::Write;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use tempfile::TempDir;
use tower::ServiceExt;

/// The document that cases start from.
pub const BASE: &str = include_str!("base.yaml");
/// A value for its secret.
pub const CANARY: &str = "canary-7f3a9";

/// The base document with parts replaced; a part that is not there is a mistake of the test.
pub fn base(changes: &[(&str, &str)]) -> String {
    let mut text = BASE.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "the document has no {from:?}");
        text = text.replacen(from, to, 1);
    }
    text
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub body: Value,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    /// Codes of its issues.
    pub fn codes(&self) -> Vec<String> {
        codes(&self.body)
    }
}

/// Codes of the issues of a body.
pub fn codes(body: &Value) -> Vec<String> {
    let issues = body["issues"].as_array().cloned().unwrap_or_default();
    issues.iter().map(|issue| issue["code"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Codes of the issues of a body that block, or that do not.
pub fn codes_of(body: &Value, severity: &str) -> Vec<String> {
    let issues = body["issues"].as_array().cloned().unwrap_or_default();
    let wanted = issues.iter().filter(|issue| issue["severity"] == severity);
    wanted.map(|issue| issue["code"].as_str().unwrap_or_default().to_owned()).collect()
}

/// What a command did.
#[derive(Debug, Clone)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }
}

/// A resolver that knows no names.
pub struct NoNames;

impl Resolve for NoNames {
    fn resolve(&self, _name: &str) -> Vec<IpAddr> {
        Vec::new()
    }
}

/// A fetcher that has nothing.
pub struct NoSkills;

impl SkillFetcher for NoSkills {
    fn fetch(&self, _source: &GithubSource) -> Result<Fetched, String> {
        Err("nothing is fetched here".to_owned())
    }
}

/// A directory in memory where there is one: hundreds of stores wait long for a disk.
fn directory() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

/// A store with a workspace `default`.
pub struct Rig {
    pub directory: TempDir,
    pub app: App,
    pub admin: String,
    pub member: String,
}

impl Rig {
    pub fn new() -> Self {
        Self::with(Arc::new(NoNames), Settings::default(), Arc::new(NoSkills))
    }

    pub fn with(resolver: Arc<dyn Resolve>, settings: Settings, skills: Arc<dyn SkillFetcher>) -> Self {
        let directory = directory();
        let store = Store::open(directory.path()).unwrap();
        store.create_workspace("default", "Default").unwrap();
        let token = |role| create_token(&store, "default", role, "test").unwrap().1.expose().to_owned();
        let (admin, member) = (token(Role::Admin), token(Role::Member));
        let client = Client::new(Guard::new(settings, resolver));
        Self { app: App { store, client, skills }, directory, admin, member }
    }

    pub fn store(&self) -> &Store {
        &self.app.store
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Everything in the workspace that an install may change.
    pub fn dump(&self) -> Value {
        self.store()
            .read(|view| {
                let snapshot = view.snapshot(&view.workspace("default")?)?;
                Ok::<_, agent_bundle::workspace::store::StoreError>(
                    json!({"entities": snapshot.entities, "records": snapshot.records}),
                )
            })
            .unwrap()
    }

    pub fn send(&self, method: &str, path: &str, token: Option<&str>, body: Vec<u8>) -> Answer {
        self.send_with(method, &format!("/v1/workspaces/default{path}"), token, body, &[])
    }

    pub fn send_with(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        body: Vec<u8>,
        headers: &[(&str, &str)],
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body)).unwrap();
        let router = router(self.app.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let response = router.oneshot(request).await.unwrap();
            let (head, body) = response.into_parts();
            let bytes = body.collect().await.unwrap().to_bytes();
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            let body = serde_json::from_str(&text).unwrap_or(Value::Null);
            Answer { status: head.status.as_u16(), body, headers: head.headers, text }
        })
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, Some(&self.admin), serde_json::to_vec(body).unwrap())
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, Some(&self.admin), Vec::new())
    }

    pub fn cli(&self, args: &[&str], input: &[u8]) -> Ran {
        run(self.directory.path(), args, input, &[])
    }

    /// Installs over HTTP.
    pub fn install(&self, document: &str, values: &Value) -> Answer {
        self.install_with(document, values, &json!({}))
    }

    pub fn install_with(&self, document: &str, values: &Value, more: &Value) -> Answer {
        let mut body = json!({"bundle": to_json(document), "setup_values": values});
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        self.post("/bundles/install", &body)
    }

    /// Installs and expects success.
    pub fn installed(&self, document: &str, values: &Value) -> Value {
        let answer = self.install(document, values);
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.body
    }

    pub fn entity(&self, id: &str) -> Value {
        let dump = self.dump();
        let all = dump["entities"].as_array().unwrap();
        all.iter().find(|entity| entity["id"] == id).cloned().unwrap_or(Value::Null)
    }
}

/// Runs the program against a store.
pub fn run(store: &Path, args: &[&str], input: &[u8], env: &[(&str, &str)]) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_agent-bundle"))
        .args(args)
        .env("AGENT_BUNDLE_STORE", store)
        .env_remove("HTTPS_PROXY")
        .env_remove("https_proxy")
        .envs(env.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdin.take().unwrap().write_all(input));
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A document as the JSON of a request: the tree of the text, so that nothing is checked on the way.
pub fn to_json(document: &str) -> Value {
    agent_bundle::workspace::document::parse_tree(document.as_bytes()).unwrap().to_json()
}

/// The id of an entity in a result.
pub fn id_of(result: &Value, kind: &str, key: &str) -> String {
    let all = result["entities"].as_array().unwrap();
    let found = all.iter().find(|entity| entity["kind"] == kind && entity["key"] == key);
    found.unwrap_or_else(|| panic!("no {kind}/{key} in {result}"))["id"].as_str().unwrap().to_owned()
}

/// `actions` of a result as words in order.
pub fn actions(result: &Value) -> Vec<String> {
    let all = result["entities"].as_array().unwrap();
    all.iter()
        .map(|entity| format!("{} {}", entity["kind"].as_str().unwrap(), entity["action"].as_str().unwrap()))
        .collect()
}

/// Text with ids replaced by numbers in the order of their first use.
pub fn without_ids(text: &str) -> String {
    let mut seen: Vec<String> = Vec::new();
    let mut out = String::new();
    let mut run = String::new();
    let mut flush = |run: &mut String, out: &mut String| {
        if run.len() == 24 {
            let at = seen.iter().position(|id| id == run).unwrap_or_else(|| {
                seen.push(run.clone());
                seen.len() - 1
            });
            out.push_str(&format!("<{at}>"));
        } else {
            out.push_str(run);
        }
        run.clear();
    };
    for character in text.chars() {
        if matches!(character, '0'..='9' | 'a'..='f') {
            run.push(character);
        } else {
            flush(&mut run, &mut out);
            out.push(character);
        }
    }
    flush(&mut run, &mut out);
    out
}

/// The two ways, side by side.
pub struct Twins {
    pub cli: Rig,
    pub http: Rig,
}

impl Twins {
    pub fn new() -> Self {
        Self { cli: Rig::new(), http: Rig::new() }
    }

    /// Analyzes both ways; the bodies must be equal.
    pub fn analyze(&self, document: &str) -> Answer {
        let ran = self.cli.cli(&["bundle", "analyze", "-", "--json"], document.as_bytes());
        let answer = self.http.post("/bundles/analyze", &json!({"source": document}));
        assert_eq!(
            without_ids(&ran.json().to_string()),
            without_ids(&answer.body.to_string()),
            "{}",
            ran.err
        );
        let installable = answer.status == 200 && answer.body["installable"] == true;
        assert_eq!(ran.code, if installable { 0 } else { 2 }, "{ran:?}");
        answer
    }

    /// Installs both ways; the bodies must be equal but for ids.
    pub fn install(&self, document: &str, values: &Value) -> Answer {
        let path = self.cli.path("values.json");
        std::fs::write(&path, values.to_string()).unwrap();
        let args = ["bundle", "install", "-", "--yes", "--json", "--values", path.to_str().unwrap()];
        let ran = self.cli.cli(&args, document.as_bytes());
        let answer = self.http.install(document, values);
        assert_eq!(without_ids(&places_apart(ran.json())), without_ids(&places_apart(answer.body.clone())));
        let expected = match answer.status {
            200 => 0,
            422 => 2,
            400 => 3,
            403 => 4,
            _ => 5,
        };
        assert_eq!(ran.code, expected, "{ran:?}");
        answer
    }

    /// A document that does not even parse.
    pub fn parse_error(&self, document: &str) -> Value {
        let answer = self.analyze(document);
        assert_eq!(answer.status, 422, "{document}\n{}", answer.text);
        assert_eq!(answer.body["code"], "bundle_invalid", "{document}");
        assert!(!answer.body["issues"].as_array().unwrap().is_empty());
        answer.body
    }

    /// A document that parses and cannot be installed: analyze says why, and install refuses.
    pub fn blocks(&self, document: &str, code: &str) -> Value {
        let answer = self.analyze(document);
        assert_eq!(answer.status, 200, "{document}\n{}", answer.text);
        assert_eq!(answer.body["installable"], false, "{document}\n{}", answer.text);
        let found = codes_of(&answer.body, "block");
        assert!(found.iter().any(|found| found == code), "{document}\n{found:?}");
        let refused = self.install(document, &json!({"tok": CANARY}));
        assert_eq!((refused.status, &refused.body["code"]), (422, &json!("bundle_invalid")), "{document}");
        answer.body
    }

    /// A document that can be installed, with exactly these warnings.
    pub fn warns(&self, document: &str, warnings: &[&str]) -> Value {
        let answer = self.analyze(document);
        assert_eq!(answer.status, 200, "{document}\n{}", answer.text);
        assert_eq!(answer.body["installable"], true, "{document}\n{}", answer.text);
        assert_eq!(answer.codes(), warnings, "{document}");
        answer.body
    }

    pub fn accepts(&self, document: &str) -> Value {
        self.warns(document, &[])
    }
}

/// A body without lines and columns: a request holds the document on other lines than a file.
fn places_apart(body: Value) -> String {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.remove("line");
                members.remove("column");
                members.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut body = body;
    strip(&mut body);
    body.to_string()
}

/// Settings under which loopback servers of a test may be fetched from.
pub fn open_loopback() -> Settings {
    Settings { allow_http: true, private: vec![Cidr::parse("127.0.0.0/8").unwrap()], ..Settings::default() }
}

/// Answers each connection with what `answer` makes of the path, until the test ends. The first line of each request
/// is all that is read.
pub fn serve_once_each(answer: impl Fn(&str) -> Vec<u8> + Send + 'static) -> std::net::SocketAddr {
    use std::io::{BufRead, BufReader};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { break };
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut path = String::new();
            drop(reader.read_line(&mut path));
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|length| length > 2) {
                line.clear();
            }
            let path = path.split(' ').nth(1).unwrap_or_default().to_owned();
            drop(stream.write_all(&answer(&path)));
        }
    });
    address
}
