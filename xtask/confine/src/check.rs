//! Runs the hostile program confined and not confined, as the user of this process, and judges the results.

use crate::{
    Options,
    attempts::{ALL, Attempt, Baseline, ENDED, REMAINS},
    cost,
    ground::{Ground, LATE, Owner, SECRET},
    hostile::RESULTS,
    image,
    run::Run,
};
use mgp_security::confine::{Confinement, ConfinementRunner, LandlockAbi, Profile};
use mgp_transport::{
    child::{ChildCommand, ChildProcess},
    connection::Connection,
    egress::{EgressProxy, ResolveHost},
    seam::{BoxError, Incoming, Reply},
};
use mgp_types::json::RawJson;
use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fs, io,
    net::{IpAddr, Ipv4Addr},
    os::unix::fs::MetadataExt,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::task::LocalSet;

/// The longest time of one run.
const LIMIT: Duration = Duration::from_secs(240);

/// The time in which a confined process that has outlived the server would show itself.
const AFTER_END: Duration = Duration::from_secs(1);

/// The same time for a process that is not confined, which shows itself however slow the machine is.
const FREE_AFTER_END: Duration = Duration::from_secs(30);

/// The attempts that a container permits (docs/confinement.md#containers): all of its memory is bounded together, no engine can forbid programs
/// in a folder that may be written, and its filter names only calls that it knows.
const OPEN_IN_CONTAINERS: [&str; 3] = [
    "start a program from the private folder",
    "make a call that is newer than the filter",
    "take memory of a device without end",
];

/// The word for the outcome of each attempt, and the error if there is one.
type Results = BTreeMap<String, (String, String)>;

/// A way in which the hostile program is run, and the version of Landlock and the runner, which are not used if the run is not confined.
type Way = (Run, LandlockAbi, ConfinementRunner);

/// Runs the check as the user of this process.
pub(crate) fn run(options: Options) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = runtime.map_err(Into::into).and_then(|runtime| runtime.block_on(check(options)));
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn check(Options { list, mut versions, runner }: Options) -> Result<bool, Box<dyn Error>> {
    let machine = LandlockAbi::of_machine().ok_or("this machine has no Landlock")?;
    if let Some(newer) = versions.iter().find(|version| **version > machine) {
        return Err(format!("Landlock {newer} cannot be tried: this machine has {machine}").into());
    }
    if versions.is_empty() {
        versions.extend([machine, LandlockAbi::FIRST]);
    }
    versions.sort_unstable();
    versions.dedup();
    let runner = runner.unwrap_or(ConfinementRunner::Auto);
    let user = fs::metadata("/proc/self")?.uid();
    if user == 0 && runner == ConfinementRunner::Bubblewrap {
        return is_refused_to_root().await;
    }
    let mut runs = Run::CONFINED;
    let mut engine = None;
    if runner == ConfinementRunner::Container {
        let found = *engine.insert(image::engine()?);
        // The others have permissions that a container refuses, and a container uses no Landlock.
        runs = if found == "podman" { &[Run::Plain, Run::Hosts] } else { &[Run::Plain] };
        versions = vec![machine];
        image::make(found, env::current_exe()?.to_str().ok_or("the path of the program is not text")?)?;
    }
    let free = attempts((Run::Free, machine, runner)).await?;
    let tasks = LocalSet::new();
    let ways = versions.iter().rev().flat_map(|version| runs.iter().map(|run| (*run, *version, runner)));
    let running: Vec<_> = ways.map(|way| (way, tasks.spawn_local(attempts(way)))).collect();
    tasks.await;
    let mut confined = Vec::new();
    for (way, results) in running {
        confined.push((way, results.await??));
    }
    if list {
        println!(
            "\nas user {user}: attempt: not confined; the confined runs in which it was refused, and where it was not"
        );
    }
    let mut wrong = Vec::new();
    for attempt in ALL.iter().copied().flatten() {
        let Attempt { name, .. } = attempt;
        let (is_free, why_free) = outcome(&free, name);
        let reason = match attempt.baseline {
            _ if is_free == "through" => String::new(),
            Baseline::ThroughForRoot if user != 0 => " (only root may)".to_owned(),
            Baseline::Depends(reason) if is_free == "refused" => format!(" ({reason}: {why_free})"),
            _ => {
                wrong.push(format!("{name:?} was {is_free} without confinement: {why_free}"));
                format!(" ({why_free})")
            }
        };
        let mut line = format!("  {name}: {is_free}{reason};");
        for (way, results) in &confined {
            let (run, version, _) = way;
            let (word, why) = outcome(results, name);
            let is_open = is_free == "through" && is_opened(attempt, *way);
            let expected = if is_open { "through" } else { "refused" };
            if word != expected {
                wrong.push(format!("{name:?} was {word} when {} by {version}: {why}", run.as_str()));
            }
            if *run == Run::Plain || word != "refused" {
                line += &format!(" {} by {version}: {word} ({why})", run.as_str());
            }
        }
        if list {
            println!("{line}");
        }
    }
    print_sums(user, &free, &confined, runner);
    wrong.iter().for_each(|wrong| println!("WRONG: {wrong}"));
    cost::print(&versions, runner, runs).await?;
    if let Some(engine) = engine {
        image::remove(engine);
    }
    Ok(wrong.is_empty())
}

/// Returns whether bubblewrap is refused to root, for whom it holds no limit on processes.
async fn is_refused_to_root() -> Result<bool, Box<dyn Error>> {
    let owner = Owner::new()?;
    let way = (Run::Plain, LandlockAbi::FIRST, ConfinementRunner::Bubblewrap);
    let started = start(&["nothing"], &owner.ground, way).await.map(drop).map_err(|error| error.to_string());
    let is_refused = started.as_ref().is_err_and(|error| error.contains("runs as root"));
    println!("as user 0: bubblewrap is {}refused", if is_refused { "" } else { "WRONG: not " });
    Ok(is_refused)
}

/// Returns whether a way permits an attempt.
fn is_opened(attempt: &Attempt, (run, version, runner): Way) -> bool {
    attempt.is_opened(run, version)
        || (runner == ConfinementRunner::Container && OPEN_IN_CONTAINERS.contains(&attempt.name))
}

/// Returns the outcome of an attempt, and the error if there was one.
fn outcome<'a>(results: &'a Results, name: &str) -> (&'a str, &'a str) {
    results.get(name).map_or(("not tried", ""), |(word, why)| (word, why))
}

/// Prints for each run how many of the forbidden attempts went through.
fn print_sums(user: u32, free: &Results, confined: &[(Way, Results)], runner: ConfinementRunner) {
    let runner =
        if runner == ConfinementRunner::Auto { String::new() } else { format!(" ({})", runner.as_str()) };
    for (way, results) in confined {
        let (run, version, _) = way;
        let others = || ALL.iter().copied().flatten().filter(|attempt| !is_opened(attempt, *way));
        let through =
            |results| others().filter(|attempt| outcome(results, attempt.name).0 == "through").count();
        let (all, free, confined) = (others().count(), through(free), through(results));
        let run = run.as_str();
        println!(
            "as user {user}: of {all} attempts, {free} through when not confined, {confined} when {run} by Landlock {version}{runner}"
        );
    }
}

/// A resolver whose names lead to the allowed host, to this machine, or to one after the other.
#[derive(Default)]
struct Names(AtomicUsize);

#[async_trait::async_trait]
impl ResolveHost for Names {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let allowed = IpAddr::from([127, 0, 0, 2]);
        let local = IpAddr::from(Ipv4Addr::LOCALHOST);
        Ok(vec![match name {
            "changing.test" if self.0.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) => allowed,
            // Its address may be reached, but not its name.
            "other.test" => allowed,
            _ => local,
        }])
    }
}

/// Runs the hostile program, and returns its results.
async fn attempts(way: Way) -> Result<Results, Box<dyn Error>> {
    let owner = Owner::new()?;
    let ground = &owner.ground;
    let mut process = start(&["hostile", &ground.to_text()], ground, way).await?;
    fs::write(ground.decoy(LATE), SECRET)?;
    let ended = tokio::time::timeout(LIMIT, process.wait())
        .await
        .map_err(|_| "the hostile program takes too long")??;
    let text = fs::read_to_string(ground.own(RESULTS)).map_err(|error| {
        format!(
            "the hostile program left no results ({error}) and ended with {ended}: {:?}",
            process.last_words()
        )
    })?;
    let mut results: Results = text.lines().filter_map(result).collect();
    drop(process);
    fs::write(ground.own(ENDED), "")?;
    let patience = if way.0 == Run::Free { FREE_AFTER_END } else { AFTER_END };
    let _ = tokio::time::timeout(patience, async {
        while !REMAINS.iter().all(|name| ground.own(name).exists()) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    for name in REMAINS {
        let is_through = results.get(name).is_some_and(|(word, _)| word == "through");
        if is_through && !ground.own(name).exists() {
            let ended = ("refused".to_owned(), "it ended with the server".to_owned());
            results.insert(name.to_owned(), ended);
        }
    }
    Ok(results)
}

/// Starts this program with other arguments.
pub(crate) async fn start(
    args: &[&str],
    ground: &Ground,
    (run, version, runner): Way,
) -> Result<ChildProcess, Box<dyn Error>> {
    let program = env::current_exe()?;
    let program = program.to_str().ok_or("the path of the program is not text")?;
    let mut command = ChildCommand::new("hostile", program).args(args.iter().copied());
    if run != Run::Free {
        let image = (runner == ConfinementRunner::Container).then(|| image::IMAGE.to_owned());
        let profile = Profile { runner, image, ..run.profile(program, ground)? };
        let confinement = Confinement::new("hostile", profile).ok_or("confinement is off")?;
        let confinement = confinement.landlock(version);
        command = command.setup(Arc::new(confinement.egress(EgressProxy::new().resolver(Names::default()))));
    }
    let service =
        tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::ok(RawJson::empty_object())) });
    Ok(command.connect(Connection::builder(service)).await?.1)
}

fn result(line: &str) -> Option<(String, (String, String))> {
    let (name, outcome) = line.split_once(": ")?;
    let (word, why) = outcome.split_once(' ')?;
    Some((name.to_owned(), (word.to_owned(), why.to_owned())))
}
