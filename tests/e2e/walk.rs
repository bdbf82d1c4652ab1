//! A random walk of edits: after each step the incremental artifact is what a clean build of the same sources gives.
//!
//! `AGENT_BUNDLE_WALK_STEPS` and `AGENT_BUNDLE_WALK_SEED` choose length and start; a failure prints both.

use crate::support::{Project, Run, STORE};
use std::fs;

const STEPS: usize = 40;

/// xorshift: repeatable everywhere, and no more random than this needs.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

const WORDS: [&str; 6] = ["ash", "birch", "cedar", "elm", "fir", "oak"];

fn tool(word: &str, shared: bool) -> String {
    let import =
        if shared { "import { word } from '../../../lib/shared.js';" } else { "const word = 'own';" };
    format!(
        "import {{ Agent }} from '@agent-bundle/runtime';\nimport {{ defineTool }} from 'agent-bundle/routes';\n\
         import {{ object }} from '../../../lib/schema.js';\n{import}\n\
         export default defineTool(\n  {{ description: '{word}', inputSchema: object({{}}), resultSchema: object({{ text: 'string' }}) }},\n  \
         async () => <Agent.Result value={{{{ text: word + '{word}' }}}} />,\n);\n"
    )
}

fn manifest(word: &str, hosts: &[&str]) -> String {
    format!("targets = {hosts:?}\n[plugin]\nname = \"walk\"\ndescription = \"A {word}.\"\n")
}

fn remove(project: &Project, path: &str) {
    let at = project.path(path);
    drop(if at.is_dir() { fs::remove_dir_all(at) } else { fs::remove_file(at) });
}

/// One edit; says which. Some leave a project that cannot be built, which must be reported alike.
fn step(project: &Project, random: &mut Random) -> String {
    let word = *random.pick(&WORDS);
    let name = *random.pick(&WORDS);
    let put = |path: &str, text: &str| project.put(path, text.as_bytes());
    let route = format!("src/mcp/main/tools/{name}.tsx");
    let shared = random.below(2) == 0;
    match random.below(16) {
        0..=2 => {
            put(&route, &tool(word, shared));
            format!("tool {name} says {word}")
        }
        3 => {
            remove(project, &route);
            format!("tool {name} removed")
        }
        4 => {
            put("src/lib/shared.ts", &format!("export const word = '{word}';\n"));
            format!("shared module says {word}")
        }
        5 => {
            put("src/lib/shared/index.ts", "export const word = 'index';\n");
            "a directory beside the shared module".to_owned()
        }
        6 => {
            remove(project, "src/lib/shared");
            "no directory beside the shared module".to_owned()
        }
        7 => {
            let text = format!("---\nname: {name}\ndescription: About {word}.\n---\n{word}\n");
            put(&format!("src/skills/{name}/SKILL.md"), &text);
            format!("skill {name} about {word}")
        }
        8 => {
            remove(project, &format!("src/skills/{name}"));
            format!("skill {name} removed")
        }
        9 => {
            put(&format!("src/skills/{name}/{word}.md"), word);
            format!("a file {word} in skill {name}, which may not exist")
        }
        10 => {
            let hosts: [&[&str]; 3] =
                [&["claude", "codex"], &["portable"], &["cursor", "claude", "portable"]];
            put("agent-bundle.toml", &manifest(word, hosts[random.below(hosts.len())]));
            format!("manifest says {word}")
        }
        11 => {
            let layout = "import { Agent } from '@agent-bundle/runtime';\nexport default ({ children }) => <Agent.Result>{children}</Agent.Result>;\n";
            if random.below(2) == 0 {
                put("src/layout.tsx", layout)
            } else {
                remove(project, "src/layout.tsx")
            }
            "layout".to_owned()
        }
        12 => {
            put("assets/note.txt", word);
            format!("asset says {word}")
        }
        13 => {
            put(&format!("src/commands/{name}.md"), &format!("---\ndescription: {word}\n---\n{word}\n"));
            format!("command {name} says {word}")
        }
        14 => {
            remove(project, &format!("src/commands/{name}.md"));
            format!("command {name} removed")
        }
        _ => {
            if project.path(&route).exists() {
                let from = fs::read_to_string(project.path(&route)).unwrap();
                let broken = from.replacen("defineTool(", "defineTool((", 1);
                put(&route, if random.below(2) == 0 { &broken } else { &from });
            }
            format!("tool {name} perhaps broken")
        }
    }
}

/// Code, message and place of every finding.
fn story(run: &Run) -> Vec<String> {
    run.findings().iter().map(|one| format!("{} {} {}", one.code(), one.path(), one.message())).collect()
}

#[test]
fn incremental_builds_equal_clean_ones() {
    let seed = variable("AGENT_BUNDLE_WALK_SEED").unwrap_or(20_261_130).max(1);
    let steps = variable("AGENT_BUNDLE_WALK_STEPS").map_or(STEPS, |steps| usize::try_from(steps).unwrap());
    let mut random = Random(seed);
    let project = Project::plain().write("agent-bundle.toml", manifest("start", &["claude", "portable"]));
    project.put("src/lib/shared.ts", b"export const word = 'start';\n");
    for at in 0..steps {
        let edit = step(&project, &mut random);
        let incremental = project.build();
        let clean = Project::empty_in("clean").copy_from(project.root()).remove_if_there("artifact");
        let expected = clean.build();
        let place = format!("seed {seed}, step {at}: {edit}");
        assert_eq!(incremental.code, expected.code, "{place}\n{}\n{}", incremental.stderr, expected.stderr);
        assert_eq!(story(&incremental), story(&expected), "{place}");
        if expected.code == 0 {
            let (have, want) = (project.artifact(), clean.artifact());
            assert!(have == want, "{place}: the artifacts differ in {:#?}", have.differing(&want));
        }
        assert!(!clean.beside(STORE).join("v1/tmp").join("left").exists());
    }
}
