//! What may be imported, proved by running the built server.

use crate::support::Project;

/// Builds, and insists on what the tool `say` returns.
#[track_caller]
fn says(project: Project, expected: &str) -> Project {
    project.built();
    assert_eq!(project.says("say"), expected);
    project
}

#[test]
fn common_js_packages() {
    let project = Project::plain()
        .write("node_modules/old/package.json", r#"{"name": "old", "version": "1.2.3", "main": "lib"}"#)
        .write("node_modules/old/lib/index.js", "exports.word = require('./inner').word.toUpperCase();")
        .write(
            "node_modules/old/lib/inner.js",
            "const path = require('path');\nmodule.exports = { word: path.join('a', 'b') };",
        )
        .write("node_modules/old/LICENSE", "Do as you like.\n")
        .tool("say", "import old, { word } from 'old';", "word + old.word");
    let project = says(project, "A/BA/B");
    let licences = project.artifact().text("THIRD-PARTY-LICENSES.txt");
    assert!(licences.contains("old 1.2.3") && licences.contains("Do as you like."), "{licences}");
    let evidence = project.artifact().text("agent-bundle.compile-evidence.json");
    assert!(evidence.contains("old@1.2.3"), "{evidence}");
}

#[test]
fn packages_with_conditions_and_subpaths() {
    let manifest = r#"{"name": "new", "version": "1.0.0", "exports": {
        ".": {"browser": "./wrong.js", "import": "./right.mjs", "require": "./wrong.js"},
        "./sub/*": "./parts/*.mjs"}}"#;
    let project = Project::plain()
        .write("node_modules/new/package.json", manifest)
        .write("node_modules/new/right.mjs", "export const word = 'right';")
        .write("node_modules/new/wrong.js", "module.exports = { word: 'wrong' };")
        .write("node_modules/new/parts/one.mjs", "export default ' one';")
        .tool("say", "import { word } from 'new';\nimport one from 'new/sub/one';", "word + one");
    says(project, "right one");
}

#[test]
fn paths_of_the_tsconfig() {
    let project = Project::plain()
        .write("tsconfig.json", r#"{"compilerOptions": {"paths": {"~/*": ["./src/lib/*"]}}}"#)
        .write("src/lib/word.ts", "export const word = 'by path';\n")
        .tool("say", "import { word } from '~/word';", "word");
    says(project, "by path");
}

#[test]
fn json_modules() {
    let project = Project::plain()
        .write("src/lib/data.json", r#"{"word": "from json", "list": [1, 2]}"#)
        .tool("say", "import data from '../../../lib/data.json';", "data.word + data.list.length");
    says(project, "from json2");
}

#[test]
fn built_ins_with_and_without_prefix() {
    let imports = "import { join } from 'node:path';\nimport { basename } from 'path';";
    says(Project::plain().tool("say", imports, "join('a', basename('/x/b'))"), "a/b");
}

#[test]
fn dynamic_imports_of_a_literal() {
    let project = Project::plain().write("src/lib/late.ts", "export const word: string = 'late';\n").tool(
        "say",
        "",
        "(await import('../../../lib/late.js')).word",
    );
    says(project, "late");
}

#[test]
fn a_js_specifier_finds_the_typescript_file() {
    let project = Project::plain()
        .write("src/lib/one.ts", "export const one = 'ts';\n")
        .write("src/lib/two.tsx", "export const two = 'tsx';\n")
        .write("src/lib/three.mts", "export const three = 'mts';\n")
        .tool(
            "say",
            "import { one } from '../../../lib/one.js';\nimport { two } from '../../../lib/two.js';\n\
             import { three } from '../../../lib/three.mjs';",
            "one + two + three",
        );
    says(project, "tstsxmts");
}

#[test]
fn a_package_that_requires_react_gets_the_one_instance() {
    let project = Project::plain()
        .write("node_modules/react/package.json", r#"{"name": "react", "version": "0.0.1", "main": "wrong.js"}"#)
        .write("node_modules/react/wrong.js", "throw new Error('another React');")
        .write("node_modules/hooks/package.json", r#"{"name": "hooks", "version": "1.0.0"}"#)
        .write("node_modules/hooks/index.js", "exports.React = require('react');\nexports.jsx = require('react/jsx-runtime').jsx;")
        .tool(
            "say",
            "import { React, jsx } from 'hooks';\nimport * as mine from 'react';\nimport { jsx as mineJsx } from 'react/jsx-runtime';",
            "[React.createElement === mine.createElement, React.cache === mine.cache, jsx === mineJsx].join()",
        );
    says(project, "true,true,true");
}

#[test]
fn linked_packages_of_a_workspace() {
    let project = Project::plain();
    let package = project.beside("shared words");
    std::fs::create_dir_all(package.join("src")).unwrap();
    let manifest = r#"{"name": "words", "version": "2.0.0", "license": "MIT", "exports": "./src/index.ts"}"#;
    std::fs::write(package.join("package.json"), manifest).unwrap();
    std::fs::write(package.join("src/index.ts"), "export const word: string = 'linked';\n").unwrap();
    std::fs::write(package.join("package-lock.json"), "{}").unwrap();
    let project = project.link("../../shared words", "node_modules/words").tool(
        "say",
        "import { word } from 'words';",
        "word",
    );
    let project = says(project, "linked");
    // No trace of where it lies on this machine.
    let above = project.root().parent().unwrap().to_string_lossy().into_owned();
    assert_eq!(project.artifact().holding(&above), Vec::<&str>::new());
}

#[test]
fn linked_modules_inside_the_project() {
    let project = Project::plain().tool("real", "", "'through a link'");
    std::fs::rename(project.path("src/mcp/main/tools/real.tsx"), project.path("src/lib/real.tsx")).unwrap();
    let project = project
        .edit("src/lib/real.tsx", "../../../lib/schema.js", "./schema.js")
        .link("../../../lib/real.tsx", "src/mcp/main/tools/say.tsx");
    let project = says(project, "through a link");
    let index = project.artifact().json("agent-bundle.manifest.json");
    assert!(index["routes"].to_string().contains("tool:main/say"), "{index:#}");
}

#[test]
fn optional_packages_that_are_missing_stay_optional() {
    let project = Project::plain()
        .write("node_modules/soft/package.json", r#"{"name": "soft", "version": "1.0.0"}"#)
        .write(
            "node_modules/soft/index.js",
            "try { require('never-there'); } catch { exports.word = 'without'; }",
        )
        .tool("say", "import { word } from 'soft';", "word");
    says(project, "without");
}

#[test]
fn the_identity_of_the_plugin() {
    let imports = "import { name, version, meta } from 'agent-bundle/meta';";
    says(
        Project::plain().tool("say", imports, "[name, version, meta.packageName].join()"),
        "plain,1.0.0,plain",
    );
}

#[test]
fn providers_and_layouts() {
    let project = Project::plain()
        .write("src/providers/word-list.ts", "export default async () => ['from', 'a', 'provider'];\n")
        .write(
            "src/layout.tsx",
            "import { Agent } from '@agent-bundle/runtime';\nexport default ({ children }: { children: unknown }) => \
             <Agent.Result metadata={{ wrapped: true }}>{children}</Agent.Result>;\n",
        )
        .tool("say", "import { agent } from '@agent-bundle/runtime';", "(await (await agent()).provider('wordList')).join(' ')");
    let project = says(project, "from a provider");
    let result = project.call("say");
    assert!(result["_meta"].to_string().contains("\"wrapped\":true"), "{result:#}");
}

#[test]
fn imports_that_lead_out_of_the_bundle_at_run_time_are_refused() {
    let project = Project::plain().tool("say", "", "(await import(process.env.WORD ?? 'x')).word");
    let run = project.build();
    assert_eq!((run.code, run.codes()), (1, vec!["AB6005".to_owned()]), "{}", run.stdout);
    assert_eq!(run.finding("AB6005").path(), "src/mcp/main/tools/say.tsx");
}

#[test]
fn imports_that_are_left_to_luck_are_refused() {
    let project = Project::plain().write("node_modules/near/package.json", "{}").tool(
        "say",
        "const lucky = () => import('never-there').catch(() => ({ word: '' }));",
        "(await lucky()).word",
    );
    let run = project.build();
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.errors()[0].message().contains("never-there"), "{}", run.stdout);
}

#[test]
fn modules_that_node_does_not_have() {
    let run = |import: &str, value: &str| Project::plain().tool("say", import, value).build().exited(1);
    let found = run("import nope from 'node:nope';", "String(nope)");
    assert_eq!(found.codes(), ["AB2002"]);
    assert!(found.finding("AB2002").help().contains("Node.js has no such module"), "{}", found.stdout);
    let project = Project::plain().tool("say", "import wrong from 'fs/promisez';", "String(wrong)");
    let project = project.write("node_modules/.keep", "");
    let found = project.build().exited(1);
    assert!(found.finding("AB2002").help().contains("`fs` is a module of Node.js"), "{}", found.stdout);
}
