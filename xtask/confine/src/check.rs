//! Runs the hostile program confined and not confined, as the user of this process, and judges what went through.

use crate::{
    attempts::{ALL, Attempt, Baseline},
    cost,
    ground::{Ground, Owner},
    hostile::RESULTS,
};
use mgp_security::confine::{Confinement, ConfinementSettings, Limits, Profile, ProfileFacts, ProgramFiles};
use mgp_transport::{
    child::{ChildCommand, ChildProcess},
    connection::Connection,
    egress::{EgressProxy, ResolveHost},
    seam::{BoxError, Incoming, Reply},
};
use mgp_types::{context::TrustLevel, json::RawJson};
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

/// The longest time of one run.
const LIMIT: Duration = Duration::from_secs(240);

/// The limits of the confined run, below what the attempts on resources take.
const LIMITS: Limits =
    Limits { memory_mb: 256, processes: 48, open_files: 128, file_mb: 16, cpu_secs: Some(2) };

/// The word for the outcome of each attempt, and the error if there is one.
type Results = BTreeMap<String, (String, String)>;

pub(crate) fn run() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = runtime.map_err(Into::into).and_then(|runtime| runtime.block_on(check()));
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A way in which a program is run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run {
    Free,
    /// Confined, without any permission.
    Confined,
    /// Confined, with one host that it may reach.
    WithHosts,
}

async fn check() -> Result<bool, Box<dyn Error>> {
    let user = fs::metadata("/proc/self")?.uid();
    let free = attempts(Run::Free).await?;
    let (confined, with_hosts) = (attempts(Run::Confined).await?, attempts(Run::WithHosts).await?);
    println!("\nas user {user}: attempt, without confinement, confined, confined with an allowed host");
    let mut wrong = Vec::new();
    let (mut all, mut through) = (0, [0; 3]);
    for Attempt { name, baseline, .. } in ALL.iter().copied().flatten() {
        let outcome = |results: &Results| {
            let nothing = || ("not tried".to_owned(), String::new());
            results.get(*name).cloned().unwrap_or_else(nothing)
        };
        let outcomes = [outcome(&free), outcome(&confined), outcome(&with_hosts)];
        if !matches!(baseline, Baseline::Permitted | Baseline::Allowed) {
            all += 1;
            outcomes.iter().zip(&mut through).for_each(|((word, _), count)| {
                *count += usize::from(word == "through");
            });
        }
        let [(is_free, why_free), confined @ ..] = &outcomes;
        let reason = match baseline {
            _ if is_free == "through" => String::new(),
            Baseline::ThroughForRoot if user != 0 => " (only root may)".to_owned(),
            Baseline::Depends(reason) if is_free == "refused" => format!(" ({reason}: {why_free})"),
            _ => {
                wrong.push(format!("{name:?} was {is_free} without confinement: {why_free}"));
                format!(" ({why_free})")
            }
        };
        print!("  {name}: {is_free}{reason}");
        for ((word, why), run) in confined.iter().zip([Run::Confined, Run::WithHosts]) {
            print!(", {word} ({why})");
            let goes_through = match baseline {
                Baseline::Permitted => true,
                Baseline::Allowed => run == Run::WithHosts,
                Baseline::Through | Baseline::ThroughForRoot | Baseline::Depends(_) => false,
            };
            if word != if goes_through { "through" } else { "refused" } {
                wrong.push(format!("{name:?} was {word} although confined: {why}"));
            }
        }
        println!();
    }
    let [free, confined, with_hosts] = through;
    println!(
        "as user {user}: of {all} attempts, {free} through without confinement, {confined} confined, {with_hosts} confined with an allowed host"
    );
    wrong.iter().for_each(|wrong| println!("WRONG: {wrong}"));
    cost::print().await?;
    Ok(wrong.is_empty())
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
            // Its address may be reached, and its name may not.
            "other.test" => allowed,
            _ => local,
        }])
    }
}

/// Runs the hostile program, and returns what it wrote down.
async fn attempts(run: Run) -> Result<Results, Box<dyn Error>> {
    let owner = Owner::new()?;
    let ground = &owner.ground;
    let mut process = start(&["hostile", &ground.to_text()], ground, run)?;
    let ended = tokio::time::timeout(LIMIT, process.wait())
        .await
        .map_err(|_| "the hostile program takes too long")??;
    let results = fs::read_to_string(ground.own(RESULTS)).map_err(|error| {
        format!(
            "the hostile program left no results ({error}) and ended with {ended}: {:?}",
            process.last_words()
        )
    })?;
    Ok(results.lines().filter_map(result).collect())
}

/// Starts this program with other arguments.
pub(crate) fn start(args: &[&str], ground: &Ground, run: Run) -> Result<ChildProcess, Box<dyn Error>> {
    let program = env::current_exe()?;
    let program = program.to_str().ok_or("the path of the program is not text")?;
    let mut command = ChildCommand::new("hostile", program).args(args.iter().copied());
    if run != Run::Free {
        let confinement =
            Confinement::new("hostile", profile(program, ground, run)?).ok_or("confinement is off")?;
        command = command.setup(Arc::new(confinement.egress(EgressProxy::new().resolver(Names::default()))));
    }
    let service =
        tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::ok(RawJson::empty_object())) });
    Ok(command.connect(Connection::builder(service))?.1)
}

fn result(line: &str) -> Option<(String, (String, String))> {
    let (name, outcome) = line.split_once(": ")?;
    let (word, why) = outcome.split_once(' ')?;
    Some((name.to_owned(), (word.to_owned(), why.to_owned())))
}

/// Returns the profile of a sandboxed server without any permission, which may reach the allowed host in one of the runs.
fn profile(program: &str, ground: &Ground, run: Run) -> Result<Profile, Box<dyn Error>> {
    let allowed = ground.allowed.to_string();
    let hosts =
        [&*allowed, "changing.test", "local.test"].map(str::parse).into_iter().collect::<Result<_, _>>()?;
    let hosts = (run == Run::WithHosts).then_some(hosts);
    let settings = ConfinementSettings { limits: LIMITS, hosts, ..ConfinementSettings::default() };
    Ok(Profile::derive(&ProfileFacts {
        trust: TrustLevel::Sandboxed,
        settings: &settings,
        approved: &[],
        program: &ProgramFiles::find(program, &[], None, None),
        private_folder: Some(&ground.private),
        state_folder: Some(&ground.decoy("state")),
        homes: &[ground.decoy("home")],
    }))
}
