//! The command line: arguments → settings → one library call → printer. The only room that prints.

mod build;
mod bundle;
mod cache;
mod explain;
mod fix;
mod init;
mod inspect;
mod mcp;
mod migrate;
mod printer;
mod record;
mod types;
mod validate;
mod watch;
mod workspace;

use crate::world::{OsWorld, World};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use printer::Printer;
use std::path::PathBuf;
use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All is well.
    Success,
    /// A failure was reported.
    Failure,
    /// A child's own code.
    Child(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Success => Self::SUCCESS,
            Exit::Failure => Self::FAILURE,
            Exit::Child(code) => Self::from(code),
        }
    }
}

/// Builds AI-agent plugins: one project, one directory that Claude Code, Codex, Cursor, Amp and the portable Agent
/// Plugins format install as it is.
#[derive(Debug, Parser)]
#[command(name = "agent-bundle", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Exit codes: 0 success, 1 a reported failure, 2 a wrong command line.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// When to use colour.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    color: Color,
    /// Show no progress.
    #[arg(long, short, global = true)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start a project in a directory.
    #[command(after_help = "Example:\n  agent-bundle init my-plugin")]
    Init(init::InitArgs),
    /// Build the project into one directory for all its hosts.
    #[command(
        after_help = "Examples:\n  agent-bundle build\n  agent-bundle build --root plugins/notes --install\n  \
                            agent-bundle build --target claude --target codex --json"
    )]
    Build(build::BuildArgs),
    /// Check a project, or an artifact without its sources.
    #[command(after_help = "Examples:\n  agent-bundle validate\n  agent-bundle validate --artifact artifact")]
    Validate(validate::ValidateArgs),
    /// Write the manifest from an `agent-bundle.config.ts`, and tell what could not be carried over.
    #[command(after_help = "Example:\n  agent-bundle migrate --root plugins/notes")]
    Migrate(migrate::MigrateArgs),
    /// Show what a build would do with the project.
    #[command(
        after_help = "Examples:\n  agent-bundle inspect --routes\n  agent-bundle inspect --bundler --json"
    )]
    Inspect(inspect::InspectArgs),
    /// List, call and run the servers of an artifact.
    #[command(subcommand)]
    Mcp(mcp::McpCommand),
    /// Explain the code of a finding; or tell why nodes of the last build ran or did not, or which nodes a path
    /// matters to.
    #[command(after_help = "Examples:\n  agent-bundle explain AB4810\n  agent-bundle explain\n  \
                            agent-bundle explain surface:mcp:notes\n  agent-bundle explain src/shared.ts")]
    Explain {
        /// A code, a node's id or a project-relative path; without it, the last build as a whole.
        subject: Option<String>,
        /// Explain all codes, as one Markdown document.
        #[arg(long, conflicts_with = "subject")]
        codes: bool,
        #[command(flatten)]
        record: record::RecordArgs,
    },
    /// Show the graph of the last build.
    #[command(after_help = "Example:\n  agent-bundle graph --format html > graph.html")]
    Graph(record::GraphArgs),
    /// Look after the store that builds share.
    Cache(cache::CacheArgs),
    /// Write declarations for the editor into `.agent-bundle/`.
    Types(types::TypesArgs),
    /// Print a JSON Schema: of the manifest, the artifact's index, the compile evidence, or setup bundles.
    #[command(after_help = "Example:\n  agent-bundle schema manifest > agent-bundle.schema.json")]
    Schema {
        /// Which one.
        #[arg(value_enum, default_value_t = SchemaName::Manifest)]
        name: SchemaName,
    },
    /// Setup bundles: analyze, install, apply, list, uninstall.
    #[command(subcommand, after_help = bundle::EXIT_CODES)]
    Bundle(bundle::BundleCommand),
    /// Workspaces that setup bundles are installed into.
    #[command(subcommand, after_help = bundle::EXIT_CODES)]
    Workspace(workspace::WorkspaceCommand),
    /// Print completions for a shell.
    #[command(
        after_help = "Example:\n  agent-bundle completions bash > ~/.local/share/bash-completion/completions/agent-bundle"
    )]
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SchemaName {
    Manifest,
    Index,
    Evidence,
    SetupBundle,
}

/// Options of every command that reads a project.
#[derive(Debug, Clone, Args)]
struct ProjectArgs {
    /// Project directory.
    #[arg(long, default_value = ".", value_name = "DIR")]
    root: PathBuf,
    /// Build for this host instead of the manifest's targets (repeatable).
    #[arg(long = "target", value_name = "HOST")]
    targets: Vec<String>,
    /// Threads for building; default: one a core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
    /// Print one JSON document on standard output.
    #[arg(long)]
    json: bool,
    /// Hash every file instead of trusting time stamps; always on where CI=true.
    #[arg(long)]
    hash: bool,
    /// Directory of the shared store; default: AGENT_BUNDLE_CACHE_DIR, else the user's cache directory.
    #[arg(long, value_name = "DIR")]
    cache_dir: Option<PathBuf>,
}

/// How findings are told.
#[derive(Debug, Clone, Args)]
struct MessageArgs {
    /// Tell findings as text, or in a form that programs read (on standard output).
    #[arg(long, value_enum, default_value_t = MessageFormat::Text, value_name = "FORMAT", conflicts_with = "json")]
    message_format: MessageFormat,
    /// Print at most so many findings as text, 0 for all.
    #[arg(long, value_name = "N", default_value_t = printer::SCREENFUL)]
    message_limit: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MessageFormat {
    /// For people.
    Text,
    /// One JSON document.
    Json,
    /// Workflow commands of GitHub Actions.
    Github,
    /// A SARIF 2.1.0 log.
    Sarif,
}

impl ProjectArgs {
    fn settings(&self, output: Option<&str>) -> crate::build::Settings {
        let in_ci = OsWorld.env("CI").is_some_and(|value| value == "true" || value == "1");
        crate::build::Settings {
            root: self.root.clone(),
            targets: (!self.targets.is_empty()).then(|| self.targets.clone()),
            output: output.map(str::to_owned),
            hash: self.hash || in_ci,
            jobs: self.jobs.map_or(0, usize::from),
            store: crate::cache::store_directory(&OsWorld, self.cache_dir.as_deref()),
            ..crate::build::Settings::default()
        }
    }
}

/// Runs the command line.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            drop(error.print());
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let printer = Printer::new(cli.color, cli.quiet);
    let exit = match cli.command {
        Command::Init(args) => init::run(&args, &printer),
        Command::Build(args) => build::run(&args, &printer),
        Command::Validate(args) => validate::run(&args, &printer),
        Command::Migrate(args) => migrate::run(&args, &printer),
        Command::Inspect(args) => inspect::run(&args, &printer),
        Command::Mcp(command) => mcp::run(&command, &printer),
        Command::Explain { codes: true, .. } => explain::codes(&printer),
        Command::Explain { subject, record, .. } => match subject {
            Some(word) if explain::is_code(&word) => explain::code(&word, &printer),
            subject => record::explain(subject.as_deref(), &record, &printer),
        },
        Command::Graph(args) => record::graph(&args, &printer),
        Command::Cache(args) => cache::run(&args, &printer),
        Command::Types(args) => types::run(&args, &printer),
        Command::Schema { name } => {
            let schema = match name {
                SchemaName::Manifest => crate::manifest::manifest_schema(),
                SchemaName::Index => crate::artifact::index_schema(),
                SchemaName::Evidence => crate::artifact::evidence_schema(),
                SchemaName::SetupBundle => crate::workspace::document::bundle_schema(),
            };
            printer.document(&schema);
            Exit::Success
        }
        Command::Bundle(command) => bundle::run(&command, &printer),
        Command::Workspace(command) => workspace::run(&command, &printer),
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "agent-bundle", &mut text);
            printer.raw(&text);
            Exit::Success
        }
    };
    exit.into()
}
