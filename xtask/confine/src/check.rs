//! Runs the hostile program confined and not confined, as the user of this process, and judges what went through.

use crate::{
    attempts::{ALL, Attempt, Baseline},
    ground::{Ground, Owner},
    hostile::RESULTS,
};
use mgp_security::confine::{Confinement, ConfinementSettings, Limits, Profile, ProfileFacts, ProgramFiles};
use mgp_transport::{
    child::ChildCommand,
    connection::Connection,
    seam::{BoxError, Incoming, Reply},
};
use mgp_types::context::TrustLevel;
use std::{
    collections::BTreeMap, env, error::Error, fs, os::unix::fs::MetadataExt, process::ExitCode, sync::Arc,
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

async fn check() -> Result<bool, Box<dyn Error>> {
    let user = fs::metadata("/proc/self")?.uid();
    let (free, confined) = (attempts(false).await?, attempts(true).await?);
    println!("\nas user {user}: attempt, without confinement, confined");
    let mut wrong = Vec::new();
    let (mut all, mut went_free, mut went_confined) = (0, 0, 0);
    for Attempt { name, baseline, .. } in ALL.iter().copied().flatten() {
        let nothing = || ("not tried".to_owned(), String::new());
        let (is_free, why_free) = free.get(*name).cloned().unwrap_or_else(nothing);
        let (is_confined, why) = confined.get(*name).cloned().unwrap_or_else(nothing);
        let is_permitted = *baseline == Baseline::Permitted;
        if !is_permitted {
            all += 1;
            went_free += usize::from(is_free == "through");
            went_confined += usize::from(is_confined == "through");
        }
        let reason = match baseline {
            _ if is_free == "through" => String::new(),
            Baseline::ThroughForRoot if user != 0 => " (only root may)".to_owned(),
            Baseline::Depends(reason) if is_free == "refused" => format!(" ({reason}: {why_free})"),
            Baseline::Through | Baseline::ThroughForRoot | Baseline::Depends(_) | Baseline::Permitted => {
                wrong.push(format!("{name:?} was {is_free} without confinement: {why_free}"));
                format!(" ({why_free})")
            }
        };
        println!("  {name}: {is_free}{reason}, {is_confined} ({why})");
        if is_confined != if is_permitted { "through" } else { "refused" } {
            wrong.push(format!("{name:?} was {is_confined} although confined"));
        }
    }
    println!(
        "as user {user}: of {all} attempts, {went_free} through without confinement, {went_confined} confined"
    );
    wrong.iter().for_each(|wrong| println!("WRONG: {wrong}"));
    Ok(wrong.is_empty())
}

/// Runs the hostile program, and returns what it wrote down.
async fn attempts(confined: bool) -> Result<Results, Box<dyn Error>> {
    let owner = Owner::new()?;
    let ground = &owner.ground;
    let program = env::current_exe()?;
    let program = program.to_str().ok_or("the path of the program is not text")?;
    let mut command = ChildCommand::new("hostile", program).args(["hostile", &ground.to_text()]);
    if confined {
        let confinement =
            Confinement::new("hostile", profile(program, ground)?).ok_or("confinement is off")?;
        command = command.setup(Arc::new(confinement));
    }
    let service = tower::service_fn(|_: Incoming| async {
        Ok::<_, BoxError>(Reply::ok(mgp_types::json::RawJson::empty_object()))
    });
    let (_connection, mut process) = command.connect(Connection::builder(service))?;
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

fn result(line: &str) -> Option<(String, (String, String))> {
    let (name, outcome) = line.split_once(": ")?;
    let (word, why) = outcome.split_once(' ')?;
    Some((name.to_owned(), (word.to_owned(), why.to_owned())))
}

/// Returns the profile of a sandboxed server without any permission.
fn profile(program: &str, ground: &Ground) -> Result<Profile, Box<dyn Error>> {
    let settings = ConfinementSettings { limits: LIMITS, ..ConfinementSettings::default() };
    Ok(Profile::derive(&ProfileFacts {
        trust: TrustLevel::Sandboxed,
        settings: &settings,
        approved: &[],
        program: &ProgramFiles::find(program, &[], None, None),
        private_folder: Some(&ground.private),
        state_folder: Some(&ground.decoy("state")),
        home: Some(&ground.decoy("home")),
    }))
}
