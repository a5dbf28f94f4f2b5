//! `mgp servers explain`: shows the confinement of a server's process, and the reasons for it.

use crate::{
    command::{
        known::{known_server, servers},
        tools::{VALIDATORS_ADVISE, secrets, secrets_in_words},
    },
    error::CliError,
    exit::Exit,
    meant::question,
    options::Options,
    output::{Outcome, table},
    setup::Setup,
};
use clap::Args;
use mgp_kernel::Enforcement;
use mgp_security::confine::{
    ConfinementRunner, LandlockAbi, Limits, ListenPorts, MachineFacts, Network, Profile, Reach, RunnerState,
};
use mgp_types::{
    context::{ConfinementMode, HostRule},
    tool_security::SecretPolicy,
};
use serde::Serialize;
use std::path::Path;

/// Show the confinement of a server's process, and the reasons for it
///
/// Files that do not exist are left out. The output applies to the next start of the server.
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The server, by its id or an unambiguous beginning of it
    id: String,
}

#[derive(Serialize)]
struct Explanation<'a> {
    id: &'a str,
    mode: ConfinementMode,
    reason: String,
    private_folder: Option<&'a Path>,
    files: Vec<FileRow<'a>>,
    network: Part,
    listening: Part,
    limits: String,
    machine: MachineRow,
    /// The handling of secrets in results.
    secrets: SecretPolicy,
}

/// A file that the server may use, or that it must not use.
#[derive(Serialize)]
struct FileRow<'a> {
    path: &'a Path,
    access: &'static str,
    reason: String,
}

/// The means of this machine to confine a process.
#[derive(Serialize)]
struct MachineRow {
    /// The runner that confines the server.
    runner: ConfinementRunner,
    runner_in_words: &'static str,
    /// The version of Landlock that is used; `None` if there is none.
    landlock_abi: Option<u8>,
    landlock: String,
    /// The parts that `require` needs and the machine lacks, each with its remedy.
    missing: Vec<String>,
}

/// A part of the profile, with the reason for it.
#[derive(Serialize)]
struct Part {
    may: String,
    reason: String,
}

pub(super) async fn run(options: &Options, args: ExplainArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load(options).await?;
    let args = ExplainArgs { id: known_server(&setup, &args.id).await };
    if let Some(fault) = setup.fault(&args.id) {
        return Err(CliError::failed(format!("server {:?} is off: {fault}", args.id)));
    }
    let kernel = setup.start_asleep().await?;
    let profile =
        kernel.servers().iter().find(|server| server.id() == args.id).map(|server| server.confinement());
    let secrets = secrets(&kernel, &args.id);
    kernel.shutdown().await;
    let Some(profile) = profile else {
        let question = question(&args.id, servers(&setup).await.iter().map(String::as_str));
        let error = CliError::new(Exit::NotFound, format!("no server {:?}", args.id));
        return Err(error.help(format!("{question}see them with `mgp servers`")));
    };
    let Some(profile) = profile else {
        let text = format!(
            "{} is not a process that this gateway starts, so nothing confines it. {VALIDATORS_ADVISE}",
            args.id
        );
        return Outcome::new(
            with_secrets(text, secrets),
            &serde_json::json!({ "id": args.id, "secrets": secrets }),
        );
    };
    let of_profile = profile.clone();
    let tried = move || (MachineFacts::of_machine(), RunnerState::of_profile(&of_profile));
    let (machine, runner) = tokio::task::spawn_blocking(tried).await.map_err(CliError::failed)?;
    let explanation = explain(&args.id, &profile, &machine, runner, secrets);
    Outcome::new(with_secrets(text(&explanation), secrets), &explanation)
}

/// Adds the handling of secrets in results, if results are scanned.
fn with_secrets(text: String, secrets: SecretPolicy) -> String {
    match secrets_in_words(secrets) {
        Some(words) => format!("{text}\nsecrets in results: {words}"),
        None => text,
    }
}

fn explain<'a>(
    id: &'a str,
    profile: &'a Profile,
    machine: &MachineFacts,
    runner: RunnerState,
    secrets: SecretPolicy,
) -> Explanation<'a> {
    let allowed = profile.paths.iter().map(|rule| (&*rule.path, rule.access.as_str(), rule.reason));
    let denied = profile.denied.iter().map(|(path, reason)| (&**path, "none", *reason));
    let files = allowed
        .chain(denied)
        .filter(|(path, ..)| path.exists() || Some(*path) == profile.private_folder.as_deref());
    let Network { reach, reach_reason, listen, listen_reason } = &profile.network;
    Explanation {
        id,
        mode: profile.mode,
        reason: profile.mode_reason.to_string(),
        private_folder: profile.private_folder.as_deref(),
        files: files
            .map(|(path, access, reason)| FileRow { path, access, reason: reason.to_string() })
            .collect(),
        network: Part { may: hosts(reach), reason: reach_reason.to_string() },
        listening: Part { may: listening(listen), reason: listen_reason.to_string() },
        limits: limits(&profile.limits),
        machine: MachineRow {
            runner: runner.runner,
            runner_in_words: runner.in_words(),
            landlock_abi: machine.landlock.map(LandlockAbi::number),
            landlock: machine.landlock_in_words(),
            missing: missing(machine, runner),
        },
        secrets,
    }
}

/// Returns the parts that a runner needs and this machine lacks. A container needs only its engine.
fn missing(machine: &MachineFacts, runner: RunnerState) -> Vec<String> {
    let of_machine = match runner.runner {
        ConfinementRunner::Container => Vec::new(),
        _ => machine.missing(),
    };
    let of_runner = runner.missing.filter(|missing| !of_machine.contains(missing));
    of_machine.into_iter().chain(of_runner).map(|missing| missing.to_string()).collect()
}

fn hosts(reach: &Reach) -> String {
    match reach {
        Reach::None => "none".to_owned(),
        Reach::Hosts(rules) if *rules == [HostRule::PUBLIC] => {
            "every public host, through the proxy".to_owned()
        }
        Reach::Hosts(rules) => {
            let rules: Vec<_> = rules.iter().map(ToString::to_string).collect();
            format!("{}, through the proxy", rules.join(", "))
        }
        Reach::Machine => "any host and port".to_owned(),
    }
}

fn listening(listen: &ListenPorts) -> String {
    match listen {
        ListenPorts::None => "none".to_owned(),
        ListenPorts::Only(ports) => ports.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        ListenPorts::Any => "any port".to_owned(),
    }
}

fn limits(limits: &Limits) -> String {
    let Limits { memory_mb, processes, open_files, file_mb, cpu_secs } = *limits;
    let parts = [
        memory_mb.map(|mib| format!("{mib} MiB of memory a process")),
        processes.map(|most| format!("{most} processes")),
        open_files.map(|most| format!("{most} open files a process")),
        file_mb.map(|mib| format!("files of {mib} MiB")),
        cpu_secs.map(|seconds| format!("{seconds} s of CPU time a process")),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

fn text(explanation: &Explanation<'_>) -> String {
    let Explanation { id, mode, reason, private_folder, files, network, listening, limits, machine, .. } =
        explanation;
    if *mode == ConfinementMode::Off {
        return format!(
            "{id} is not confined: {reason}\nconfinement: {}. {VALIDATORS_ADVISE}\nlimits: {limits}",
            Enforcement::Off
        );
    }
    let folder = private_folder.map_or_else(|| "none".to_owned(), |folder| folder.display().to_string());
    let missing: String =
        machine.missing.iter().map(|missing| format!("\nmissing on this machine: {missing}")).collect();
    // A container has neither Landlock nor the files of this machine that are not mounted.
    let by = match machine.runner {
        ConfinementRunner::Container => machine.runner_in_words.to_owned(),
        _ if cfg!(target_os = "linux") => format!("{}, {}", machine.landlock, machine.runner_in_words),
        _ => machine.runner_in_words.to_owned(),
    };
    let rows =
        files.iter().map(|row| [row.path.display().to_string(), row.access.to_owned(), row.reason.clone()]);
    format!(
        "{id} is confined ({}): {reason}\nprivate folder: {folder}\nnetwork: {} ({})\nlistening: {} ({})\nlimits: {limits}\nby: {by}{missing}\n\n{}",
        mode.as_str(),
        network.may,
        network.reason,
        listening.may,
        listening.reason,
        table(["file", "may", "reason"], rows)
    )
}
