//! The registry of codes: the one place that gives each its severity, title and recovery.

use super::Severity;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// What the registry says of one code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeInfo {
    /// The code as users see it.
    pub name: &'static str,
    /// How grave it is unless a caller says otherwise.
    pub severity: Severity,
    /// What the code stands for.
    pub title: &'static str,
    /// What usually mends it.
    pub recovery: &'static str,
}

macro_rules! codes {
    ($($code:ident $severity:ident $title:literal $recovery:literal;)*) => {
        /// A stable handle of one cause. Codes are never reused.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $title] $code,)*
            /// A rule of one host, written `<host>.<rule>`; always an error.
            Host(String),
        }

        impl Code {
            /// Every registered code, in order.
            pub const ALL: &[CodeInfo] = &[
                $(CodeInfo { name: stringify!($code), severity: Severity::$severity, title: $title, recovery: $recovery },)*
            ];

            /// The registered code of that name.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($code) => Some(Self::$code),)*
                    _ => None,
                }
            }

            /// What the registry says; `None` for a rule of one host.
            pub fn info(&self) -> Option<&'static CodeInfo> {
                let name = match self {
                    $(Self::$code => stringify!($code),)*
                    Self::Host(_) => return None,
                };
                Self::ALL.iter().find(|info| info.name == name)
            }
        }
    };
}

codes! {
    AB1000 Error "The manifest is missing" "Create `agent-bundle.toml`, or run `agent-bundle init`";
    AB1001 Error "The manifest is not valid TOML" "Repair the syntax at the place shown";
    AB1002 Error "Unknown manifest key" "Remove the key or correct its name";
    AB1003 Error "A manifest value has the wrong shape" "Give it the shape named in the message";
    AB1004 Error "A target definition cannot be used" "Repair the folder that `target-definitions` names";
    AB1005 Error "A pattern of member projects finds none" "Correct the pattern, or remove it";
    AB1006 Warning "A configuration lies beside the manifest and is not read" "Remove one of the two files";
    AB1007 Warning "A setup bundle has a remark" "Read the message";
    AB1008 Error "A setup bundle cannot be built" "Correct the document; `agent-bundle bundle analyze` says the same of it";
    AB2000 Error "Syntax error in a module" "Repair the syntax at the place shown";
    AB2001 Error "A source file is not UTF-8 text" "Save the file as UTF-8";
    AB2002 Error "An import cannot be resolved" "Install the package, or correct the path";
    AB2003 Error "A module is too large" "Split the module, or load the data at run time";
    AB2004 Error "A path leads out of the project" "Move the file into the project";
    AB2005 Error "A source file cannot be read" "Check that the file exists and may be read";
    AB2006 Error "Something else lies where a file is meant" "Replace it with a file";
    AB2007 Error "A module cannot be bundled" "Repair the module as the message says";
    AB2008 Warning "The bundler has a remark" "Read the message";
    AB2009 Error "The project's packages are not installed" "Install them, or build with `--install`";
    AB2010 Warning "A surface is recognised and not emitted by this version" "Remove it, or keep it for a later version";
    AB2011 Error "An import names what servers do not have" "Import something else, or move the code into an App";
    AB3000 Error "A skill document cannot be read" "Make it a readable file";
    AB3001 Error "A skill has no frontmatter" "Begin it with a block fenced by `---`";
    AB3002 Error "A skill's frontmatter is invalid" "Repair the YAML";
    AB3006 Error "Unknown skill field" "Remove it, or move it under `targets.<host>`";
    AB3008 Error "A skill uses a token that a host cannot expand" "Remove the token, or restrict the host";
    AB3009 Error "A placeholder of another host is left in a skill" "Use the canonical tokens";
    AB3010 Error "A skill's frontmatter does not fit a host's schema" "Remove the field";
    AB4000 Error "The plugin has no name" "Set `plugin.name`";
    AB4001 Error "`plugin.version` is not a version" "Leave it out: `package.json` gives the version";
    AB4002 Error "A skill's name is missing, too long or not kebab-case" "Use up to 64 of `a-z`, `0-9` and single hyphens";
    AB4003 Error "A skill's description is missing, blank or too long" "Write one of at most 1024 characters";
    AB4004 Error "A skill's name differs from its directory" "Rename one of them";
    AB4005 Error "A skill links a file that it does not ship" "Add the file, or correct the link";
    AB4006 Error "Two skills share a name" "Rename one of them";
    AB4007 Error "A skill field has the wrong shape" "Correct the value";
    AB4008 Warning "`plugin.version` disagrees with `package.json`" "Remove `plugin.version`";
    AB4009 Warning "The package name is invalid" "Correct `name` in `package.json`";
    AB4010 Warning "The package version is not a semantic version" "Correct `version` in `package.json`";
    AB4011 Warning "`package.json` cannot be used" "Repair the file";
    AB4012 Error "The logo is missing or outside the project" "Point `plugin.logo` at a file of the project";
    AB4013 Error "The plugin has no version" "Set `version` in `package.json`";
    AB4014 Error "Plugin metadata is invalid" "Correct the field";
    AB4015 Warning "A field of `package.json` cannot be shared with hosts" "Declare it under `[plugin.metadata]`";
    AB4100 Error "Unknown target" "Choose one of the targets named in the message";
    AB4103 Error "Two hosts plan different bytes for one path" "Make them alike, or build the hosts apart";
    AB4105 Error "A host would find a component that is not meant for it" "Extend its `targets`, or build the hosts apart";
    AB4110 Info "A host does not take a component" "Accept it, or choose hosts that take it";
    AB4111 Warning "A host passes a placeholder on as it stands" "Use a canonical token, or choose hosts that know the placeholder";
    AB4112 Warning "A command does not start on Windows" "Name a program, for example `node` with a path";
    AB4113 Warning "A tool's input is a choice at its root" "Put the choice into a field of an object";
    AB4114 Warning "A path in a shell command is not quoted" "Put the word into double quotes";
    AB4115 Info "A part of a setup bundle stays behind" "Accept it, or install the document into a workspace";
    AB4200 Error "A hook has no handler" "Name a module, or a file of a payload with `{ prebuilt = \"…\" }`";
    AB4201 Error "A hook chooses tools at an event that is not about tools" "Remove `tools`";
    AB4202 Error "A hook chooses an unknown tool" "Use a name of every host, or `<host>:<its own name>`";
    AB4203 Error "A hook names an unknown host" "Choose one of the targets named in the message";
    AB4204 Error "A hook names a host that does not have it" "Remove the host";
    AB4205 Error "The time of a hook is not whole seconds" "Give a whole number of at least 1";
    AB4207 Error "A hook document for a host that takes none" "Remove `native-hooks`";
    AB4208 Error "`native-hooks` is not a path" "Give the path of a JSON document";
    AB4210 Error "A tool of an unknown host" "Choose one of the targets named in the message";
    AB4211 Error "A tool of a host without hooks" "Remove it, or choose another host";
    AB4212 Error "A tool of a host that the hook does not reach" "Add the host to `targets`, or remove the tool";
    AB4300 Error "`mcp` has the wrong shape" "Make it a table with `servers`";
    AB4301 Error "`mcp.servers` has the wrong shape" "Make it a table of servers by name";
    AB4302 Error "A server has a blank name" "Give it a name";
    AB4303 Error "A server has the wrong shape" "Make it a table";
    AB4304 Error "A server declares nothing to start" "Declare exactly one of `entry`, `command` and `url`";
    AB4305 Error "Server targets are not host names" "List the names of hosts";
    AB4306 Error "A server entry is not a path" "Give the path of a module";
    AB4307 Error "A server entry is missing" "Create the file, or correct the path";
    AB4308 Error "A local server with another transport than stdio" "Remove `transport`";
    AB4309 Error "A local server declares a working directory" "Remove `cwd`";
    AB4310 Error "A stdio server declares headers" "Remove `headers`";
    AB4311 Error "Server arguments are not nonempty strings" "Correct `args`";
    AB4312 Error "A server environment is not a map of strings" "Correct `env`";
    AB4313 Error "A server command is empty" "Name the command";
    AB4314 Error "A command server with another transport than stdio" "Remove `transport`";
    AB4315 Error "A server's working directory is blank" "Name the directory, or remove `cwd`";
    AB4316 Error "A server address is not http or https" "Correct `url`";
    AB4317 Error "A remote server with another transport than streamable-http" "Set `transport` to `streamable-http`";
    AB4318 Error "A remote server declares local settings" "Remove `args`, `env` and `cwd`";
    AB4319 Error "Server headers are not a map of strings" "Correct `headers`";
    AB4320 Error "A server names an unknown host" "Choose one of the targets named in the message";
    AB4322 Error "Apps on a command or remote server" "Give the server a local entry";
    AB4323 Error "The Apps of a server have the wrong shape" "Make them a table of Apps by name";
    AB4324 Error "An App's name is not usable" "Use kebab-case that starts with a letter";
    AB4325 Error "One App is declared twice" "Keep one declaration";
    AB4326 Error "An App declaration has the wrong shape" "Correct it";
    AB4327 Error "An App entry is blank" "Name the module";
    AB4328 Error "An App entry is missing" "Create the file, or correct the path";
    AB4329 Error "An App address is not `ui://` with a host" "Correct `resourceUri`";
    AB4330 Error "One address under two App names" "Make it unique";
    AB4331 Error "An App template is blank" "Name the page, or remove `template`";
    AB4332 Error "An App template is not an HTML file that exists" "Correct `template`";
    AB4333 Error "App targets are not host names" "List the names of hosts";
    AB4334 Error "An App names a host that its server does not ship to" "Remove the host, or add it to the server";
    AB4335 Error "The metadata of an App have the wrong shape" "Make `_meta` a table";
    AB4336 Error "An App names an unknown host" "Choose one of the targets named in the message";
    AB4337 Error "An App module names a host that its server does not ship to" "Remove the host, or add it to the server";
    AB4338 Error "The metadata of an App are not plain JSON data" "Use strings, numbers, booleans, lists and tables";
    AB4340 Error "An entry beside a generated server" "Remove it, or change the server's mode";
    AB4341 Error "The Apps for browsers cannot be offered" "Correct what the message names";
    AB4400 Error "`scripts` has the wrong shape" "Make it a table of scripts by name";
    AB4401 Error "A script's name is not usable" "Use letters, digits, `.`, `_` and `-`, with a letter or digit at both ends";
    AB4402 Error "A script has no path" "Give the path of the script";
    AB4403 Error "A script is of no known kind" "Use one of the extensions named in the message";
    AB4404 Error "A script is missing" "Create the file, or correct the path";
    AB4405 Error "A script lies outside the project" "Move it into the project";
    AB4406 Error "A script names an unknown host" "Choose one of the targets named in the message";
    AB4407 Error "Script targets are not host names" "List the names of hosts";
    AB4408 Error "Two scripts are one file" "Rename one of them";
    AB4500 Error "A host table is not plain JSON data" "Use strings, numbers, booleans, lists and tables";
    AB4600 Error "Assets or the runtime are declared in the wrong shape" "List paths or patterns";
    AB4601 Error "An asset lies outside the project, or a version of Node.js is none" "Move it into the project";
    AB4602 Error "A declared asset is missing, or Node.js is too old" "Create it, or remove the entry";
    AB4700 Error "`bin` has the wrong shape" "Write `false`, or a table of modules by name";
    AB4701 Error "The name of a command of the package is not usable" "Use letters, digits, `.`, `_` and `-`, with a letter or digit at both ends";
    AB4702 Error "A command of the package has no module" "Give the path of a module";
    AB4703 Error "A command of the package lies outside the project" "Move it into the project";
    AB4704 Error "A command of the package is no module" "Use JavaScript or TypeScript";
    AB4705 Error "The module of a command of the package is missing" "Create the file, or correct the path";
    AB4707 Error "The output is declared in the wrong shape" "Give a relative path";
    AB4708 Error "The output is not a relative path inside the project" "Correct the path";
    AB4709 Error "The output lies in a reserved place" "Choose another directory";
    AB4710 Error "`lib` has the wrong shape" "Write `false`, a path, or a table with `entry`";
    AB4711 Error "The library has no module" "Give the path of a module";
    AB4712 Error "The library lies outside the project" "Move it into the project";
    AB4713 Error "The library is no module" "Use JavaScript or TypeScript";
    AB4714 Error "The module of the library is missing" "Create the file, or correct the path";
    AB4715 Error "`lib.dts` is not a boolean" "Write `true` or `false`";
    AB4720 Error "`tools` has the wrong shape" "Make it a table";
    AB4721 Error "An unknown bundler" "Remove the key";
    AB4722 Error "`tools.rsbuild` has the wrong shape" "Make it a table";
    AB4723 Error "`tools.rspack` has the wrong shape" "Make it a table, or a list of tables";
    AB4725 Error "Bundler settings leave packages out" "Remove the setting: a plugin carries what it imports";
    AB4726 Error "A bundler setting has another name by now" "Use the name that the message gives";
    AB4730 Error "A stdio entry exports no factory" "Export a function that returns the server as the default export";
    AB4731 Info "`src/cli.ts` is shadowed by `bin`" "Name it under `bin`, or remove it";
    AB4732 Info "`src/index.ts` is shadowed by `lib`" "Name it as `lib`, or remove it";
    AB4733 Info "A conventional stdio entry is shadowed" "Remove the file, or the declaration";
    AB4734 Info "A skill is not covered by `skills`" "Add it, or remove it";
    AB4735 Info "A rendered skill is shadowed by `SKILL.md`" "Remove one of them";
    AB4736 Error "A document lies in a location that is no longer read" "Move it under `src/`";
    AB4737 Error "A rendered script cannot be a command" "Export the component as the default, and a function `main`";
    AB4738 Error "A plain script cannot be a command" "Export a function `main`";
    AB4740 Error "A payload has the wrong shape" "Give the path of a built directory";
    AB4741 Error "A payload's name is not usable" "Rename it";
    AB4742 Error "The source of a payload cannot be used" "Name a directory of its own inside the project";
    AB4743 Warning "A payload is not built yet" "Build it";
    AB4744 Error "A prebuilt file lies in no payload" "Name a file of a payload";
    AB4745 Warning "A prebuilt file is not there yet" "Build it";
    AB4746 Error "The arguments of a hook are not usable" "Remove them, or give them to a prebuilt handler";
    AB4749 Error "The output and a payload lie in each other" "Choose another output";
    AB4751 Error "A payload needs what `package.json` does not name" "Add it to `dependencies`";
    AB4800 Error "A server has routes and another entry" "Choose a mode under `[routes.servers]`";
    AB4801 Error "`src/cli.ts` and `src/cli/` exist both" "Choose a mode under `[routes]`";
    AB4802 Error "Two modules give one route" "Rename one of them";
    AB4803 Error "A name cannot be used as an identity" "Use letters, digits, `.`, `_` and `-`, with a letter or digit at both ends";
    AB4804 Error "Unknown routes mode" "Choose one of the modes named in the message";
    AB4805 Error "`config` is declared in a shape that cannot be read" "Write `export const config = { … }`";
    AB4806 Error "Metadata is not a static value" "Write the value out as a literal";
    AB4808 Error "A script lies in a subdirectory" "Move it up";
    AB4809 Error "A script is declared twice" "Rename one of them";
    AB4810 Error "A route is not defined in a form that can be read" "Write `export default defineTool({ … }, handler)` with both schemas";
    AB4811 Error "A route exports `execute` or `render`" "Remove the export";
    AB4812 Error "An App has no static address" "Add `resourceUri` to its `config`";
    AB4813 Error "Two commands are called by the same words" "Rename one of them";
    AB4814 Error "`inputJsonSchema` is not in the accepted form" "Correct it at the place shown";
    AB4815 Error "A command is not in a form that can be read" "Correct it as the message says";
    AB4817 Error "An event route needs a server that a host does not get" "Add a server, or set `fallback` to `standalone`";
    AB4818 Error "A state module is not in a form that can be read" "Write `export default defineState({ … })`";
    AB4819 Error "A state has no usable id or lifetime" "Write both out as text";
    AB4820 Error "A state lives outside of the plugin" "Choose another lifetime";
    AB4821 Error "A state has a reserved id" "Rename it";
    AB4822 Error "A pattern of commands matches no tool" "Correct the pattern";
    AB4823 Error "Unknown event" "Use one of the events named in the message";
    AB4824 Error "An event route asks for what a host cannot do" "Change the hosts, or what is asked for";
    AB4825 Error "The hosts of an event route are not chosen in one way" "Keep `targets` or `requires`";
    AB4826 Error "An App reference leads to nothing" "Correct the reference";
    AB4827 Error "An App template is ambiguous or missing" "Write the path relative to the module";
    AB4828 Error "A route names an App that not all of its hosts get" "Add the hosts to the App's `targets`, or remove them from the server's";
    AB4829 Error "Two Apps of one server share an address" "Make it unique";
    AB4830 Error "A layout breaks its contract" "Export one default component and nothing else";
    AB4831 Error "Two layouts for one scope" "Keep one";
    AB4832 Error "A server layout has nothing to wrap" "Move it, or prefix it with `_`";
    AB4833 Error "The retention of notices cannot be used" "Correct it, or add `src/state.ts`";
    AB4835 Error "A render budget is not usable" "Give whole milliseconds from 1 to 86400000";
    AB4836 Error "`execution.taskSupport` is not usable here" "Use `forbidden`, `optional` or `required`, on a tool";
    AB4837 Error "A module imports build-time code as a value" "Import types only";
    AB4840 Error "An event module is not in the accepted form" "Export `events.<family>.<event>(…)` as its path says";
    AB4843 Error "A CLI projection has no tool beside it" "Rename it, or prefix it with `_`";
    AB4844 Error "A CLI projection is not in a form that can be read" "Correct it as the message says";
    AB4845 Error "A CLI projection does not fit its tool" "Correct the key";
    AB4900 Error "A rule cannot be read" "Make it a readable UTF-8 file";
    AB4901 Error "A rule's frontmatter is invalid" "Repair the YAML";
    AB4902 Error "Unknown rule field" "Remove it";
    AB4903 Error "A rule field has the wrong shape" "Correct the value";
    AB4904 Error "A rule names a host that is unknown or not selected" "Correct `targets`";
    AB4905 Error "A rule names a host without rules" "Remove the host";
    AB4907 Error "A rule uses what a named host cannot do" "Remove the field, or the host";
    AB4908 Warning "A host takes a rule without one of its features" "Accept it, or restrict the rule's `targets`";
    AB4920 Error "A command cannot be read" "Make it a readable UTF-8 file";
    AB4921 Error "A command's frontmatter is invalid" "Repair the YAML";
    AB4922 Error "Unknown command field" "Remove it";
    AB4923 Error "A command field has the wrong shape" "Correct the value";
    AB4924 Error "A command names a host that is unknown or not selected" "Correct `targets`";
    AB4925 Error "A command names a host without commands" "Remove the host";
    AB4927 Error "A command uses what a named host cannot do" "Remove the field, or the host";
    AB4928 Warning "A host takes a command without one of its features" "Accept it, or restrict the command's `targets`";
    AB4940 Error "A provider has no default export" "Export the factory as the default";
    AB4941 Error "Two providers share a key" "Rename one of them";
    AB5000 Error "Something failed that has no code of its own" "Read the message";
    AB5001 Error "The output cannot be written" "Check the permissions and the space of the place shown";
    AB5002 Error "A file that this tool does not own is in the way" "Move the file away, or choose another output";
    AB5003 Error "A command of the package manager failed" "Read its output above";
    AB5004 Error "A server could not be started or answered wrongly" "Read the message";
    AB5005 Error "The command line does not fit the project" "Read the message";
    AB6000 Error "The artifact or its index is missing" "Build again";
    AB6001 Error "The index is not canonical" "Build again";
    AB6004 Error "The tree differs from the file table" "Remove what is not of the build, and build again";
    AB6005 Error "An emitted module keeps a forbidden import" "Bundle what it imports";
    AB6006 Error "An emitted JSON file is invalid" "Build again";
    AB6007 Error "A host document names a server that is not there" "Build again";
    AB6011 Error "A host document is missing" "Build again";
    AB6012 Error "A host document does not fit its schema" "Correct the source that the message names";
    AB6013 Error "A link or special file lies in the artifact" "Remove it";
    AB6014 Error "A file or directory lies outside the declared layout" "Build again";
    AB6017 Error "A host document and the launch record disagree" "Build again";
    AB6039 Error "The compile evidence is invalid" "Build again";
}

impl Code {
    /// The rule `rule` of `host`.
    pub fn host(host: &str, rule: &str) -> Self {
        Self::Host(format!("{host}.{rule}"))
    }

    /// The severity that the registry gives.
    pub fn severity(&self) -> Severity {
        self.info().map_or(Severity::Error, |info| info.severity)
    }

    /// What usually mends it.
    pub fn recovery(&self) -> Option<&'static str> {
        self.info().map(|info| info.recovery)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(text) => f.write_str(text),
            _ => f.write_str(self.info().map_or("", |info| info.name)),
        }
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(Self::named(&text).unwrap_or(Self::Host(text)))
    }
}
