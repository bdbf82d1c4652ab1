//! Hooks that the manifest declares: events, tools, arguments and the names of hosts.

use crate::diagnostic::{Code, Diagnostic};
use crate::discover::plain;
use crate::manifest::{HookEntry, Program};
use crate::model::{Hook, TOOL_SELECTORS, is_tool_selector};
use crate::plan::Assembly;
use crate::plan::apps::unknown_host;

pub(super) fn hooks(assembly: &Assembly<'_>, found: &mut Vec<Diagnostic>) -> Vec<Hook> {
    let mut hooks = Vec::new();
    for (event, place, hook) in assembly.manifest.data.hooks.all() {
        let check = Check { assembly, event, place: &place, hook: &hook };
        found.extend(check.targets());
        found.extend(check.tools());
        found.extend(check.arguments());
        let (handler, prebuilt) = match &hook.handler {
            Program::Module(path) => (plain(path), false),
            Program::Prebuilt(file) => (plain(&file.prebuilt), true),
        };
        hooks.push(Hook {
            event: event.to_owned(),
            handler,
            prebuilt,
            targets: hook.targets,
            tools: hook.tools,
            timeout: hook.timeout,
            args: hook.args,
        });
    }
    hooks
}

struct Check<'a> {
    assembly: &'a Assembly<'a>,
    event: &'a str,
    place: &'a str,
    hook: &'a HookEntry,
}

impl Check<'_> {
    fn finding(&self, code: Code, below: &str, message: String) -> Diagnostic {
        let span = self.assembly.manifest.span(&format!("{}/{below}", self.place));
        Diagnostic::new(code, message).with_span(span)
    }

    fn targets(&self) -> Vec<Diagnostic> {
        let hosts = self.hook.targets.iter().flatten().enumerate();
        let unknown = hosts.filter(|(_, host)| !self.assembly.hosts.contains(*host));
        let report = |(at, host): (usize, &String)| {
            let span = self.assembly.manifest.span(&format!("{}/targets/{at}", self.place));
            unknown_host(Code::AB4203, host, &self.assembly.hosts, span)
        };
        unknown.map(report).collect()
    }

    fn tools(&self) -> Vec<Diagnostic> {
        let Some(tools) = &self.hook.tools else { return Vec::new() };
        if !["before-tool", "after-tool"].contains(&self.event) {
            let key = self.assembly.manifest.key_span(&format!("{}/tools", self.place));
            let event = self.assembly.manifest.path(&format!("/hooks/{}", self.event));
            let message = format!("{event} is not about a tool");
            return vec![Diagnostic::new(Code::AB4201, message).with_span(key)];
        }
        tools.iter().enumerate().filter_map(|(at, tool)| self.tool(at, tool)).collect()
    }

    fn tool(&self, at: usize, tool: &str) -> Option<Diagnostic> {
        let below = format!("tools/{at}");
        if !is_tool_selector(tool) {
            let message =
                format!("`{tool}` is no tool: it is none of {} and no `<host>:<its own name>`", list());
            return Some(self.finding(Code::AB4202, &below, message));
        }
        let (host, native) = tool.split_once(':')?;
        if !self.assembly.hosts.contains(host) {
            let span = self.assembly.manifest.span(&format!("{}/{below}", self.place));
            let mut finding = unknown_host(Code::AB4210, host, &self.assembly.hosts, span);
            for fix in &mut finding.fixes {
                fix.text = format!("{}:{native}", fix.text);
            }
            return Some(finding);
        }
        // Of targets with a slip nobody knows what they leave out.
        let named = self.hook.targets.as_ref().filter(|_| self.targets().is_empty())?;
        (!named.iter().any(|target| target == host)).then(|| {
            let message = format!("`{tool}` is a tool of `{host}`, which the hook's `targets` leave out");
            self.finding(Code::AB4212, &below, message)
        })
    }

    /// Arguments stand in a command line that hosts hand to a shell.
    fn arguments(&self) -> Vec<Diagnostic> {
        if self.hook.args.is_empty() {
            return Vec::new();
        }
        if matches!(self.hook.handler, Program::Module(_)) {
            let key = self.assembly.manifest.key_span(&format!("{}/args", self.place));
            let message = "a handler that is bundled takes no arguments".to_owned();
            return vec![Diagnostic::new(Code::AB4746, message).with_span(key)];
        }
        let is_safe = |argument: &str| {
            let safe = |c: char| c.is_ascii_alphanumeric() || "_-+./:=@%,".contains(c);
            !argument.is_empty() && argument.chars().all(safe)
        };
        let args = self.hook.args.iter().enumerate().filter(|(_, argument)| !is_safe(argument));
        let report = |(at, argument): (usize, &String)| {
            let message = format!("`{argument}` means something to a shell");
            self.finding(Code::AB4746, &format!("args/{at}"), message)
                .help("Use letters, digits and `_-+./:=@%,` alone")
        };
        args.map(report).collect()
    }
}

fn list() -> String {
    let words: Vec<String> = TOOL_SELECTORS.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}
