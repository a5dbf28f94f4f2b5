//! The whole run: install, build, rows, the closing line.

use crate::{
    arguments::Arguments,
    groups,
    install::{Package, ensure},
    programs,
    rows::{Settings, end_all, run_rows},
    workspace,
};
use std::{
    fs::{self, File, TryLockError},
    process::ExitCode,
    sync::Arc,
};

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
    let _only_run = lock()?;
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
        () = interrupted() => {
            end_all(&workspace::runs()).await?;
            Err("interrupted".to_owned())
        }
    }
}

/// Waits until no other run uses the same folders. The lock goes with the process.
fn lock() -> Result<File, String> {
    let path = workspace::peers().join("lock");
    let failed = |error| format!("failed to lock {}: {error}", path.display());
    fs::create_dir_all(workspace::peers()).map_err(failed)?;
    let file = File::create(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::Error(error)) => Err(failed(error)),
        Err(TryLockError::WouldBlock) => {
            eprintln!("another run is going on: waiting for its end");
            file.lock().map_err(failed)?;
            Ok(file)
        }
    }
}

#[cfg(unix)]
async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else { return std::future::pending().await };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}

#[cfg(not(unix))]
async fn interrupted() {
    let _ = tokio::signal::ctrl_c().await;
}
