//! One run, from the start of the machines to the closing line.

use super::{
    checks,
    effects::Effects,
    faults,
    hosts::{self, Context},
    machines::{Agents, Fleet},
    network::{Entry, enter},
    report::{self, Report},
};
use crate::arguments::ReplicaArguments;
use std::{env, path::Path, process, time::Duration};
use tempfile::TempDir;
use tokio::{runtime::Builder, task::JoinSet};

/// The number of agents with a quota, and of hosts of each.
const SPENDERS: usize = 3;
const SPENDERS_HOSTS: usize = 4;
/// The number of hosts at each replica that use the right that comes and goes.
const GUESTS: usize = 2;
/// The number of hosts at each replica that call a tool more often than its limit allows. All other hosts call it, too.
const RUSHERS: usize = 2;
/// The number of hosts whose session should answer at all times.
const PROBES: usize = 12;
/// The number of hosts that share an agent.
const HOSTS_OF_AN_AGENT: usize = 4;

/// Runs the test. Returns whether all is well.
pub(crate) fn run(arguments: &ReplicaArguments) -> Result<bool, String> {
    match enter()? {
        Entry::Ended(status) => return Ok(status.success()),
        Entry::Lacking(lacking) if env::var("CI").is_ok_and(|value| matches!(&*value, "true" | "1")) => {
            return Err(format!("this machine lacks {lacking}"));
        }
        Entry::Lacking(lacking) => {
            println!("soak: skipped, because this machine lacks {lacking}");
            return Ok(true);
        }
        Entry::Inside => {}
    }
    let folder = tempfile::Builder::new().prefix("mgp-soak-").tempdir();
    let folder = folder.map_err(|error| format!("failed to make a folder: {error}"))?;
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| format!("failed to start: {error}"))?;
    let report = runtime.block_on(async {
        tokio::select! {
            report = run_inside(arguments, folder.path()) => report,
            // The namespaces and everything in them end with this process.
            _ = tokio::signal::ctrl_c() => process::exit(130),
        }
    });
    let report = match report {
        Ok(report) => report,
        Err(error) => {
            keep(folder);
            return Err(error);
        }
    };
    println!("{}", report::table(&report));
    let problems = report.problems(arguments.slack);
    for problem in &problems {
        println!("WRONG: {problem}");
    }
    if !problems.is_empty() {
        keep(folder);
    }
    println!("{}", report::closing(&report));
    Ok(problems.is_empty())
}

/// Keeps the files of a run, with the logs of all processes.
fn keep(folder: TempDir) {
    println!("the files of the run are kept in {}", folder.keep().display());
}

async fn run_inside(arguments: &ReplicaArguments, folder: &Path) -> Result<Report, String> {
    let file = folder.join("effects");
    let ReplicaArguments { replicas, time, sessions, seed, .. } = *arguments;
    let agents = Agents {
        workers: sessions.div_ceil(HOSTS_OF_AN_AGENT),
        spenders: SPENDERS,
        quota: usize::try_from(time.as_secs()).unwrap_or(usize::MAX).max(10),
    };
    let mut fleet = Fleet::start(replicas, agents, folder, &file).await?;
    println!(
        "{replicas} replicas, {sessions} hosts, {PROBES} probes, {} hosts with a quota, {} with a right that comes and goes, {} s, seed {seed}",
        SPENDERS * SPENDERS_HOSTS,
        GUESTS * replicas,
        time.as_secs(),
    );
    let context = Context::new(fleet.address(), fleet.addresses(), seed);
    let mut running = JoinSet::new();
    for number in 0..sessions {
        running.spawn(hosts::work(context.clone(), number, agents.workers));
    }
    for number in 0..SPENDERS * SPENDERS_HOSTS {
        running.spawn(hosts::spend(context.clone(), number, number % SPENDERS, false));
    }
    for number in 0..PROBES {
        running.spawn(hosts::probe(context.clone(), number, agents.workers));
    }
    for number in 0..GUESTS * replicas {
        running.spawn(hosts::visit(context.clone(), number));
    }
    for number in 0..RUSHERS * replicas {
        running.spawn(hosts::rush(context.clone(), number, agents.workers));
    }
    running.spawn(hosts::change_rights(context.clone()));
    let windows = if arguments.has_faults {
        faults::inject(&mut fleet, seed, time, &context).await?
    } else {
        tokio::time::sleep(time).await;
        Vec::new()
    };
    tokio::time::sleep(Duration::from_secs(1)).await;
    context.stop();
    while let Some(ended) = running.join_next().await {
        ended.map_err(|error| format!("a host ended early: {error}"))?;
    }
    for agent in 0..SPENDERS {
        hosts::spend(context.clone(), agent, agent, true).await;
    }
    hosts::settle(&context).await;
    for replica in &mut fleet.replicas {
        replica.end().await?;
    }
    let (book, outcomes, effects) = (context.ledger.book(), context.outcomes.book(), Effects::read(&file)?);
    Ok(Report {
        operations: checks::operations(&outcomes, &effects),
        sagas: checks::sagas(&outcomes, &effects),
        quotas: checks::quotas(&outcomes, &effects, agents),
        rates: checks::rates(&outcomes, &effects),
        rights: checks::rights(&outcomes, &effects),
        sessions: checks::sessions(&outcomes, &windows),
        trails: checks::trails(&fleet.replicas, &book)?,
        book,
        outcomes,
    })
}
