//! How a server of an artifact is started.

use crate::artifact::{Argument, INDEX_FILE, Index, McpServerRow};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::target::{PLUGIN_DATA, PLUGIN_ROOT, PLUGIN_ROOT_VARIABLE, WORKSPACE_ROOT};
use crate::world::World;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A command line with its environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launched {
    /// Program.
    pub program: String,
    /// Arguments.
    pub args: Vec<String>,
    /// Environment on top of the caller's; a variable that the caller has set wins.
    pub env: BTreeMap<String, String>,
}

/// The index of the artifact at `directory`.
fn read_index(world: &dyn World, directory: &Path) -> Result<Index, Box<Diagnostic>> {
    let refuse = |code, message: String| Box::new(Diagnostic::new(code, message));
    let bytes = world.read(&directory.join(INDEX_FILE)).map_err(|error| {
        refuse(Code::AB6000, format!("{} holds no artifact: {error}", directory.display()))
    })?;
    Index::from_bytes(&bytes)
        .map_err(|reason| refuse(Code::AB6001, format!("{INDEX_FILE} is refused: {reason}")))
}

/// All servers of an artifact.
pub fn servers(world: &dyn World, directory: &Path) -> Result<Vec<McpServerRow>, Box<Diagnostic>> {
    read_index(world, directory).map(|index| index.executables.mcp_servers)
}

/// The server of that name; without a name, the only one that can be started.
pub fn find_server(servers: &[McpServerRow], name: Option<&str>) -> Result<McpServerRow, Box<Diagnostic>> {
    let names: Vec<&str> = servers.iter().map(|server| server.name.as_str()).collect();
    let refuse =
        |message: String, help: String| Err(Box::new(Diagnostic::new(Code::AB5005, message).help(help)));
    let known =
        format!("servers here: {}", if names.is_empty() { "none".to_owned() } else { names.join(", ") });
    let Some(name) = name else {
        let mut startable = servers.iter().filter(|server| server.launch.is_some());
        return match (startable.next(), startable.next()) {
            (Some(only), None) => Ok(only.clone()),
            (None, _) => refuse("no server of this plugin can be started here".to_owned(), known),
            (Some(_), Some(_)) => {
                refuse("this plugin has several servers".to_owned(), format!("choose with --server; {known}"))
            }
        };
    };
    let Some(server) = servers.iter().find(|server| server.name == name) else {
        let help = nearest(name, names).map_or(known, |near| format!("did you mean `{near}`?"));
        return refuse(format!("there is no server `{name}`"), help);
    };
    if server.launch.is_none() {
        let message = format!("the plugin does not carry the program of `{name}`");
        return refuse(message, "only servers with routes or an `entry` can be started here".to_owned());
    }
    Ok(server.clone())
}

/// The command that starts `server` of the artifact at `directory` (absolute), with tokens expanded. `data` is the
/// directory for the plugin's data, `workspace` the one it works in.
pub fn launch_command(
    server: &McpServerRow,
    directory: &Path,
    data: &Path,
    workspace: &Path,
) -> Option<Launched> {
    let launch = server.launch.as_ref()?;
    let expand = |text: &str| {
        text.replace(PLUGIN_ROOT, &directory.to_string_lossy())
            .replace(PLUGIN_DATA, &data.to_string_lossy())
            .replace(WORKSPACE_ROOT, &workspace.to_string_lossy())
    };
    let inside = |path: &str| PathBuf::from(directory).join(path).to_string_lossy().into_owned();
    let mut args = vec![inside(&launch.entry)];
    args.extend(launch.args.iter().map(|argument| match argument {
        Argument::Artifact { path } => inside(path),
        Argument::Literal { value } => expand(value),
    }));
    let mut env: BTreeMap<String, String> =
        launch.env.iter().map(|(name, value)| (name.clone(), expand(value))).collect();
    env.entry(PLUGIN_ROOT_VARIABLE.to_owned()).or_insert_with(|| directory.to_string_lossy().into_owned());
    Some(Launched { program: "node".to_owned(), args, env })
}
