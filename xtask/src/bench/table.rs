//! What was measured, as Markdown.

use super::measure::{Sample, Summary, summarize};
use super::ours::Scenario;
use super::peers::Peer;

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// This program.
    Ours(Scenario),
    /// A peer; `true` where it has seen the sources before.
    Peer(Peer, bool),
    /// The bare loop over an index and the files.
    Floor,
}

impl Subject {
    fn name(self) -> String {
        match self {
            Self::Ours(scenario) => scenario.name().to_owned(),
            Self::Peer(Peer::Esbuild, _) => "esbuild, native program".to_owned(),
            Self::Peer(Peer::Rolldown, _) => "rolldown, from Node.js".to_owned(),
            Self::Peer(Peer::Xmcp, _) => "xmcp, no type check".to_owned(),
            Self::Peer(Peer::Turbo, true) => "turbo, nothing changed".to_owned(),
            Self::Peer(Peer::Turbo, false) => "turbo, a tool edited".to_owned(),
            Self::Floor => "bare loop".to_owned(),
        }
    }
}

/// A row: its samples, or why there are none.
#[derive(Debug, Clone)]
pub struct Row {
    /// What was run.
    pub subject: Subject,
    /// Of every round.
    pub samples: Vec<Sample>,
    /// Why it was not run, or no more.
    pub problem: Option<String>,
}

/// All that was measured on projects of one size.
#[derive(Debug, Clone)]
pub struct Group {
    /// Title.
    pub title: String,
    /// Tools of a single project; `None` of a workspace.
    pub tools: Option<usize>,
    /// In the order in which they were first run.
    pub rows: Vec<Row>,
}

impl Group {
    /// An empty group.
    pub fn new(title: String, tools: Option<usize>) -> Self {
        Self { title, tools, rows: Vec::new() }
    }

    fn row(&mut self, subject: Subject) -> &mut Row {
        let at = self.rows.iter().position(|row| row.subject == subject).unwrap_or_else(|| {
            self.rows.push(Row { subject, samples: Vec::new(), problem: None });
            self.rows.len() - 1
        });
        &mut self.rows[at]
    }

    /// Takes a result in.
    pub fn add(&mut self, subject: Subject, result: Result<Sample, String>) {
        // A long run that is broken off has said what it knew.
        match &result {
            Ok(Sample { wall, cpu, peak }) => eprintln!(
                "{} {}: {} ms, {} ms of processors, {peak:.0} MB",
                self.title,
                subject.name(),
                milliseconds(*wall),
                milliseconds(*cpu)
            ),
            Err(problem) => eprintln!("{} {}: {problem}", self.title, subject.name()),
        }
        let row = self.row(subject);
        match result {
            Ok(sample) => row.samples.push(sample),
            Err(problem) => row.problem = Some(problem),
        }
    }

    /// Whether the subject failed here before.
    pub fn has_failed(&self, subject: Subject) -> bool {
        self.rows.iter().any(|row| row.subject == subject && row.problem.is_some())
    }

    fn summary(&self, subject: Subject) -> Option<Summary> {
        summarize(&self.rows.iter().find(|row| row.subject == subject)?.samples)
    }
}

const BASE: Subject = Subject::Peer(Peer::Esbuild, false);

/// Ratios first, then everything.
pub fn tables(groups: &[Group]) -> String {
    let mut text = ratios(groups);
    text.push_str(&growth(groups));
    for group in groups {
        text.push_str(&medians(group));
    }
    text
}

/// This program against one full build with esbuild, by size.
fn ratios(groups: &[Group]) -> String {
    let base = |group: &Group| group.summary(BASE).map(|base| base.median);
    let mut text = String::from(
        "Wall time as a share of esbuild's full build of the same tools; in brackets, processor time as a share of it. \
         The last rows have other measures.\n\n",
    );
    text.push_str(&header(groups));
    for scenario in Scenario::ALL {
        let cells = groups.iter().map(|group| {
            let ours = group.summary(Subject::Ours(scenario))?.median;
            let base = base(group)?;
            Some(format!("{} ({})", ratio(ours.wall / base.wall), ratio(ours.cpu / base.cpu)))
        });
        text.push_str(&line(scenario.name(), cells));
    }
    let of = |over: Subject, under: Subject| {
        move |group: &Group| {
            let (over, under) = (group.summary(over)?.median, group.summary(under)?.median);
            Some(format!("{} ({})", ratio(over.wall / under.wall), ratio(over.cpu / under.cpu)))
        }
    };
    let checkout = of(Subject::Ours(Scenario::Checkout), Subject::Ours(Scenario::Cold));
    text.push_str(&line("fresh checkout / own cold build", groups.iter().map(checkout)));
    let floor = of(Subject::Ours(Scenario::Unchanged), Subject::Floor);
    text.push_str(&line("nothing changed / bare loop", groups.iter().map(floor)));
    text + "\n"
}

/// What ten times the tools cost.
fn growth(groups: &[Group]) -> String {
    let sized = |tools: usize| groups.iter().find(|group| group.tools == Some(tools));
    let (Some(small), Some(large)) = (sized(1_000), sized(10_000)) else { return String::new() };
    let mut text = String::from("From 1 000 to 10 000 tools, wall time grows");
    let parts = [Subject::Ours(Scenario::Unchanged), Subject::Ours(Scenario::Cold), BASE].map(|subject| {
        let (small, large) = (small.summary(subject)?.median.wall, large.summary(subject)?.median.wall);
        let name = match subject {
            Subject::Ours(scenario) => scenario.name(),
            _ => "esbuild",
        };
        Some(format!(" {:.1}-fold ({name})", large / small))
    });
    text.push_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(","));
    text + ".\n\n"
}

fn medians(group: &Group) -> String {
    let base = group.summary(BASE).map(|base| base.median);
    let mut text = format!(
        "### {}\n\n| | wall, ms | least, ms | processors, ms | peak, MB | of esbuild |\n\
         | --- | ---: | ---: | ---: | ---: | ---: |\n",
        group.title
    );
    let mut rows: Vec<&Row> = group.rows.iter().collect();
    rows.sort_by_key(|row| row.subject);
    for row in rows {
        let name = row.subject.name();
        match (summarize(&row.samples), &row.problem) {
            (Some(found), _) => {
                let Sample { wall, cpu, peak } = found.median;
                let share = base.map_or(String::new(), |base| ratio(wall / base.wall));
                let (wall, least, cpu) = (milliseconds(wall), milliseconds(found.least), milliseconds(cpu));
                text.push_str(&format!("| {name} | {wall} | {least} | {cpu} | {peak:.0} | {share} |\n"));
            }
            (None, problem) => {
                let problem = problem.as_deref().unwrap_or("not run").lines().next().unwrap_or_default();
                text.push_str(&format!("| {name} | {} | | | | |\n", problem.replace('|', "\\|")));
            }
        }
    }
    text + "\n"
}

fn header(groups: &[Group]) -> String {
    let titles: Vec<&str> = groups.iter().map(|group| group.title.as_str()).collect();
    format!("| | {} |\n| --- |{}\n", titles.join(" | "), " ---: |".repeat(groups.len()))
}

fn line(name: &str, cells: impl Iterator<Item = Option<String>>) -> String {
    let cells: Vec<String> = cells.map(Option::unwrap_or_default).collect();
    format!("| {name} | {} |\n", cells.join(" | "))
}

/// A share, with as many digits as mean something.
pub fn ratio(value: f64) -> String {
    if value < 10.0 { format!("{value:.2}") } else { format!("{value:.0}") }
}

/// A time, with as many digits as mean something.
pub fn milliseconds(value: f64) -> String {
    if value < 100.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

/// The document with `table` between the markers; `None` where it has no markers.
pub fn insert(document: &str, table: &str) -> Option<String> {
    let (begin, end) = ("<!-- measured: begin -->", "<!-- measured: end -->");
    let (before, rest) = document.split_once(begin)?;
    let (_, after) = rest.split_once(end)?;
    Some(format!("{before}{begin}\n\n{}\n\n{end}{after}", table.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(tools: usize, wall: f64) -> Group {
        let sample = |wall: f64| Ok(Sample { wall, cpu: wall / 2.0, peak: 12.4 });
        let mut group = Group::new(format!("{tools} tools"), Some(tools));
        group.add(Subject::Ours(Scenario::Cold), sample(wall * 2.0));
        group.add(Subject::Ours(Scenario::Unchanged), sample(wall / 4.0));
        group.add(BASE, sample(wall));
        group.add(Subject::Floor, sample(wall / 8.0));
        group.add(Subject::Peer(Peer::Xmcp, false), Err("npm could not | be started\nmore".to_owned()));
        group
    }

    #[test]
    fn ratios_are_of_medians() {
        let text = tables(&[group(10, 80.0), group(100, 160.0)]);
        assert!(text.contains("| | 10 tools | 100 tools |\n| --- | ---: | ---: |\n"), "{text}");
        assert!(text.contains("| cold | 2.00 (2.00) | 2.00 (2.00) |\n"), "{text}");
        assert!(text.contains("| nothing changed / bare loop | 2.00 (2.00) | 2.00 (2.00) |\n"), "{text}");
        assert!(text.contains("| a handler edited |  |  |\n"), "{text}");
        assert!(text.contains("| nothing changed | 20.0 | 20.0 | 10.0 | 12 | 0.25 |\n"), "{text}");
    }

    #[test]
    fn what_could_not_be_run_says_why() {
        let text = tables(&[group(10, 80.0)]);
        assert!(text.contains("| xmcp, no type check | npm could not \\| be started | | | | |\n"), "{text}");
        assert!(!text.contains("grows"));
    }

    #[test]
    fn growth_needs_both_sizes() {
        let text = tables(&[group(1_000, 100.0), group(10_000, 900.0)]);
        assert!(
            text.contains("grows 9.0-fold (nothing changed), 9.0-fold (cold), 9.0-fold (esbuild)."),
            "{text}"
        );
    }

    #[test]
    fn the_table_goes_between_the_markers() {
        let document = "a\n<!-- measured: begin -->old<!-- measured: end -->\nb\n";
        let once = insert(document, "\nnew\n").unwrap();
        assert_eq!(once, "a\n<!-- measured: begin -->\n\nnew\n\n<!-- measured: end -->\nb\n");
        assert_eq!(insert(&once, "new"), Some(once.clone()));
        assert_eq!(insert("no markers", "new"), None);
    }
}
