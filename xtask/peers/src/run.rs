//! The whole run: install, build, rows, the closing line.

use crate::{
    arguments::Arguments,
    groups,
    install::{Package, ensure},
    programs,
    rows::{Settings, run_rows},
};
use std::{process::ExitCode, sync::Arc};

/// How many rows run at the same time at most: each starts several processes.
const AT_ONCE: usize = 3;

/// Runs the rows that are asked for.
pub(crate) async fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let rows: Vec<_> = groups::rows().into_iter().filter(|row| arguments.wants(&row.name)).collect();
    if rows.is_empty() {
        return Err(format!("no row is named {}", arguments.only.join(" or ")));
    }
    if arguments.list {
        rows.iter().for_each(|row| println!("{}", row.name));
        return Ok(ExitCode::SUCCESS);
    }
    let needed: Vec<Package> = rows.iter().flat_map(|row| row.needs.iter().copied()).collect();
    let programs = programs::build().await?;
    let installed = ensure(&needed, !arguments.no_install).await;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let settings = Settings {
        programs: Arc::new(programs),
        installed,
        strict: std::env::var("CI").is_ok_and(|ci| ci == "true" || ci == "1"),
        at_once: cores.min(AT_ONCE),
    };
    tokio::select! {
        report = run_rows(rows, &settings) => {
            println!("\n{report}");
            Ok(if report.has_failures() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
        }
        // The rows' own ends of the pipes close with this process, and what they started ends with that.
        _ = tokio::signal::ctrl_c() => Err("interrupted".to_owned()),
    }
}
