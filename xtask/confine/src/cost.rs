//! Measures the time that confinement adds to the start of a program.

use crate::{check::start, ground::Owner, run::Run};
use mgp_security::confine::{ConfinementRunner, LandlockAbi};
use std::{
    error::Error,
    time::{Duration, Instant},
};

/// The number of starts in each way.
const STARTS: usize = 60;

/// Prints the median time from the start of a program that does nothing to its end, with each version of Landlock.
pub(crate) async fn print(versions: &[LandlockAbi], runner: ConfinementRunner) -> Result<(), Box<dyn Error>> {
    for version in versions {
        print_one(*version, runner).await?;
    }
    Ok(())
}

async fn print_one(version: LandlockAbi, runner: ConfinementRunner) -> Result<(), Box<dyn Error>> {
    let owner = Owner::new()?;
    let mut times = [Run::Free, Run::Plain, Run::Hosts].map(|run| (run, Vec::new()));
    for _ in 0..STARTS {
        for (run, times) in &mut times {
            let began = Instant::now();
            let mut process = start(&["nothing"], &owner.ground, (*run, version, runner)).await?;
            process.wait().await?;
            times.push(began.elapsed());
        }
    }
    let [free, confined, with_hosts] = times.map(|(_, times)| median(times).as_secs_f64() * 1e3);
    println!(
        "by Landlock {version} ({}), a start takes {free:.1} ms without confinement, {confined:.1} ms confined, {with_hosts:.1} ms confined with an allowed host (medians of {STARTS})",
        runner.as_str()
    );
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
