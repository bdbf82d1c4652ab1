//! Servers that are not made of routes: handwritten entries, commands, addresses.

use crate::support::{Project, Server};
use serde_json::json;

/// A server without an SDK: answers `initialize`, lists one tool, and gives back what it was started with.
const HANDWRITTEN: &str = r#"
import { word } from '../lib/word.js';

console.log('handwritten and talkative');

export default function create() {
  let transport: any;
  return {
    async connect(to: any) {
      transport = to;
      to.onmessage = ({ id, method }: any) => {
        if (id === undefined) return;
        const answers: Record<string, unknown> = {
          initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'hand', version: '1' } },
          'tools/list': { tools: [{ name: word, inputSchema: { type: 'object' } }] },
          'tools/call': {
            content: [],
            structuredContent: { args: process.argv.slice(2), mode: process.env.MODE, root: process.env.AGENT_BUNDLE_PLUGIN_ROOT },
          },
        };
        void to.send({ jsonrpc: '2.0', id, result: answers[method] ?? {} });
      };
      await to.start();
    },
    async close() { await transport?.close(); },
  };
}
"#;

fn handwritten(manifest: &str) -> Project {
    Project::plain()
        .remove("src/mcp")
        .write("src/lib/word.ts", "export const word = 'by-hand';\n")
        .write("src/mcp/hand.ts", HANDWRITTEN)
        .edit("agent-bundle.toml", "[plugin]", &format!("[mcp.servers.hand]\n{manifest}\n\n[plugin]"))
}

#[test]
fn a_conventional_entry_is_served() {
    let project = handwritten("");
    project.built();
    let entry = project.path("artifact").join(project.artifact().only("mcp/mcp-hand-"));
    let mut server = Server::start(&entry, project.root()).initialize("tests");
    assert_eq!(server.tools(), ["by-hand"]);
    let (_, code, said) = server.close();
    assert_eq!(code, Some(0));
    assert!(said.contains("handwritten and talkative"), "{said}");
}

#[test]
fn arguments_and_environment_reach_an_entry() {
    let project = handwritten(
        "args = [\"--data\", \"a b\", \"agent-bundle:path:plugin-root/assets\"]\nenv = { MODE = \"quick\" }\n\
         targets = [\"claude\", \"codex\", \"cursor\"]",
    );
    project.built();
    let result = project.call("by-hand")["structuredContent"].clone();
    let root = project.path("artifact").to_string_lossy().into_owned();
    assert_eq!(
        result,
        json!({"args": ["--data", "a b", format!("{root}/assets")], "mode": "quick", "root": root})
    );
    let document = project.artifact().json(".mcp.json");
    let server = &document["mcpServers"]["hand"];
    assert_eq!(server["env"]["MODE"], "quick", "{server:#}");
    assert_eq!(server["args"].as_array().unwrap().len(), 4, "{server:#}");
}

#[test]
fn an_entry_anywhere_in_the_project() {
    let project = handwritten("entry = \"src/servers/main.ts\"");
    std::fs::create_dir(project.path("src/servers")).unwrap();
    std::fs::rename(project.path("src/mcp/hand.ts"), project.path("src/servers/main.ts")).unwrap();
    project.built();
    assert_eq!(project.call("by-hand")["structuredContent"]["args"], json!([]));
}

#[test]
fn an_entry_that_connects_itself_is_refused() {
    let project = handwritten("")
        .write("src/mcp/hand.ts", "import { createServer } from 'node:net';\ncreateServer();\n");
    let run = project.build();
    assert_eq!((run.code, run.codes()), (1, vec!["AB4730".to_owned()]));
    assert!(run.finding("AB4730").help().contains("command"), "{}", run.stdout);
}

#[test]
fn commands_and_addresses_reach_the_hosts_that_take_them() {
    let project = Project::plain().edit(
        "agent-bundle.toml",
        "[plugin]",
        "[mcp.servers.local]\ncommand = \"notes-server\"\nargs = [\"--quick\"]\n\n[mcp.servers.far]\n\
         url = \"https://notes.example/mcp\"\ntransport = \"streamable-http\"\nheaders = { X-Plan = \"free\" }\n\n[plugin]",
    );
    project.built();
    let tree = project.artifact();
    let index = tree.json("agent-bundle.manifest.json");
    for row in index["projections"].as_array().unwrap() {
        let document = tree.json(row["documents"]["mcp"].as_str().unwrap());
        let servers = document.get("mcpServers").unwrap_or(&document);
        assert_eq!(servers["local"]["command"], "notes-server", "{row:#}");
        assert_eq!(servers["far"]["url"], "https://notes.example/mcp", "{row:#}");
    }
    // Only what the plugin carries can be started from here.
    let run = project.run(["mcp", "list", "--json", "--artifact", "artifact"]).succeeded();
    assert_eq!(run.document()["servers"].as_object().unwrap().keys().collect::<Vec<_>>(), ["main"]);
    let run = project.run(["mcp", "list", "--json", "--artifact", "artifact", "--server", "far"]);
    assert_eq!((run.code, run.codes()), (1, vec!["AB5005".to_owned()]));
    let run = project.run(["mcp", "list", "--json", "--artifact", "artifact", "--server", "mian"]);
    assert!(run.finding("AB5005").help().contains("`main`"), "{}", run.stdout);
}

#[test]
fn routes_and_another_entry_need_a_mode() {
    let server = "[mcp.servers.main]\ncommand = \"other\"\n\n";
    let project = Project::plain().edit("agent-bundle.toml", "[plugin]", &format!("{server}[plugin]"));
    assert_eq!(project.build().codes(), ["AB4800"]);
    let project =
        project.edit("agent-bundle.toml", "[plugin]", "[routes.servers]\nmain = \"command\"\n\n[plugin]");
    project.built();
    assert_eq!(project.artifact().json(".mcp.json")["mcpServers"]["main"]["command"], "other");
    assert!(project.artifact().paths().iter().all(|path| !path.starts_with("mcp/")));
}

#[test]
fn mcp_run_gives_the_terminal_to_the_server() {
    let project = handwritten("");
    project.built();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_agent-bundle"))
        .args(["mcp", "run", "--artifact", "artifact"])
        .current_dir(project.root())
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "nothing of our own");
}
