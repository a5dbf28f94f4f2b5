//! Measures the time that confinement adds to the start of a program.

use crate::{check::start, ground::Owner, run::Run};
use mgp_security::confine::{ConfinementRunner, LandlockAbi};
use std::{
    error::Error,
    time::{Duration, Instant},
};

/// The number of starts in each way.
const STARTS: usize = 60;

/// Prints the median time from the start of a program that does nothing to its end, with each version of Landlock and in each of the runs that
/// have few permissions.
pub(crate) async fn print(
    versions: &[LandlockAbi],
    runner: ConfinementRunner,
    runs: &[Run],
) -> Result<(), Box<dyn Error>> {
    let measured = [Run::Free, Run::Plain, Run::Hosts];
    let measured: Vec<_> =
        measured.into_iter().filter(|run| *run == Run::Free || runs.contains(run)).collect();
    for version in versions {
        print_one(*version, runner, &measured).await?;
    }
    Ok(())
}

async fn print_one(
    version: LandlockAbi,
    runner: ConfinementRunner,
    runs: &[Run],
) -> Result<(), Box<dyn Error>> {
    let owner = Owner::new()?;
    let mut times: Vec<_> = runs.iter().map(|run| (*run, Vec::new())).collect();
    for _ in 0..STARTS {
        for (run, times) in &mut times {
            let began = Instant::now();
            let mut process = start(&["nothing"], &owner.ground, (*run, version, runner)).await?;
            process.wait().await?;
            times.push(began.elapsed());
        }
    }
    let times = times.into_iter().map(|(run, times)| {
        let time = median(times).as_secs_f64() * 1e3;
        format!("{time:.1} ms {}", run.as_str())
    });
    println!(
        "by Landlock {version} ({}), a start takes {} (medians of {STARTS})",
        runner.as_str(),
        times.collect::<Vec<_>>().join(", ")
    );
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
