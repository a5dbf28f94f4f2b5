//! The whole run: install, build, rows, the closing line.

use crate::{
    arguments::Arguments,
    groups,
    install::{Package, ensure},
    programs,
    rows::{Settings, end_all, run_rows},
    workspace,
};
use std::{process::ExitCode, sync::Arc};
use xtask_install::{interrupted, is_strict, lock};

/// The most rows that run at the same time: each starts several processes.
const AT_ONCE: usize = 3;

/// Runs the chosen rows.
pub(crate) async fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let rows: Vec<_> =
        groups::rows(arguments.features).into_iter().filter(|row| arguments.wants(&row.name)).collect();
    if rows.is_empty() {
        return Err(format!("no row is named {}", arguments.only.join(" or ")));
    }
    if arguments.list {
        rows.iter().for_each(|row| println!("{}", row.name));
        return Ok(ExitCode::SUCCESS);
    }
    // The packages may be in a target folder that several checkouts share; the rows are in this checkout.
    let _only_install = lock(&workspace::peers())?;
    let _only_run = lock(&workspace::runs())?;
    let needed: Vec<Package> = rows.iter().flat_map(|row| row.needs.iter().copied()).collect();
    let (programs, installed) =
        tokio::join!(programs::build(arguments.features), ensure(&needed, !arguments.no_install));
    let programs = programs?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let settings = Settings {
        programs: Arc::new(programs),
        installed,
        strict: is_strict(),
        at_once: cores.min(AT_ONCE),
    };
    tokio::select! {
        report = run_rows(rows, &settings) => {
            println!("\n{report}");
            Ok(if report.has_failures() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
        }
        () = interrupted() => {
            end_all(&workspace::runs()).await?;
            Err("interrupted".to_owned())
        }
    }
}
