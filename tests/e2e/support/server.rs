use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long a server may take for anything at all.
const PATIENCE: Duration = Duration::from_secs(20);

/// A started server. Every line of its standard output must be a message of the protocol.
pub struct Server {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next: u64,
}

impl Server {
    /// Starts `node entry` in `directory`, with little more in its environment than a path to find node.
    pub fn start(entry: &Path, directory: &Path) -> Self {
        let mut child = Command::new("node")
            .arg(entry)
            .current_dir(directory)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("node starts");
        let output = child.stdout.take().unwrap();
        let (send, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        Self { child, input, lines, next: 0 }
    }

    /// The handshake of a client of that name.
    pub fn initialize(mut self, client: &str) -> Self {
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": client, "version": "1.0.0"},
        });
        self.request("initialize", hello);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        self
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("the input is open");
        writeln!(input, "{message}").and_then(|()| input.flush()).expect("the server reads");
    }

    /// One request and the result that answers it.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let Ok(line) = self.lines.recv_timeout(PATIENCE) else { panic!("no answer\n{}", self.said()) };
            let message = protocol(&line);
            if message["id"] == json!(id) {
                assert!(message.get("error").is_none(), "{message:#}");
                return message["result"].clone();
            }
        }
    }

    /// Calls a tool.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Names of the tools.
    #[track_caller]
    pub fn tools(&mut self) -> Vec<String> {
        let listed = self.request("tools/list", json!({}));
        let tools = listed["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Closes standard input. Gives how long the server took to leave, its exit code and its standard error.
    #[track_caller]
    pub fn close(mut self) -> (Duration, Option<i32>, String) {
        drop(self.input.take());
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if begun.elapsed() >= PATIENCE {
                panic!("it does not end\n{}", self.said());
            }
            thread::sleep(Duration::from_millis(5));
        };
        let took = begun.elapsed();
        for line in self.lines.iter() {
            protocol(&line);
        }
        (took, status.code(), self.said())
    }

    /// What is on standard error; ends the server.
    fn said(&mut self) -> String {
        drop(self.child.kill());
        let mut text = String::new();
        if let Some(mut stderr) = self.child.stderr.take() {
            drop(stderr.read_to_string(&mut text));
        }
        text
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[track_caller]
fn protocol(line: &str) -> Value {
    let message: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("not of the protocol: {line}"));
    assert_eq!(message["jsonrpc"], "2.0", "{line}");
    message
}
