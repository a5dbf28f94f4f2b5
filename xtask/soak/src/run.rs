//! One run, from the start of the kernel to the closing line.

use crate::{
    arguments::{Arguments, Part},
    bad_servers,
    comparison::Stage,
    configuration::ConfigurationFile,
    faults::{self, Processes},
    hosts::{self, Host, SharedState},
    kernel::{self, IDLE_TIMEOUT, RunningKernel},
    ledger::{Ledger, audit},
    report::{self, LeftoverCounts, Memory, Outcome},
    servers::Servers,
    wire::{self, Connection},
};
use mgp_kernel::Kernel;
use parking_lot::Mutex;
use std::{io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    runtime::{Builder, Handle, Runtime},
    task::{JoinError, JoinSet},
    time::Instant,
};

/// The time limit for the hosts' leftovers to disappear: sessions expire, parked calls are given up, killed children come back.
const REST_TIMEOUT: Duration = Duration::from_secs(120);
/// The time limit of the shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(180);
/// The time limit for the last tasks to end after the shutdown.
const END_TIMEOUT: Duration = Duration::from_secs(60);
/// The pause between two counts of the leftovers.
const LOOK: Duration = Duration::from_millis(100);
/// The pause between two measurements of the memory.
const MEMORY_LOOK: Duration = Duration::from_millis(500);
/// The number of counts before the first host starts.
const LOOKS_BEFORE: usize = 10;

/// Runs the soak test. Returns whether all is well.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, String> {
    // The hosts have a separate runtime, so that all tasks of the other runtime are the kernel's.
    let (kernel_side, host_side) = (runtime(2, || {})?, runtime(1, || {})?);
    let bad_side = runtime(1, bad_servers::give_way)?;
    let (ledger, processes) = (Ledger::default(), Processes::of_this_run());
    let memory = Memory::at_start();
    let start = kernel_side.block_on(async { LeftoverCounts::process(&processes) });
    let servers = Servers { steady: arguments.children };
    let file = ConfigurationFile::new(servers, processes.mark())?;
    let running = kernel_side.block_on(kernel::start(servers, arguments.sessions, &file))?;
    let answered = host_side.block_on(first_answer(running.serving.address()));
    answered.map_err(|error| format!("the kernel does not answer: {error}"))?;
    let up = kernel_side.block_on(lowest(|| left(&running, &processes)));
    println!(
        "{} hosts, {} subscribers, {} children, {} on demand, {} that come and go, {} bad ones, {} s for each part, seed {}",
        arguments.sessions,
        hosts::SUBSCRIBERS,
        servers.steady,
        servers.sleepers().len(),
        servers.guests().len(),
        bad_servers::ALL.len(),
        arguments.time.as_secs(),
        arguments.seed
    );
    let load = Load { arguments, running: &running, processes: &processes, ledger: &ledger, servers };
    let (samples, file) = if arguments.has(Part::Faults) {
        host_side.block_on(load.run(file, kernel_side.handle()))
    } else {
        (Vec::new(), Some(file))
    };
    let comparison = match file.filter(|_| arguments.has(Part::BadServers)) {
        Some(file) => {
            // Only the servers remain after the last fault.
            kernel_side.block_on(down(&running.kernel));
            let http = bad_side.block_on(bad_servers::listen());
            let http = http.map_err(|error| format!("failed to listen: {error}"))?;
            let stage = load.stage(http, kernel_side.handle(), bad_side.handle());
            Some(host_side.block_on(stage.run(file, arguments.time)))
        }
        None => None,
    };
    drop((host_side, bad_side));
    let at_rest = kernel_side.block_on(rest(&running, &processes, up));
    let down = kernel_side.block_on(down(&running.kernel));
    let trail = running.trail.clone();
    let left = kernel_side.block_on(shutdown(running, &processes, start));
    let counts = trail.counts();
    ledger.faults(report::SLEEPS, counts.sleeps);
    ledger.faults(report::WAKES, counts.wakes);
    let book = ledger.book();
    let audited = audit(&book, &counts);
    let (memory, required) = (memory.at_end(samples), report::required(arguments));
    let outcome = Outcome { book, audited, at_rest, left, memory, comparison, required, down };
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

fn runtime(threads: usize, start: fn()) -> Result<Runtime, String> {
    let mut builder = Builder::new_multi_thread();
    let built: io::Result<Runtime> =
        builder.worker_threads(threads).on_thread_start(start).enable_all().build();
    built.map_err(|error| format!("failed to start: {error}"))
}

fn left(running: &RunningKernel, processes: &Processes) -> LeftoverCounts {
    LeftoverCounts::running(&running.kernel, &running.server, processes)
}

/// Waits for one answer: some of a server's tasks start with its first connection, and stay.
async fn first_answer(address: SocketAddr) -> io::Result<()> {
    let mut connection = Connection::open(address).await?;
    connection.send(&wire::request("DELETE", &address.into(), &[], None)).await?;
    connection.head().await.map(drop)
}

/// Returns the lowest counts within a second, which are those of permanent things.
async fn lowest(look: impl Fn() -> LeftoverCounts) -> LeftoverCounts {
    let mut lowest = look();
    for _ in 0..LOOKS_BEFORE {
        tokio::time::sleep(LOOK).await;
        lowest = lowest.least(look());
    }
    lowest
}

/// The whole load of a running kernel.
struct Load<'a> {
    arguments: &'a Arguments,
    running: &'a RunningKernel,
    processes: &'a Processes,
    ledger: &'a Ledger,
    servers: Servers,
}

impl Load<'_> {
    /// Returns the state of hosts that send nothing new after a time.
    fn shared(&self, until: Instant) -> SharedState {
        SharedState {
            endpoint: self.running.serving.address().into(),
            ledger: self.ledger.clone(),
            servers: self.servers,
            seed: self.arguments.seed,
            until,
            idle_timeout: IDLE_TIMEOUT,
        }
    }

    /// Returns the parts for the windows with and without bad servers.
    fn stage<'a>(&'a self, http: SocketAddr, kernel_side: &'a Handle, bad_side: &'a Handle) -> Stage<'a> {
        let (kernel, shared) = (&self.running.kernel, self.shared(Instant::now()));
        Stage { kernel, shared, kernel_side, bad_side, http }
    }

    /// Runs all hosts, and injects the faults. Returns the memory at equal intervals, and the configuration file; `None` if it is lost.
    async fn run(
        &self,
        file: ConfigurationFile,
        kernel_side: &Handle,
    ) -> (Vec<u64>, Option<ConfigurationFile>) {
        let Arguments { time, seed, sessions, .. } = *self.arguments;
        let (kernel, servers, start) = (&self.running.kernel, self.servers, Instant::now());
        let shared = self.shared(start + time);
        let samples = Arc::new(Mutex::new(Vec::new()));
        let noted = samples.clone();
        let watching = tokio::spawn(report::watch(MEMORY_LOOK, move |kib| noted.lock().push(kib)));
        let mut hosts: JoinSet<()> = (0..sessions).map(|number| Host::new(&shared, number).live()).collect();
        for number in 0..hosts::SUBSCRIBERS {
            hosts.spawn(hosts::subscribe(shared.clone(), number));
        }
        // As in the schedule, the last faults come before the end of the run.
        let (end, ledger) = (start + time * 9 / 10, || self.ledger.clone());
        let plan = faults::plan(seed, time, servers.configured());
        // Processes that reloads and the operator start belong to the kernel.
        let reloading = kernel_side.spawn(faults::reload(file, kernel.clone(), servers, seed, end, ledger()));
        let faults = [
            tokio::spawn(faults::inject(plan, self.processes.clone(), ledger())),
            kernel_side.spawn(faults::operate(kernel.clone(), servers, seed, end, ledger())),
        ];
        // A host that panicked has lost its request, which the ledger counts.
        while hosts.join_next().await.is_some() {}
        let early = |error: JoinError| self.ledger.wrong(format!("faults that ended early: {error}"));
        for fault in faults {
            if let Err(error) = fault.await {
                early(error);
            }
        }
        let file = reloading.await.map_err(early).ok();
        watching.abort();
        let samples = samples.lock().clone();
        (samples, file)
    }
}

/// Waits until the hosts' leftovers are gone. Returns those that are not.
async fn rest(running: &RunningKernel, processes: &Processes, before: LeftoverCounts) -> LeftoverCounts {
    settle(REST_TIMEOUT, || left(running, processes).above(before)).await
}

/// Waits until all servers run again or wait for a request. Returns those that do not.
async fn down(kernel: &Kernel) -> Vec<String> {
    let end = Instant::now() + REST_TIMEOUT;
    loop {
        let down = kernel.ready(Duration::ZERO).await;
        if down.is_empty() || Instant::now() >= end {
            return down;
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Ends everything. Returns the leftovers.
async fn shutdown(running: RunningKernel, processes: &Processes, before: LeftoverCounts) -> LeftoverCounts {
    let RunningKernel { kernel, server, serving, trail } = running;
    let ended = async { tokio::join!(serving.shutdown(), kernel.shutdown()) };
    if tokio::time::timeout(SHUTDOWN_TIMEOUT, ended).await.is_err() {
        println!("the shutdown took longer than {SHUTDOWN_TIMEOUT:?}");
    }
    let last = LeftoverCounts::running(&kernel, &server, processes);
    drop((kernel, server, trail));
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
