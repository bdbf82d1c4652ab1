//! The commands of the plugin's executable as one tree: modules under `src/cli`, projections beside tools, and tools
//! that the manifest turns into commands.

use super::Assembly;
use super::options::{self, Input, Side};
use crate::diagnostic::{Code, Diagnostic, Span, nearest};
use crate::extract::config_span;
use crate::model::{Command, JsonObject, Module, ModuleKind, Server, Surfaces};
use serde_json::Value;
use std::collections::BTreeMap;

/// The surfaces beside servers and documents.
pub(super) fn surfaces(assembly: &Assembly<'_>, servers: &[Server]) -> (Surfaces, Vec<Diagnostic>) {
    let modules: Vec<Module> = assembly.inventory.surfaces.iter().map(|file| assembly.module(file)).collect();
    let of = |kind: ModuleKind| {
        let mut found: Vec<Module> = modules.iter().filter(|module| module.kind == kind).cloned().collect();
        found.sort_by(|a, b| a.id.cmp(&b.id));
        found
    };
    let mut tree = Tree { assembly, commands: Vec::new(), found: Vec::new() };
    let command_modules = of(ModuleKind::Command);
    for module in &command_modules {
        tree.route(module);
    }
    let tools: Vec<(&Server, &Module)> = servers.iter().flat_map(tools).collect();
    let mut projected = Vec::new();
    for module in of(ModuleKind::Projection) {
        let id = module.id.replacen("projection:", "tool:", 1);
        // A projection of a server that is not generated is left out with its routes.
        if let Some((server, tool)) = tools.iter().find(|(_, tool)| tool.id == id) {
            tree.projection(&module, server, tool);
            projected.push(id);
        }
    }
    let rest = tools.into_iter().filter(|(_, tool)| !projected.contains(&tool.id));
    tree.bulk(&rest.collect::<Vec<_>>());
    tree.check_mode();
    tree.check();
    tree.commands.sort_by(|a, b| a.path.cmp(&b.path));
    let surfaces = Surfaces {
        commands: tree.commands,
        command_modules,
        events: of(ModuleKind::Event),
        scripts: of(ModuleKind::Script),
        state: of(ModuleKind::State).pop(),
    };
    (surfaces, tree.found)
}

fn tools(server: &Server) -> impl Iterator<Item = (&Server, &Module)> {
    server.routes().iter().filter(|route| route.kind == ModuleKind::Tool).map(move |route| (server, route))
}

struct Tree<'a> {
    assembly: &'a Assembly<'a>,
    commands: Vec<Command>,
    found: Vec<Diagnostic>,
}

impl Tree<'_> {
    fn place(&self, kind: ModuleKind, source: &str, pointer: &str) -> Span {
        let bytes = (self.assembly.source)(source);
        let span = bytes.and_then(|bytes| config_span(kind, source, &bytes, pointer));
        span.unwrap_or_else(|| Span::file(source))
    }

    fn route(&mut self, module: &Module) {
        let input = Input {
            schema: module.config.get("inputJsonSchema").and_then(Value::as_object),
            config: &module.config,
            confirm: false,
            maps: false,
        };
        let (options, positionals, mut faults) = options::read(&input);
        // What is said of metadata that could not be read is a consequence.
        faults.retain(|_| self.assembly.is_read(module));
        for fault in faults {
            let span = self.place(module.kind, &module.source, &fault.pointer);
            self.found.push(Diagnostic::new(Code::AB4814, fault.message).with_span(Some(span)));
        }
        self.commands.push(Command {
            id: module.id.clone(),
            path: module.name.split('/').map(str::to_owned).collect(),
            aliases: texts(&module.config, "aliases"),
            source: module.source.clone(),
            description: text(&module.config, "description"),
            confirm: false,
            options,
            positionals,
        });
    }

    fn projection(&mut self, module: &Module, server: &Server, tool: &Module) {
        let config = &module.config;
        let confirm = config.get("confirm").and_then(Value::as_bool).unwrap_or_else(|| !is_read_only(tool));
        let input = Input {
            schema: tool.config.get("inputJsonSchema").and_then(Value::as_object),
            config,
            confirm,
            maps: config.get("mapInput") == Some(&Value::Bool(true)),
        };
        let (options, positionals, mut faults) = options::read(&input);
        faults.retain(|_| self.assembly.is_read(module) && self.assembly.is_read(tool));
        let title = format!("CLI projection {} for tool:{}/{}", module.source, server.name, tool.name);
        for fault in faults {
            let code = if fault.contract { Code::AB4844 } else { Code::AB4845 };
            let span = match fault.side {
                Side::Command => self.place(module.kind, &module.source, &fault.pointer),
                Side::Schema => self.place(tool.kind, &tool.source, &fault.pointer),
            };
            let message = format!("{title}: {}", fault.message);
            self.found.push(Diagnostic::new(code, message).with_span(Some(span)));
        }
        let mut path = texts(config, "command");
        if path.is_empty() {
            path.push(tool.name.clone());
        }
        for (at, segment) in path.iter().enumerate().filter(|(_, segment)| !is_word(segment)) {
            let message = format!("{title}: `{segment}` cannot be a word of a command");
            let span = self.place(module.kind, &module.source, &format!("/command/{at}"));
            self.found.push(Diagnostic::new(Code::AB4844, message).with_span(Some(span)));
        }
        self.commands.push(Command {
            id: tool.id.clone(),
            path,
            aliases: texts(config, "aliases"),
            source: module.source.clone(),
            description: text(config, "description").or_else(|| text(&tool.config, "description")),
            confirm,
            options,
            positionals,
        });
    }

    /// The tools that `routes.mcp-commands` chooses.
    fn bulk(&mut self, eligible: &[(&Server, &Module)]) {
        let Some(chosen) = &self.assembly.manifest.data.routes.mcp_commands else { return };
        let names: Vec<String> =
            eligible.iter().map(|(server, tool)| format!("{}:{}", server.name, tool.name)).collect();
        let include = chosen.include.as_deref();
        if include.is_some_and(<[String]>::is_empty) {
            let message = "`include` is empty, so no tool would become a command".to_owned();
            self.unmatched("/routes/mcp-commands/include", message, None, &names);
        }
        let lists = [("include", include.unwrap_or_default()), ("exclude", chosen.exclude.as_slice())];
        for (field, patterns) in lists {
            for (at, pattern) in patterns.iter().enumerate() {
                if !names.iter().any(|name| matches(pattern, name)) {
                    let message = format!("`{pattern}` matches no tool");
                    let pointer = format!("/routes/mcp-commands/{field}/{at}");
                    self.unmatched(&pointer, message, Some(pattern), &names);
                }
            }
        }
        for ((server, tool), name) in eligible.iter().zip(&names) {
            let included =
                include.is_none_or(|patterns| patterns.iter().any(|pattern| matches(pattern, name)));
            if !included || chosen.exclude.iter().any(|pattern| matches(pattern, name)) {
                continue;
            }
            self.commands.push(Command {
                id: tool.id.clone(),
                path: vec![server.name.clone(), tool.name.clone()],
                aliases: Vec::new(),
                source: tool.source.clone(),
                description: text(&tool.config, "description"),
                confirm: !is_read_only(tool),
                options: Vec::new(),
                positionals: Vec::new(),
            });
        }
    }

    fn unmatched(&mut self, pointer: &str, message: String, pattern: Option<&str>, names: &[String]) {
        let known = if names.is_empty() { "none is left".to_owned() } else { names.join(", ") };
        let span = self.assembly.manifest.span(pointer);
        let mut finding = Diagnostic::new(Code::AB4822, format!("{message} (the tools: {known})"));
        if let (Some(span), Some(near)) =
            (&span, pattern.and_then(|pattern| nearest(pattern, names.iter().map(String::as_str))))
        {
            finding = finding.did_you_mean(near, span);
        }
        self.found.push(finding.with_span(span));
    }

    /// `routes.cli` says where the command line comes from.
    fn check_mode(&mut self) {
        const MODES: [&str; 2] = ["generated", "conventional"];
        let manifest = self.assembly.manifest;
        let Some(mode) = manifest.data.routes.cli.as_deref() else { return };
        let span = manifest.span("/routes/cli");
        if !MODES.contains(&mode) {
            let mut finding = Diagnostic::new(
                Code::AB4804,
                format!(
                    "`{mode}` is no mode of the command line; the modes are `generated` and `conventional`"
                ),
            );
            if let (Some(span), Some(near)) = (&span, nearest(mode, MODES)) {
                finding = finding.did_you_mean(near, span);
            }
            self.found.push(finding.with_span(span));
        } else if mode == "conventional"
            && let Some(command) = self.commands.first()
        {
            let message =
                format!("`cli` is `conventional`, and `{}` gives a generated command", command.source);
            let finding = Diagnostic::new(Code::AB4804, message).with_span(span);
            self.found.push(finding.help("Remove `cli`, or begin the module's name with `_`"));
        }
    }

    /// No two commands are called by the same words.
    fn check(&mut self) {
        let commands = std::mem::take(&mut self.commands);
        let mut taken: BTreeMap<Vec<String>, (&str, &Command)> = BTreeMap::new();
        let (mut found, mut invalid) = (Vec::new(), Vec::new());
        let mut clash = |words: &[String], what: &str, here: &Command, other: &Command| {
            let message =
                format!("`{}` is {what}: `{}` and `{}`", words.join(" "), other.source, here.source);
            let place = |command: &Command| self.word_place(command, words);
            found.push(
                Diagnostic::new(Code::AB4813, message)
                    .with_span(Some(place(here)))
                    .label(place(other), "the other one"),
            );
        };
        for command in &commands {
            if let Some((_, other)) = taken.get(&command.path) {
                clash(&command.path, "the command of two modules", command, other);
                continue;
            }
            taken.insert(command.path.clone(), ("command", command));
        }
        for command in &commands {
            for length in 1..command.path.len() {
                let group = command.path[..length].to_vec();
                match taken.get(&group) {
                    Some(("command", other)) => {
                        clash(&group, "a command and a group of commands", command, other)
                    }
                    Some(_) => {}
                    None => drop(taken.insert(group, ("group", command))),
                }
            }
        }
        for command in &commands {
            let Some((_, parents)) = command.path.split_last() else { continue };
            for alias in &command.aliases {
                let words: Vec<String> = parents.iter().chain([alias]).cloned().collect();
                if !is_word(alias) {
                    let message = format!(
                        "`{alias}` cannot be another name of the command `{}`",
                        command.path.join(" ")
                    );
                    invalid.push(
                        Diagnostic::new(Code::AB4813, message)
                            .with_span(Some(self.alias_place(command, alias))),
                    );
                } else if let Some((_, other)) = taken.get(&words) {
                    clash(&words, "the name of two commands", command, other);
                } else {
                    taken.insert(words, ("alias", command));
                }
            }
        }
        self.found.extend(invalid);
        self.found.extend(found);
        self.commands = commands;
    }

    /// Where a module says that its command is called by `words`; the module where its path says so.
    fn word_place(&self, command: &Command, words: &[String]) -> Span {
        let alias = words
            .last()
            .filter(|word| command.aliases.contains(word) && !command.path.ends_with(&[(*word).clone()]));
        match alias {
            Some(alias) => self.alias_place(command, alias),
            None if command.id.starts_with("cli:") => Span::file(&command.source),
            None => self.place(ModuleKind::Projection, &command.source, "/command"),
        }
    }

    fn alias_place(&self, command: &Command, alias: &str) -> Span {
        let is_route = command.id.starts_with("cli:");
        let kind = if is_route { ModuleKind::Command } else { ModuleKind::Projection };
        let at = command.aliases.iter().position(|known| known == alias).unwrap_or_default();
        self.place(kind, &command.source, &format!("/aliases/{at}"))
    }
}

fn is_read_only(tool: &Module) -> bool {
    tool.config.get("annotations").and_then(|found| found.get("readOnlyHint")) == Some(&Value::Bool(true))
}

/// Whether a word can be typed as part of a command: a letter or digit at both ends.
fn is_word(word: &str) -> bool {
    let ends = |c: char| c.is_ascii_alphanumeric();
    word.starts_with(ends)
        && word.ends_with(ends)
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

fn text(config: &JsonObject, key: &str) -> Option<String> {
    config.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn texts(config: &JsonObject, key: &str) -> Vec<String> {
    let items = config.get(key).and_then(Value::as_array);
    items.into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

/// Whether `name` is literal text of `pattern`, where `*` is any text.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, expected) in [
            ("notes:search", "notes:search", true),
            ("notes:*", "notes:search", true),
            ("*", "notes:search", true),
            ("*:s*h", "notes:search", true),
            ("n*e*s", "notes:search", false),
            ("notes", "notes:search", false),
            ("search", "notes:search", false),
            ("*search*", "notes:search", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern}");
        }
    }
}
