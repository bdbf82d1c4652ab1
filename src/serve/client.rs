//! One session with a server, over its standard streams.

use super::Launched;
use crate::diagnostic::{Code, Diagnostic};
use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::{ConfigureCommandExt, TokioChildProcess};
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt;

/// How long a server may take to answer `initialize`.
const START_LIMIT: Duration = Duration::from_secs(30);

/// Bytes of a server's standard error that are kept for a report.
const STDERR_LIMIT: usize = 16 * 1024;

/// Everything that a server offers.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Listing {
    /// Tools, as listed.
    pub tools: Vec<Value>,
    /// Resources, as listed.
    pub resources: Vec<Value>,
    /// Prompts, as listed.
    pub prompts: Vec<Value>,
}

/// Why a call gave no result.
pub type CallFailure = Box<Diagnostic>;

/// Lists what the server offers.
pub fn list(launched: &Launched, directory: &Path) -> Result<Listing, CallFailure> {
    session(launched, directory, async |client| {
        let capabilities = client.peer_info().map(|info| info.capabilities.clone()).unwrap_or_default();
        let mut listing = Listing::default();
        if capabilities.tools.is_some() {
            listing.tools = values(client.list_all_tools().await.map_err(|error| error.to_string())?);
        }
        if capabilities.resources.is_some() {
            listing.resources = values(client.list_all_resources().await.map_err(|error| error.to_string())?);
        }
        if capabilities.prompts.is_some() {
            listing.prompts = values(client.list_all_prompts().await.map_err(|error| error.to_string())?);
        }
        Ok(listing)
    })
}

/// Calls a tool; the result is the protocol's own.
pub fn call_tool(
    launched: &Launched,
    directory: &Path,
    tool: &str,
    input: Map<String, Value>,
) -> Result<Value, CallFailure> {
    session(launched, directory, async |client| {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(input);
        let result = client.call_tool(params).await.map_err(|error| error.to_string())?;
        serde_json::to_value(result).map_err(|error| error.to_string())
    })
}

fn values<T: Serialize>(items: Vec<T>) -> Vec<Value> {
    items.into_iter().filter_map(|item| serde_json::to_value(item).ok()).collect()
}

/// Starts the server, runs `work`, and stops the server. A failure carries what the server said on standard error.
fn session<T>(
    launched: &Launched,
    directory: &Path,
    work: impl AsyncFnOnce(&RunningService<RoleClient, ()>) -> Result<T, String>,
) -> Result<T, CallFailure> {
    let failed = |message: String| Box::new(Diagnostic::new(Code::AB5004, message));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| failed(format!("no thread for the client: {error}")))?;
    runtime.block_on(async {
        let command = tokio::process::Command::new(&launched.program).configure(|command| {
            command.args(&launched.args).current_dir(directory).kill_on_drop(true);
            command.envs(launched.env.iter().filter(|(name, _)| !is_set(name)));
        });
        let spawned = TokioChildProcess::builder(command).stderr(Stdio::piped()).spawn();
        let (transport, stderr) =
            spawned.map_err(|error| failed(format!("`{}` cannot be started: {error}", launched.program)))?;
        let said = tokio::spawn(async move {
            let mut text = Vec::new();
            if let Some(stderr) = stderr {
                drop(stderr.take(STDERR_LIMIT as u64).read_to_end(&mut text).await);
            }
            String::from_utf8_lossy(&text).trim().to_owned()
        });
        let outcome = match tokio::time::timeout(START_LIMIT, ().serve(transport)).await {
            Err(_) => Err(format!("the server did not answer within {} s", START_LIMIT.as_secs())),
            Ok(Err(error)) => Err(format!("the server could not be initialised: {error}")),
            Ok(Ok(client)) => {
                let result = work(&client).await;
                drop(client.cancel().await);
                result
            }
        };
        match outcome {
            Ok(value) => Ok(value),
            Err(message) => {
                let said = tokio::time::timeout(Duration::from_secs(2), said).await;
                let said = said.ok().and_then(Result::ok).filter(|text| !text.is_empty());
                let mut diagnostic = failed(message);
                if let Some(text) = said {
                    diagnostic.help = Some(format!("it said on standard error:\n{text}"));
                }
                Err(diagnostic)
            }
        }
    })
}

fn is_set(name: &str) -> bool {
    use crate::world::{OsWorld, World};
    OsWorld.env(name).is_some()
}
