//! `cargo xtask bench`: this program and its peers on the same synthetic projects, in one run.

mod bundles;
mod checking;
pub mod floor;
mod generate;
mod machine;
mod measure;
mod ours;
mod peers;
mod sources;
mod table;

use crate::root;
use generate::{Project, copy, remove, workspace};
use measure::{Job, Sample};
use ours::{Ours, Scenario};
use peers::{Peer, Peers, esbuild_many};
use sources::Dialect;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use table::{Group, Subject};

/// Where the table goes.
const DOCUMENT: &str = "docs/performance.md";

/// Rounds of what takes long.
const LARGE_ROUNDS: u32 = 3;

struct Options {
    binary: Option<PathBuf>,
    rounds: u32,
    tools: Vec<usize>,
    workspace: bool,
    keep: bool,
    write: bool,
}

impl Options {
    fn from(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self {
            binary: None,
            rounds: 5,
            tools: vec![10, 100, 1_000],
            workspace: false,
            keep: false,
            write: true,
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--binary" => {
                    let path = std::path::absolute(value()?).map_err(|error| error.to_string())?;
                    options.binary = Some(path);
                }
                "--rounds" => {
                    options.rounds = value()?.parse().map_err(|error| format!("--rounds: {error}"))?;
                }
                "--quick" => (options.rounds, options.tools, options.write) = (3, vec![10, 100], false),
                "--full" => {
                    (options.tools, options.workspace) = (vec![10, 100, 1_000, 10_000], true);
                }
                "--keep" => options.keep = true,
                other => return Err(format!("bench does not know {other}")),
            }
        }
        Ok(options)
    }
}

/// Measures, prints the tables and puts them into the document.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let options = Options::from(arguments)?;
    let binary = options.binary.clone().map_or_else(release_build, Ok)?;
    let peers = Peers::install();
    if let Err(problem) = &peers {
        eprintln!("the peers cannot be measured: {problem}");
    }
    // Below the peers, so that their packages are found from every project.
    let base = peers.as_ref().map_or_else(|_| std::env::temp_dir(), |peers| peers.directory.clone());
    let work = base.join(format!("work-{}", std::process::id()));
    let measured = measure_all(&options, &binary, &peers, &work);
    let checked = checking::table(&binary, &work, options.rounds);
    let bundles = bundles::table(&binary, &work.join("bundles"), options.rounds);
    if !options.keep {
        remove(&work)?;
    }
    let facts = machine::facts(peers.as_ref().ok(), options.rounds);
    let text = format!("{facts}\n{}{}\n{}", table::tables(&measured?), checked?, bundles?);
    println!("{text}");
    if options.write {
        let path = root().join(DOCUMENT);
        let document = fs::read_to_string(&path).map_err(|error| format!("{DOCUMENT}: {error}"))?;
        let document = table::insert(&document, &text).ok_or(format!("{DOCUMENT} has lost its markers"))?;
        fs::write(&path, document).map_err(|error| format!("{DOCUMENT}: {error}"))?;
    }
    Ok(())
}

fn release_build() -> Result<PathBuf, String> {
    let cargo = Command::new("cargo")
        .args(["build", "--release", "--bin", "agent-bundle", "--example", "parse"])
        .current_dir(root())
        .status();
    if !cargo.is_ok_and(|status| status.success()) {
        return Err("the release build failed".to_owned());
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(target.join("release/agent-bundle"))
}

/// The peers as far as they are there, and what they have been prepared to build.
struct Field {
    peers: Result<Peers, String>,
    prepared: Vec<(Peer, Result<Project, String>)>,
}

impl Field {
    fn new(peers: &Result<Peers, String>, work: &Path, tools: usize) -> Self {
        let prepare = |peer: Peer| {
            let project = match (peers, peer) {
                // It takes most of a minute for a thousand tools, and grows faster than their number.
                (_, Peer::Xmcp) if tools > 100 => Err("not run at this size, it takes minutes".to_owned()),
                (_, Peer::Turbo) if tools > 1_000 => Err("not run at this size".to_owned()),
                (Ok(peers), _) => peer.prepare(peers, work, tools),
                (Err(problem), _) => Err(problem.clone()),
            };
            (peer, project)
        };
        let prepared = [Peer::Esbuild, Peer::Rolldown, Peer::Xmcp, Peer::Turbo].map(prepare).into();
        Self { peers: peers.clone(), prepared }
    }

    /// One build of a project whose tool was just edited, and one more where that is another matter.
    fn round(&self, peer: Peer, round: u32, group: &mut Group) {
        let Some((_, project)) = self.prepared.iter().find(|(known, _)| *known == peer) else { return };
        let edited = Subject::Peer(peer, false);
        if group.has_failed(edited) {
            return;
        }
        let build = |edit: bool| -> Result<Sample, String> {
            let (peers, project) = (self.peers.as_ref()?, project.as_ref()?);
            if edit {
                peer.edit(project, round)?;
            }
            peer.job(peers, project).run()
        };
        group.add(edited, build(true).map_err(|problem: String| problem));
        if peer == Peer::Turbo && !group.has_failed(edited) {
            group.add(Subject::Peer(peer, true), build(false));
        }
    }
}

fn measure_all(
    options: &Options,
    binary: &Path,
    peers: &Result<Peers, String>,
    work: &Path,
) -> Result<Vec<Group>, String> {
    let mut groups = Vec::new();
    let mut cases = Vec::new();
    for &tools in &options.tools {
        let root = work.join(format!("routes-{tools}"));
        let project = Project { root: root.clone(), dialect: Dialect::Routes, tools };
        project.write("weights")?;
        packages(peers, &root)?;
        cases.push((Ours::new(binary, &root, vec![project]), root, Field::new(peers, work, tools)));
        groups.push(Group::new(format!("{} tools", grouped(tools)), Some(tools)));
    }
    for round in 0..=options.rounds {
        for ((ours, root, field), group) in cases.iter().zip(&mut groups) {
            // Large ones speak for themselves sooner, and take long.
            let is_large = group.tools.is_some_and(|tools| tools > 1_000);
            if is_large && (round == 0 || round > LARGE_ROUNDS) {
                continue;
            }
            // The first round warms the caches of the system and counts for nothing.
            let mut unheard = Group::new("warming up:".to_owned(), None);
            let counted = if round == 0 { &mut unheard } else { &mut *group };
            if round > 0 {
                eprintln!("round {round} of {}: {}", options.rounds, counted.title);
            }
            single(ours, root, field, round, counted)?;
        }
    }
    if options.workspace {
        groups.push(many(options, binary, peers, work)?);
    }
    Ok(groups)
}

/// A round of one size. esbuild runs between the others, so that a busy moment meets all alike.
fn single(ours: &Ours, root: &Path, field: &Field, round: u32, group: &mut Group) -> Result<(), String> {
    let own = |scenario: Scenario, group: &mut Group| {
        ours.run(scenario, round).map(|sample| group.add(Subject::Ours(scenario), Ok(sample)))
    };
    own(Scenario::Cold, group)?;
    field.round(Peer::Esbuild, round, group);
    own(Scenario::Unchanged, group)?;
    let floor = ours.depfile().and_then(|depfile| floor::job(root, &depfile)).and_then(|job| job.run());
    own(Scenario::Handler, group)?;
    own(Scenario::Unchanged, group)?;
    field.round(Peer::Esbuild, round, group);
    own(Scenario::Comment, group)?;
    own(Scenario::Unchanged, group)?;
    own(Scenario::Description, group)?;
    field.round(Peer::Esbuild, round, group);
    own(Scenario::Checkout, group)?;
    for peer in [Peer::Rolldown, Peer::Xmcp, Peer::Turbo] {
        field.round(peer, round, group);
    }
    group.add(Subject::Floor, floor);
    Ok(())
}

/// 200 projects of ten tools under one root manifest.
fn many(
    options: &Options,
    binary: &Path,
    peers: &Result<Peers, String>,
    work: &Path,
) -> Result<Group, String> {
    let root = work.join("routes-200x10");
    let projects = workspace(&root, 200, 10)?;
    packages(peers, &root)?;
    let ours = Ours::new(binary, &root, projects);
    let esbuild = peers.as_ref().map_err(Clone::clone).and_then(|peers| esbuild_many(peers, work, 200, 10));
    let mut group = Group::new("200 projects of 10 tools".to_owned(), None);
    for round in 0..=options.rounds.min(LARGE_ROUNDS) {
        let mut unheard = Group::new("warming up:".to_owned(), None);
        let counted = if round == 0 { &mut unheard } else { &mut group };
        for scenario in Scenario::ALL {
            counted.add(Subject::Ours(scenario), Ok(ours.run(scenario, round)?));
        }
        let job = esbuild.as_ref().map_err(Clone::clone);
        counted.add(Subject::Peer(Peer::Esbuild, false), job.and_then(Job::run));
    }
    Ok(group)
}

/// The one package that the projects use.
fn packages(peers: &Result<Peers, String>, root: &Path) -> Result<(), String> {
    let peers = peers.as_ref().map_err(|problem| format!("the projects need zod: {problem}"))?;
    copy(&peers.package("zod"), &root.join("node_modules/zod"), &[])
}

fn grouped(number: usize) -> String {
    let text = number.to_string();
    match text.len() {
        0..=3 => text,
        length => format!("{} {}", &text[..length - 3], &text[length - 3..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_choose_what_is_measured() {
        let options = |arguments: &[&str]| {
            Options::from(&arguments.iter().map(|&argument| argument.to_owned()).collect::<Vec<_>>())
        };
        let quick = options(&["--quick", "--binary", "/bin/true"]).unwrap();
        assert_eq!((quick.rounds, quick.tools, quick.write), (3, vec![10, 100], false));
        assert_eq!(quick.binary, Some(PathBuf::from("/bin/true")));
        let full = options(&["--full", "--rounds", "7"]).unwrap();
        assert_eq!((full.rounds, full.workspace), (7, true));
        assert!(options(&["--binary"]).is_err() && options(&["--slow"]).is_err());
        assert_eq!(grouped(10_000), "10 000");
    }
}
