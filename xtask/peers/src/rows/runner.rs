//! Runs rows, several at a time.

use super::{Context, Folder, Report, Row, leftovers, logs, report::Outcome};
use crate::{install::InstalledPackages, programs::Programs};
use futures_util::stream::{self, StreamExt};
use std::{sync::Arc, time::Instant};

/// The settings of all rows.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) programs: Arc<Programs>,
    pub(crate) installed: InstalledPackages,
    /// True if a missing peer is a failure.
    pub(crate) strict: bool,
    /// The number of rows that run at the same time.
    pub(crate) at_once: usize,
}

/// Runs the rows, and prints a line as each ends.
pub(crate) async fn run_rows(rows: Vec<Row>, settings: &Settings) -> Report {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or_default();
    let mut report = Report::new(width);
    let running = rows.into_iter().map(|row| async move {
        let start = Instant::now();
        let (outcome, logs) = run_row(&row, settings).await;
        (row.name, outcome, logs, start.elapsed())
    });
    let mut ended = stream::iter(running).buffer_unordered(settings.at_once.max(1));
    while let Some((name, outcome, logs, took)) = ended.next().await {
        println!("{}", report.line(&name, &outcome, took));
        if !logs.is_empty() {
            println!("{}", indented(&logs));
        }
    }
    report
}

async fn run_row(row: &Row, settings: &Settings) -> (Outcome, String) {
    if let Some(why) = settings.installed.why_missing(&row.needs).or_else(|| row.why_missing()) {
        let outcome = if settings.strict { Outcome::Failed(why) } else { Outcome::Skipped(why) };
        return (outcome, String::new());
    }
    let folder = match Folder::of_row(&row.name) {
        Ok(folder) => folder,
        Err(why) => return (Outcome::Failed(why), String::new()),
    };
    let context = Context { programs: settings.programs.clone(), folder: folder.clone() };
    let result = match tokio::time::timeout(row.timeout, (row.run)(context)).await {
        Ok(result) => result,
        Err(_) => Err(format!("took longer than {:?}", row.timeout)),
    };
    // Whatever the outcome of the row, its processes are gone before it is done.
    let swept = leftovers::sweep(folder.path()).await;
    match result.and(swept) {
        Ok(()) => (Outcome::Passed, String::new()),
        Err(why) => (Outcome::Failed(why), logs::of_row(&folder)),
    }
}

fn indented(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(|line| format!("      {line}")).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::row;
    use super::*;
    use crate::install::Package;
    use std::time::Duration;

    fn settings(strict: bool, installed: InstalledPackages) -> Settings {
        let none = Programs {
            mgp: "mgp".into(),
            add: "add".into(),
            deploy: "add".into(),
            everything: "everything".into(),
            tickets: "tickets".into(),
            conformance: "conformance-server".into(),
            myself: "peers".into(),
        };
        Settings { programs: Arc::new(none), installed, strict, at_once: 2 }
    }

    #[tokio::test]
    async fn rows_pass_fail_and_run_into_their_time_limit() {
        let mut slow = row("test/slow", &[], |_| std::future::pending());
        slow.timeout = Duration::from_millis(1);
        let rows = vec![
            row("test/good", &[], |_| async { Ok(()) }),
            row("test/bad", &[], |_| async { Err("as asked".to_owned()) }),
            slow,
        ];
        let report = run_rows(rows, &settings(false, InstalledPackages::default())).await;
        assert_eq!(report.to_string(), "1 passed, 2 failed, 0 skipped");
    }

    #[tokio::test]
    async fn a_missing_peer_is_a_failure_only_if_required() {
        for (strict, expected) in
            [(false, "0 passed, 0 failed, 1 skipped"), (true, "0 passed, 1 failed, 0 skipped")]
        {
            let rows = vec![row("test/missing", &[Package::Git], |_| async { Ok(()) })];
            let installed = InstalledPackages::without(Package::Git, "no network");
            assert_eq!(run_rows(rows, &settings(strict, installed)).await.to_string(), expected);
            let none = row("test/missing", &[], |_| async { Ok(()) }).programs(&["no-such-program"]);
            let report = run_rows(vec![none], &settings(strict, InstalledPackages::default())).await;
            assert_eq!(report.to_string(), expected);
            let none = row("test/missing", &[], |_| async { Ok(()) }).beside("no-such-folder".into());
            let report = run_rows(vec![none], &settings(strict, InstalledPackages::default())).await;
            assert_eq!(report.to_string(), expected);
        }
    }
}
