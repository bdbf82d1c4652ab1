//! What a person gives: a source, values, answers.

use super::Failure;
use crate::workspace::analyze::skill::GithubSource;
use crate::workspace::catalog;
use crate::workspace::display::visible;
use crate::workspace::document::{Bundle, FieldType, MAX_BYTES, SetupField, parse_tree};
use crate::workspace::fetch::{Client, EgressProxy, Github, Guard, Settings, SkillFetcher, SystemResolver};
use crate::workspace::issue::Issue;
use crate::workspace::problem::{Problem, ProblemCode};
use crate::workspace::render::Fetched;
use crate::workspace::secret::Secret;
use crate::workspace::signature::Signature;
use crate::workspace::store::Store;
use crate::workspace::values::{Supplied, SuppliedValues, from_node};
use crate::world::{OsWorld, World, is_file};
use clap::Args;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zeroize::Zeroizing;

#[derive(Debug, Args)]
pub(in crate::cli) struct ValueArgs {
    /// A value, as <key>=<text>; not for secrets, since a command line can be read by others.
    #[arg(long, value_name = "KEY=TEXT")]
    set: Vec<String>,
    /// A value from an environment variable, as <key>=<VARIABLE>.
    #[arg(long, value_name = "KEY=VARIABLE")]
    set_env: Vec<String>,
    /// A value from a file, as <key>=<path>: all of its text but the last line break.
    #[arg(long, value_name = "KEY=PATH")]
    set_file: Vec<String>,
    /// A YAML or JSON file with values by key.
    #[arg(long, value_name = "FILE")]
    values: Option<PathBuf>,
}

/// How the network is reached.
#[derive(Debug, Args)]
pub(in crate::cli) struct FetchArgs {
    /// Fetch through this proxy, which is given the names; default: the environment variable HTTPS_PROXY. Put a password
    /// into the variable, not here.
    #[arg(long, value_name = "URL")]
    egress_proxy: Option<String>,
}

impl FetchArgs {
    /// The proxy that was named; the command line wins.
    pub(in crate::cli) fn proxy(&self) -> Result<Option<EgressProxy>, Failure> {
        let variable = ["HTTPS_PROXY", "https_proxy"].into_iter().find_map(|name| {
            let value = OsWorld.env(name)?.to_string_lossy().into_owned();
            (!value.is_empty()).then_some((name, value))
        });
        let named = match &self.egress_proxy {
            Some(text) => Some(("--egress-proxy", text.clone())),
            None => variable,
        };
        named
            .map(|(place, text)| EgressProxy::parse(&text).map_err(|error| (place, error)))
            .transpose()
            .map_err(|(place, error)| Failure::Usage(format!("{place}: {error}")))
    }

    fn client(&self) -> Result<Client, Failure> {
        let settings = Settings { proxy: self.proxy()?, ..Settings::default() };
        Ok(Client::new(Guard::new(settings, Arc::new(SystemResolver))))
    }
}

impl SkillFetcher for FetchArgs {
    /// Made when it is needed: a proxy that cannot be used does not matter to a document without such skills.
    fn fetch(&self, source: &GithubSource) -> Result<Fetched, String> {
        match self.client() {
            Ok(client) => Github::new(client).fetch(source),
            Err(Failure::Usage(message)) => Err(message),
            Err(Failure::Problem(problem)) => Err(problem.detail),
        }
    }
}

/// Text and where it came from.
pub(in crate::cli) struct Source {
    pub(in crate::cli) bytes: Vec<u8>,
    pub(in crate::cli) origin: String,
    pub(in crate::cli) signature: Option<Signature>,
}

/// What a command line has no URL for.
const PASTED: &str = "pasted";

/// Reads a file, an address, an item of a catalog, or standard input.
pub(in crate::cli) fn source(text: &str, store: &Store, fetch: &FetchArgs) -> Result<Source, Failure> {
    if let Some(name) = text.strip_prefix("catalog:") {
        let item = catalog::find(store, name)?;
        let origin = catalog::origin(&item);
        return Ok(Source { bytes: item.spec.into_bytes(), origin, signature: item.signature });
    }
    if text.starts_with("https://") || text.starts_with("http://") {
        let bytes = fetch.client()?.get(text, MAX_BYTES).map_err(Problem::from)?;
        return Ok(Source { bytes, origin: text.to_owned(), signature: None });
    }
    let beside = PathBuf::from(format!("{text}.sig"));
    let signed = text != "-" && is_file(&OsWorld, &beside);
    let signature = if signed { Some(signature(&beside)?) } else { None };
    Ok(Source { bytes: local(text)?, origin: PASTED.to_owned(), signature })
}

/// Reads a signature.
pub(in crate::cli) fn signature(path: &Path) -> Result<Signature, Failure> {
    Ok(Signature::parse(file(path)?.as_bytes())?)
}

/// Reads a file or standard input.
pub(in crate::cli) fn local(text: &str) -> Result<Vec<u8>, Failure> {
    if text == "-" {
        let mut bytes = Vec::new();
        let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX).saturating_add(1);
        std::io::stdin()
            .take(most)
            .read_to_end(&mut bytes)
            .map_err(|error| Failure::Usage(format!("standard input cannot be read: {error}")))?;
        return Ok(bytes);
    }
    OsWorld
        .read(Path::new(text))
        .map_err(|error| Failure::Usage(format!("{} cannot be read: {error}", visible(text))))
}

/// A secret from the environment, or from a question.
pub(in crate::cli) fn secret(field: &str, variable: Option<&str>) -> Result<Secret, Failure> {
    if let Some(variable) = variable {
        return environment(variable);
    }
    require_terminal().map_err(|_| Failure::Usage("there is no terminal to ask on; say --env".to_owned()))?;
    let answer = rpassword::prompt_password(format!("{}: ", visible(field)));
    answer.map(Secret::new).map_err(|error| Failure::Usage(format!("no answer can be read: {error}")))
}

fn environment(variable: &str) -> Result<Secret, Failure> {
    let unusable =
        |what: &str| Failure::Usage(format!("the environment variable {} is {what}", visible(variable)));
    let value = OsWorld.env(variable).ok_or_else(|| unusable("not set"))?;
    value.into_string().map(Secret::new).map_err(|_| unusable("not UTF-8 text"))
}

/// The text of a file.
pub(in crate::cli) fn file(path: &Path) -> Result<String, Failure> {
    let unreadable = |why: String| Failure::Usage(format!("{} cannot be read: {why}", path.display()));
    let bytes = OsWorld.read(path).map_err(|error| unreadable(error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8 text".to_owned()))
}

/// Values from `--values`, then the environment, then files, then the command line, then the person, later ones winning.
pub(in crate::cli) fn values(
    args: &ValueArgs,
    bundle: &Bundle,
    may_ask: bool,
) -> Result<SuppliedValues, Failure> {
    let mut supplied = SuppliedValues::new();
    if let Some(path) = &args.values {
        let text = file(path)?;
        let tree = parse_tree(text.as_bytes()).map_err(|issue: Issue| Problem::invalid(vec![issue]))?;
        supplied = from_node(&tree).map_err(|shape| {
            Failure::Usage(format!("{} holds {shape}, not values by key", path.display()))
        })?;
    }
    for entry in &args.set_env {
        let (key, variable) = pair(entry, "--set-env")?;
        supplied.insert(key.to_owned(), Supplied::Written(environment(variable)?));
    }
    for entry in &args.set_file {
        let (key, path) = pair(entry, "--set-file")?;
        let text = Zeroizing::new(file(Path::new(path))?);
        let line =
            text.strip_suffix('\n').map_or(text.as_str(), |line| line.strip_suffix('\r').unwrap_or(line));
        supplied.insert(key.to_owned(), Supplied::Written(Secret::new(line.to_owned())));
    }
    for entry in &args.set {
        let (key, value) = pair(entry, "--set")?;
        if bundle.field(key).is_some_and(|field| field.field_type == FieldType::Secret) {
            let message = format!(
                "`{key}` is a secret; give it with --set-env {key}=VARIABLE, --set-file {key}=PATH, --values, or when asked"
            );
            return Err(Failure::Usage(message));
        }
        supplied.insert(key.to_owned(), Supplied::Written(Secret::new(value.to_owned())));
    }
    if may_ask && std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
        ask(bundle, &mut supplied)?;
    }
    Ok(supplied)
}

fn pair<'a>(entry: &'a str, option: &str) -> Result<(&'a str, &'a str), Failure> {
    // The text behind the `=` may be a secret that was put in the wrong place, so the message does not hold it.
    entry.split_once('=').ok_or_else(|| Failure::Usage(format!("{option} takes <key>=…")))
}

fn ask(bundle: &Bundle, supplied: &mut SuppliedValues) -> Result<(), Failure> {
    let wanted: Vec<&SetupField> = bundle
        .setup
        .iter()
        .filter(|field| field.required && field.default.is_none() && !supplied.contains_key(&field.key))
        .collect();
    for field in wanted {
        let mut question = visible(&field.label);
        if let Some(options) = &field.options {
            question.push_str(&format!(" ({})", visible(&options.join(", "))));
        }
        if let Some(help) = &field.help {
            question.push_str(&format!("\n  {}", visible(help)));
        }
        let failed = |error: std::io::Error| Failure::Usage(format!("no answer can be read: {error}"));
        let answer = if field.field_type == FieldType::Secret {
            rpassword::prompt_password(format!("{question}: ")).map_err(failed)?
        } else {
            line(&format!("{question}: ")).map_err(failed)?
        };
        supplied.insert(field.key.clone(), Supplied::Written(Secret::new(answer)));
    }
    Ok(())
}

fn line(prompt: &str) -> std::io::Result<String> {
    let mut err = std::io::stderr().lock();
    err.write_all(prompt.as_bytes())?;
    err.flush()?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(answer.trim_end_matches(['\r', '\n']).to_owned())
}

/// Where nobody can be asked, the command line has to say yes.
pub(in crate::cli) fn require_terminal() -> Result<(), Failure> {
    require_terminal_for("there is no terminal to ask on; say --yes")
}

/// Where nobody can be asked, that is a mistake of who calls.
pub(in crate::cli) fn require_terminal_for(message: &str) -> Result<(), Failure> {
    if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
        return Ok(());
    }
    Err(Failure::Usage(message.to_owned()))
}

/// Asks a yes-or-no question; no is the default.
pub(in crate::cli) fn confirm(question: &str) -> Result<bool, Failure> {
    let answer = line(&format!("{question} [y/N] ")).map_err(|error| {
        Failure::Problem(Problem::new(ProblemCode::BadRequest, format!("no answer can be read: {error}")))
    })?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
