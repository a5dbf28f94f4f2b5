//! One run, from the start of the kernel to the closing line.

use crate::{
    arguments::Arguments,
    faults::{self, Processes},
    hosts::{Host, SharedState},
    kernel::{self, IDLE_TIMEOUT, RunningKernel},
    ledger::{Ledger, audit},
    report::{self, LeftoverCounts, Memory, Outcome},
    wire::{self, Connection},
};
use std::{io, net::SocketAddr, time::Duration};
use tokio::{
    runtime::{Builder, Runtime},
    task::JoinSet,
    time::Instant,
};

/// The time limit for the hosts' leftovers to go away: sessions expire, parked calls are given up, killed children come back.
const REST_TIMEOUT: Duration = Duration::from_secs(30);
/// The time limit of the shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(60);
/// The time limit for the last tasks to end after the shutdown.
const END_TIMEOUT: Duration = Duration::from_secs(10);
/// The pause between two counts of the leftovers.
const LOOK: Duration = Duration::from_millis(100);
/// The number of counts before the first host comes.
const LOOKS_BEFORE: usize = 10;

/// Runs the soak test. Returns whether all is well.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, String> {
    // The hosts have a runtime of their own, so that all tasks of the other runtime are the kernel's.
    let (kernel_side, host_side) = (runtime(2)?, runtime(1)?);
    let (ledger, processes) = (Ledger::default(), Processes::of_this_run());
    let memory = Memory::at_start();
    let start = kernel_side.block_on(async { LeftoverCounts::process(&processes) });
    let running = kernel_side.block_on(kernel::start(arguments.children, arguments.sessions, &processes))?;
    let answered = host_side.block_on(first_answer(running.serving.address()));
    answered.map_err(|error| format!("the kernel does not answer: {error}"))?;
    let up = kernel_side.block_on(lowest(|| left(&running, &processes)));
    println!(
        "{} hosts, {} children, {} s, seed {}",
        arguments.sessions,
        arguments.children,
        arguments.time.as_secs(),
        arguments.seed
    );
    host_side.block_on(load(arguments, &running, &processes, &ledger));
    drop(host_side);
    let at_rest = kernel_side.block_on(rest(&running, &processes, up));
    let sink = running.sink.clone();
    let left = kernel_side.block_on(shutdown(running, &processes, start));
    let book = ledger.book();
    let audited = audit(&book, &sink.events());
    let outcome = Outcome { book, audited, at_rest, left, memory: memory.at_end() };
    if let Some(file) = &arguments.json {
        let text = format!("{:#}\n", report::json(arguments, &outcome));
        std::fs::write(file, text).map_err(|error| format!("failed to write {}: {error}", file.display()))?;
    }
    println!("{}", report::table(&outcome));
    let problems = outcome.problems();
    for problem in &problems {
        println!("WRONG: {problem}");
    }
    println!("{}", report::closing(&outcome));
    Ok(problems.is_empty())
}

fn runtime(threads: usize) -> Result<Runtime, String> {
    let built: io::Result<Runtime> = Builder::new_multi_thread().worker_threads(threads).enable_all().build();
    built.map_err(|error| format!("failed to start: {error}"))
}

fn left(running: &RunningKernel, processes: &Processes) -> LeftoverCounts {
    LeftoverCounts::running(&running.kernel, &running.server, processes)
}

/// Waits for one answer: some of a server's tasks start with its first connection, and stay.
async fn first_answer(address: SocketAddr) -> io::Result<()> {
    let mut connection = Connection::open(address).await?;
    connection.send(&wire::request("DELETE", address, &[], None)).await?;
    connection.head().await.map(drop)
}

/// Returns the lowest counts within a second: the things that stay.
async fn lowest(look: impl Fn() -> LeftoverCounts) -> LeftoverCounts {
    let mut lowest = look();
    for _ in 0..LOOKS_BEFORE {
        tokio::time::sleep(LOOK).await;
        lowest = lowest.least(look());
    }
    lowest
}

/// Runs all hosts, and injects the faults.
async fn load(arguments: &Arguments, running: &RunningKernel, processes: &Processes, ledger: &Ledger) {
    let shared = SharedState {
        address: running.serving.address(),
        ledger: ledger.clone(),
        children: arguments.children,
        seed: arguments.seed,
        until: Instant::now() + arguments.time,
        idle_timeout: IDLE_TIMEOUT,
    };
    let mut hosts: JoinSet<()> =
        (0..arguments.sessions).map(|number| Host::new(&shared, number).live()).collect();
    let faults = faults::plan(arguments.seed, arguments.time, arguments.children);
    let faults = tokio::spawn(faults::inject(faults, processes.clone(), ledger.clone()));
    // A host that panicked has lost its request: the ledger says so.
    while hosts.join_next().await.is_some() {}
    let _ = faults.await;
}

/// Waits until the hosts' leftovers are gone. Returns those that are not.
async fn rest(running: &RunningKernel, processes: &Processes, before: LeftoverCounts) -> LeftoverCounts {
    settle(REST_TIMEOUT, || left(running, processes).above(before)).await
}

/// Ends everything. Returns the leftovers.
async fn shutdown(running: RunningKernel, processes: &Processes, before: LeftoverCounts) -> LeftoverCounts {
    let RunningKernel { kernel, server, serving, sink } = running;
    let ended = async { tokio::join!(serving.shutdown(), kernel.shutdown()) };
    if tokio::time::timeout(SHUTDOWN_TIMEOUT, ended).await.is_err() {
        println!("the shutdown took longer than {SHUTDOWN_TIMEOUT:?}");
    }
    let last = LeftoverCounts::running(&kernel, &server, processes);
    drop((kernel, server, sink));
    let mut left = settle(END_TIMEOUT, || LeftoverCounts::process(processes).above(before)).await;
    (left.sessions, left.hosts) = (last.sessions, last.hosts);
    (left.parked, left.in_flight) = (last.parked, last.in_flight);
    left
}

/// Counts until nothing is left, or the time limit passes.
async fn settle(limit: Duration, look: impl Fn() -> LeftoverCounts) -> LeftoverCounts {
    let end = Instant::now() + limit;
    loop {
        let left = look();
        if left.sum() == 0 || Instant::now() >= end {
            return left;
        }
        tokio::time::sleep(LOOK).await;
    }
}
