//! What a folder of cases cannot hold: links, odd bytes, odd sizes, directories in the place of files.

use crate::cases::json_refusal;
use crate::support::{Project, Run};

/// Builds the plain project, changes it, and insists that the build is refused with these codes.
fn refused(change: impl FnOnce(Project) -> Project, codes: &[&str]) -> (Project, Run) {
    let project = Project::plain();
    project.built();
    let before = project.artifact();
    let project = change(project);
    let run = project.build();
    assert_eq!(run.codes(), codes, "{}", run.stdout);
    json_refusal(&project, &run, &before);
    (project, run)
}

#[test]
fn no_manifest() {
    let (_, run) = refused(|project| project.remove("agent-bundle.toml"), &["AB1000"]);
    assert!(run.finding("AB1000").help().contains("agent-bundle init"));
}

#[test]
fn a_root_that_is_not_there() {
    let project = Project::plain();
    let run = project.run(["build", "--json", "--root", "nowhere"]);
    assert_eq!((run.code, run.codes()), (1, vec!["AB5005".to_owned()]));
    let run = project.run(["build", "--json", "--root", "package.json"]);
    assert_eq!((run.code, run.codes()), (1, vec!["AB5005".to_owned()]));
}

#[test]
fn a_directory_where_the_manifest_is_meant() {
    let change = |project: Project| project.remove("agent-bundle.toml").write("agent-bundle.toml/x", "");
    refused(change, &["AB2006"]);
}

#[test]
fn a_directory_where_a_module_is_meant() {
    let change = |project: Project| {
        let echo = "src/mcp/main/tools/echo.tsx";
        project.remove(echo).write(&format!("{echo}/index.tsx"), "export default 1;\n")
    };
    let (_, run) = refused(change, &["AB2006"]);
    assert_eq!(run.finding("AB2006").path(), "src/mcp/main/tools/echo.tsx");
}

#[test]
fn a_directory_where_a_skill_document_is_meant() {
    let (_, run) = refused(|project| project.write("src/skills/odd/SKILL.md/x", ""), &["AB2006"]);
    assert_eq!(run.finding("AB2006").path(), "src/skills/odd/SKILL.md");
}

#[test]
fn a_link_out_of_the_project() {
    let change = |project: Project| {
        let outside = project.beside("outside.tsx");
        std::fs::copy(project.path("src/mcp/main/tools/echo.tsx"), &outside).unwrap();
        project.link(outside, "src/mcp/main/tools/linked.tsx")
    };
    let (_, run) = refused(change, &["AB2004"]);
    assert_eq!(run.finding("AB2004").path(), "src/mcp/main/tools/linked.tsx");
}

#[test]
fn a_linked_asset_out_of_the_project() {
    let change = |project: Project| {
        let outside = project.beside("secret.txt");
        std::fs::write(&outside, "secret").unwrap();
        project.link(outside, "assets/secret.txt")
    };
    let (_, run) = refused(change, &["AB2004"]);
    assert_eq!(run.finding("AB2004").path(), "assets/secret.txt");
}

#[test]
fn a_module_that_is_not_utf_8() {
    let odd = b"export const config = { title: 'caf\xe9' };\n";
    let (project, run) = refused(|project| project.write("src/mcp/main/tools/odd.tsx", odd), &["AB2001"]);
    let finding = run.finding("AB2001");
    assert_eq!(finding.path(), "src/mcp/main/tools/odd.tsx");
    // It is rendered all the same.
    assert!(project.run(["build"]).stderr.contains("src/mcp/main/tools/odd.tsx"));
}

#[test]
fn a_manifest_that_is_not_utf_8() {
    refused(|project| project.write("agent-bundle.toml", b"[plugin]\nname = \"\xff\"\n"), &["AB2001"]);
}

#[test]
fn a_module_of_twenty_megabytes() {
    let long = format!("export const text = '{}';\n", "x".repeat(20 << 20));
    let (_, run) = refused(|project| project.write("src/mcp/main/tools/long.tsx", long), &["AB2003"]);
    assert_eq!(run.finding("AB2003").path(), "src/mcp/main/tools/long.tsx");
}

#[test]
fn a_module_nested_without_end() {
    let deep = format!("export const deep = {}1{};\n", "[".repeat(100_000), "]".repeat(100_000));
    let (_, run) = refused(|project| project.write("src/mcp/main/tools/deep.tsx", deep), &["AB2003"]);
    assert_eq!(run.finding("AB2003").path(), "src/mcp/main/tools/deep.tsx");
}

#[test]
fn a_package_that_is_missing_is_shown_at_its_import() {
    let change = |project: Project| {
        project.write("node_modules/near/package.json", "{}").tool(
            "far",
            "import { far } from '@far/away/deep';",
            "far",
        )
    };
    let (project, run) = refused(change, &["AB2002"]);
    let finding = run.finding("AB2002");
    assert_eq!(finding.quoted(project.root()), "'@far/away/deep'");
    assert!(finding.help().contains("npm install @far/away"), "{finding:#?}");
}

#[test]
fn problems_of_many_rooms_come_in_one_report() {
    let change = |project: Project| {
        project
            .edit("agent-bundle.toml", "[plugin]", "[output]\npath = \"src/out\"\n\n[plugin]")
            .write("src/mcp/main/tools/broken.tsx", "export default (")
            .write("src/providers/empty.ts", "export const x = 1;\n")
            .write("src/skills/none/SKILL.md", "no frontmatter\n")
    };
    let (_, run) = refused(change, &["AB4709", "AB2000", "AB4940", "AB3001"]);
    let paths: Vec<String> = run.errors().iter().map(|finding| finding.path().to_owned()).collect();
    let expected = [
        "agent-bundle.toml",
        "src/mcp/main/tools/broken.tsx",
        "src/providers/empty.ts",
        "src/skills/none/SKILL.md",
    ];
    assert_eq!(paths, expected);
}

#[test]
fn a_pipe_among_the_sources_is_not_waited_for() {
    let pipe = |project: &Project, path: &str| {
        let made = std::process::Command::new("mkfifo").arg(project.path(path)).status();
        assert!(made.is_ok_and(|status| status.success()), "{path}");
    };
    for path in ["assets/p", "src/mcp/main/tools/p.tsx", "src/commands/p.md"] {
        let project = Project::plain().write("assets/x", "").write("src/commands/x.md", "Say it.\n");
        pipe(&project, path);
        assert_eq!(project.build().exited(1).codes(), ["AB2006"], "{path}");
    }
    let project = Project::plain().remove("agent-bundle.toml");
    pipe(&project, "agent-bundle.toml");
    assert_eq!(project.build().exited(1).codes(), ["AB2005"]);
}

#[test]
fn a_setting_below_a_table_by_mistake_is_sent_above_it() {
    let project =
        Project::plain().write("agent-bundle.toml", "[plugin]\nname = \"x\"\ntargets = [\"claude\"]\n");
    let run = project.build().exited(1);
    assert!(run.finding("AB1002").help().contains("above the first line in brackets"), "{}", run.stdout);
}

#[test]
fn servers_have_names_that_can_be_names() {
    let change = |project: Project| {
        let text = std::fs::read_to_string(project.path("agent-bundle.toml")).unwrap();
        project.write(
            "agent-bundle.toml",
            format!("{text}\n[mcp.servers.\"-x/../y\"]\ncommand = \"x\"\n").as_str(),
        )
    };
    refused(change, &["AB4803"]);
}

#[test]
fn a_package_file_that_is_no_json_is_one_finding() {
    let (project, run) = refused(|project| project.write("package.json", "{\"name\": \"x\",}"), &["AB4011"]);
    assert_eq!(run.finding("AB4011").quoted(project.root()), "}");
}
