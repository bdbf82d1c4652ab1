//! A folder of `tests/cases` is a case: its files are laid over the fixture `plain`, which is built before and after.
//! `report.snap` holds what the second build says.

use crate::support::{Project, Run, Tree, repository};
use std::fmt::Write;

/// Builds the case; gives both runs of the changed project, as JSON and as text, and the tree from before.
fn build(name: &str) -> (Project, Run, Run, Tree) {
    let project = Project::plain();
    project.built();
    let before = project.artifact();
    let project = project.copy_from(&repository(&format!("tests/cases/{name}")));
    let json = project.build();
    let text = project.run(["build"]);
    assert_eq!(json.code, text.code, "--json changes what is printed, not what happens");
    (project, json, text, before)
}

fn snapshot(name: &str, json: &Run, text: &Run) {
    let mut report = String::new();
    for finding in json.findings() {
        let span = match &finding.0["span"] {
            serde_json::Value::Null => "no place".to_owned(),
            span => format!("{} {}..{}", finding.path(), span["start"], span["end"]),
        };
        let _ = writeln!(report, "{} {} at {span}", finding.0["severity"].as_str().unwrap(), finding.code());
    }
    let _ = write!(report, "\nexit {}\n\n{}", text.code, text.stderr);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(repository(&format!("tests/cases/{name}")));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("report", report));
}

fn refused(name: &str, codes: &[&str]) {
    let (project, json, text, before) = build(name);
    assert_eq!(json.codes(), codes);
    json_refusal(&project, &json, &before);
    assert_eq!(text.stdout, "", "a failure prints nothing on standard output");
    snapshot(name, &json, &text);
}

/// What every refusal has in common.
pub fn json_refusal(project: &Project, run: &Run, before: &Tree) {
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(!run.errors().is_empty(), "{}", run.stdout);
    for finding in run.findings() {
        assert!(!finding.code().is_empty() && !finding.message().is_empty(), "{finding:#?}");
        assert!(!finding.help().is_empty(), "it must say what to do: {finding:#?}");
    }
    project.artifact().same_as(before);
    let left = std::fs::read_dir(project.root()).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().contains(".stage-")).collect();
    assert!(left.is_empty(), "{left:?}");
}

fn accepted(name: &str) {
    let (_project, json, text, _) = build(name);
    assert_eq!((json.code, json.codes()), (0, Vec::new()));
    assert!(text.stdout.starts_with("Built plain to artifact for "), "{}", text.stdout);
    snapshot(name, &json, &text);
}

/// One test a folder; a folder without a test fails [`every_folder_is_a_case`].
macro_rules! cases {
    ($($test:ident $folder:literal $outcome:ident $(($($code:literal)*))?;)*) => {
        const FOLDERS: &[&str] = &[$($folder),*];
        $(
            #[test]
            fn $test() {
                $outcome($folder $(, &[$($code),*])?);
            }
        )*
    };
}

cases! {
    a_manifest_that_is_no_toml "manifest-broken" refused("AB1001");
    an_unknown_key "manifest-unknown-key" refused("AB1002" "AB1002");
    a_value_of_the_wrong_shape "manifest-wrong-shape" refused("AB1003");
    an_unknown_target "target-unknown" refused("AB4100");
    two_modules_with_one_id "two-modules-one-id" refused("AB4810" "AB4802");
    syntax_errors_in_three_modules "syntax-errors" refused("AB2000" "AB2000" "AB2000");
    a_wrapped_define_tool "define-tool-wrapped" refused("AB4810");
    an_aliased_define_tool "define-tool-aliased" refused("AB4810");
    missing_schemas "schemas-missing" refused("AB4810" "AB4810");
    metadata_that_are_computed "metadata-computed" refused("AB4806");
    a_tool_name_that_no_host_takes "tool-name-too-long" refused("claude.mcp.tool.name.long");
    a_tool_name_that_is_no_identity "tool-name-not-an-identity" refused("AB4803");
    a_missing_package "package-missing" refused("AB2009");
    a_missing_file "file-missing" refused("AB2002");
    an_output_in_the_sources "output-in-sources" refused("AB4709");
    documents_in_places_that_are_not_read "documents-in-old-places" refused("AB4736" "AB4736");
    an_entry_without_a_factory "entry-without-factory" refused("AB4730");
    an_entry_that_is_not_there "entry-missing" refused("AB4307");
    a_skill_with_everything_wrong "skill-broken" refused("AB4004" "AB4003" "AB3006" "AB4005");
    private_files_are_no_routes "private-files" accepted;
    a_renamed_import_of_define_tool "define-tool-renamed-import" accepted;
    documents_that_some_hosts_do_not_take "documents-on-unable-hosts" accepted;
}

#[test]
fn every_folder_is_a_case() {
    let folders = std::fs::read_dir(repository("tests/cases")).unwrap();
    let mut found: Vec<String> =
        folders.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    found.sort();
    let mut known = FOLDERS.to_vec();
    known.sort_unstable();
    assert_eq!(found, known);
}
