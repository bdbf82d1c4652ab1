//! `validate` beside the bare parser, on modules that are right and on as many with a fault each.

use super::generate::{Project, write};
use super::measure::{Job, Sample, summarize};
use super::sources::Dialect;
use super::table::{milliseconds, ratio};
use std::path::{Path, PathBuf};

const MODULES: usize = 1_000;

struct Case {
    title: &'static str,
    root: PathBuf,
    /// What `validate` ends with.
    code: i32,
}

/// Measures both and gives the table.
pub fn table(binary: &Path, work: &Path, rounds: u32) -> Result<String, String> {
    let cases = [case(work, "no fault", false)?, case(work, "a fault in each", true)?];
    let parser = binary.with_file_name("examples").join("parse");
    if !parser.exists() {
        let reason = "The bare parser was not measured: there is no `examples/parse` beside the program.\n\n";
        return Ok(reason.to_owned());
    }
    let mut text = format!(
        "### Checking {MODULES} modules\n\n| | validate, ms | processors, ms | bare parser, ms | processors, ms | \
         ratio |\n| --- | ---: | ---: | ---: | ---: | ---: |\n"
    );
    for case in cases {
        let (mut ours, mut bare) = (Vec::new(), Vec::new());
        for round in 0..=rounds {
            let samples = (validate(binary, &case).run()?, parse(&parser, &case).run()?);
            // The first round warms the caches of the system.
            if round > 0 {
                ours.push(samples.0);
                bare.push(samples.1);
            }
        }
        text.push_str(&row(case.title, &ours, &bare));
    }
    Ok(text + "\n")
}

fn row(title: &str, ours: &[Sample], bare: &[Sample]) -> String {
    let (Some(ours), Some(bare)) = (summarize(ours), summarize(bare)) else { return String::new() };
    let (ours, bare) = (ours.median, bare.median);
    let share = format!("{} ({})", ratio(ours.wall / bare.wall), ratio(ours.cpu / bare.cpu));
    let cells = [ours.wall, ours.cpu, bare.wall, bare.cpu].map(milliseconds).join(" | ");
    format!("| {title} | {cells} | {share} |\n")
}

fn validate(binary: &Path, case: &Case) -> Job {
    let root = case.root.display().to_string();
    let job = Job::new(binary, &["validate", "--quiet", "--root", &root], Path::new("/"));
    Job { code: case.code, ..job }
}

fn parse(parser: &Path, case: &Case) -> Job {
    Job::new(parser, &[&case.root.display().to_string()], Path::new("/"))
}

fn case(work: &Path, title: &'static str, is_faulty: bool) -> Result<Case, String> {
    let root = work.join(format!("checked-{is_faulty}"));
    let project = Project { root: root.clone(), dialect: Dialect::Routes, tools: MODULES };
    for (path, text) in project.files("weights") {
        // What is computed cannot be read without running the module.
        let text = if is_faulty { text.replace("title: 'Weigh ", "title: 'Weigh' + '") } else { text };
        write(&root.join(path), &text)?;
    }
    Ok(Case { title, root, code: i32::from(is_faulty) })
}
