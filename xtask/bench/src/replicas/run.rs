//! Runs the replicas against the gateway with SQLite.

use super::{
    caller::RotatingCaller,
    fleet::{Fleet, Gateway},
    rows::{FleetRounds, Load, rows, storage_rows},
    storage::{FleetStorage, SqliteStorage},
    turns::{self, Way, WayRounds},
};
use crate::{
    gateway::{self, Target},
    measure::{Settings, run_prepared},
    report::Row,
    wire::Era,
};
use mgp_security::audit::JournalMode;
use std::path::PathBuf;
use xtask_install::is_strict;
use xtask_testing::has_postgres;

/// The most replicas of a way.
const REPLICAS: usize = 3;
const JOURNALS: [JournalMode; 2] = [JournalMode::Local, JournalMode::Store];
const LOADS: [Load; 4] = [
    Load { callers: 1, era: Era::Stateless },
    Load { callers: 32, era: Era::Stateless },
    Load { callers: 1, era: Era::Session },
    Load { callers: 32, era: Era::Session },
];

const OBSTACLE: &str = "PostgreSQL does not run: `cargo xtask bench replicas` starts it where it is installed, for example with \
                        `apt-get install postgresql`";

/// Runs the bench. A missing PostgreSQL is a reported skip.
pub(crate) fn run(settings: &Settings) -> Result<Vec<Row>, String> {
    if has_postgres() {
        return run_prepared(settings, gateway::program(settings), contests);
    }
    if is_strict() {
        return Err(OBSTACLE.to_owned());
    }
    eprintln!("skipped: {OBSTACLE}");
    Ok(Vec::new())
}

async fn contests(settings: Settings, mgp: PathBuf) -> Result<Vec<Row>, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("failed to make a folder: {error}"))?;
    let (_server, address) = gateway::start_server(folder.path()).await?;
    let target = Target::Url(format!("http://{address}{}", gateway::SERVER_PATH));
    let single = Gateway::start(&mgp, &target, "").await?;
    let mut sqlite = SqliteStorage::begin(&single).await?;
    let (mut fleets, mut stored) = (Vec::new(), Vec::new());
    for journal in JOURNALS {
        let fleet = Fleet::start(&mgp, &target, journal, REPLICAS).await?;
        stored.push(FleetStorage::begin(&fleet).await?);
        fleets.push(fleet);
    }
    if let Some(fleet) = fleets.first() {
        eprintln!("{}", fleet.database.server().await?);
    }

    let mut all = Vec::new();
    for load in LOADS {
        let (of_fleets, of_sqlite) = measure(&settings, load, &single, &fleets).await?;
        all.extend(rows(load, &of_fleets, &of_sqlite));
        sqlite.calls += of_sqlite.calls;
        for storage in &mut stored {
            let rounds = of_fleets.iter().filter(|rounds| rounds.journal == storage.journal);
            storage.calls += rounds.map(|rounds| rounds.measured.calls).sum::<i64>();
        }
    }

    let sqlite = sqlite.end(&single).await?;
    for (fleet, storage) in fleets.iter().zip(stored) {
        all.extend(storage_rows(&storage.end(fleet).await?, &sqlite));
    }
    Ok(all)
}

/// Measures all ways with one load. Returns the rounds through replicas, and those through the gateway with SQLite.
async fn measure(
    settings: &Settings,
    load: Load,
    single: &Gateway,
    fleets: &[Fleet],
) -> Result<(Vec<FleetRounds>, WayRounds), String> {
    let connect =
        async |addresses: &[_]| RotatingCaller::connect_many(load.callers, addresses, load.era).await;
    let mut ways = vec![Way { fleet: None, callers: connect(&[single.address()]).await? }];
    let mut names = Vec::new();
    for fleet in fleets {
        let callers = connect(&fleet.addresses()).await?;
        for replicas in 1..=fleet.replicas.len() {
            names.push((fleet.journal, replicas));
            let callers = callers.iter().map(|caller| caller.with_first(replicas)).collect();
            ways.push(Way { fleet: Some(fleet), callers });
        }
    }
    let mut measured = turns::measure(settings, &ways).await?.into_iter();
    let sqlite = measured.next().unwrap_or_default();
    let rounds = names.into_iter().zip(measured);
    let rounds = rounds.map(|((journal, replicas), measured)| FleetRounds { journal, replicas, measured });
    Ok((rounds.collect(), sqlite))
}
