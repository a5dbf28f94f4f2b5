//! The confinement of servers: the parts of the operating system that this machine lacks for it.

use super::{
    context::Context,
    finding::{Finding, Kind, Remedy},
    servers::key,
};
use crate::command::init::obstacle;
use mgp_discovery::config::ServerConfig;
#[cfg(unix)]
use mgp_security::confine::runs_container;
use mgp_security::confine::{ConfinementRunner, MachineFacts, MissingPart, RunnerState};
use mgp_types::context::ConfinementMode;

/// Returns the enabled servers that are confined in a mode.
fn confined(context: &Context, mode: ConfinementMode) -> impl Iterator<Item = &ServerConfig> {
    let mode_of = |server: &ServerConfig| server.confinement.as_ref()?.mode;
    context.servers().filter(move |server| server.command.is_some() && mode_of(server) == Some(mode))
}

/// Returns the runner of a server's confinement.
fn runner_of(server: &ServerConfig) -> ConfinementRunner {
    let configured = server.confinement.as_ref().and_then(|confinement| confinement.runner);
    let args: Vec<String> = server.args.iter().map(|arg| arg.written().to_owned()).collect();
    match (configured, &server.command) {
        #[cfg(unix)]
        (None | Some(ConfinementRunner::Auto), Some(command)) if runs_container(command.written(), &args) => {
            ConfinementRunner::Container
        }
        _ => configured.unwrap_or(ConfinementRunner::Auto),
    }
}

pub(super) fn check(context: &Context) -> Vec<Finding> {
    let with = |wanted: &[ConfinementRunner]| -> Vec<&str> {
        let servers = confined(context, ConfinementMode::Require);
        servers
            .filter(|server| wanted.contains(&runner_of(server)))
            .map(|server| server.id.as_str())
            .collect()
    };
    let required = with(&[ConfinementRunner::Auto, ConfinementRunner::Native]);
    let machine = MachineFacts::of_machine().missing();
    let mut findings: Vec<_> = machine.iter().map(|missing| of_missing(missing, &required)).collect();
    for runner in [ConfinementRunner::Bubblewrap, ConfinementRunner::Container] {
        let ids = with(&[runner]);
        if let Some(missing) = RunnerState::of(runner).missing.filter(|_| !ids.is_empty()) {
            findings.push(of_missing(&missing, &ids));
        }
    }
    findings
}

/// Returns one line about the runners of this machine.
pub(super) fn runners_in_words(runners: &[RunnerState]) -> String {
    let one = |state: &RunnerState| match &state.missing {
        None => format!("{} works", state.runner.as_str()),
        Some(missing) => format!("{} does not, for lack of {missing}", state.runner.as_str()),
    };
    runners.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn of_missing(missing: &MissingPart, required: &[&str]) -> Finding {
    let MissingPart { part, remedy } = missing;
    let remedy = Remedy::Command((*remedy).to_owned());
    match required {
        [] => {
            let problem = format!("servers can only be confined in part: this machine lacks {part}");
            Finding::new(Kind::ConfinementUnavailable, problem, remedy)
        }
        ids => {
            let problem =
                format!("this machine lacks {part}, so these servers do not start: {}", ids.join(", "));
            Finding::new(Kind::ConfinementMissing, problem, remedy)
        }
    }
}

/// Starts a confined program if a server has to be confined and no part is known to be missing: a container may forbid more than its settings
/// show.
pub(super) async fn check_trial(context: &Context) -> Vec<Finding> {
    let is_of_system = |server: &&ServerConfig| runner_of(server) != ConfinementRunner::Container;
    let Some(server) = confined(context, ConfinementMode::Require).find(is_of_system) else {
        return Vec::new();
    };
    if !MachineFacts::of_machine().missing().is_empty() {
        return Vec::new();
    }
    let Some(reason) = obstacle().await else { return Vec::new() };
    let problem = format!("no process can be confined here, so {} does not start: {reason}", server.id);
    let remedy = Remedy::Key(format!("{} = \"best_effort\"", key(server, "confinement.mode")));
    vec![Finding::new(Kind::ConfinementFails, problem, remedy)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_on_runners_has_the_command_for_a_missing_part() {
        let missing =
            MissingPart { part: "bubblewrap, which is not installed".to_owned(), remedy: "sudo install it" };
        let state = |runner, missing| RunnerState { runner, missing };
        let runners =
            [state(ConfinementRunner::Native, None), state(ConfinementRunner::Bubblewrap, Some(missing))];
        assert_eq!(
            runners_in_words(&runners),
            "native works; bubblewrap does not, for lack of bubblewrap, which is not installed: sudo install it"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_command_that_runs_a_container_is_confined_in_it() {
        let mut server = ServerConfig::new("s");
        server.command = Some("docker".into());
        server.args = vec!["run".into(), "-i".into(), "image".into()];
        assert_eq!(runner_of(&server), ConfinementRunner::Container);
        server.args.remove(0);
        assert_eq!(runner_of(&server), ConfinementRunner::Auto);
    }

    #[test]
    fn a_missing_part_is_an_error_only_for_servers_that_need_it() {
        let ubuntu = MachineFacts {
            linux: Some((6, 8)),
            apparmor_restrict_unprivileged_userns: Some(1),
            ..MachineFacts::default()
        };
        for missing in ubuntu.missing() {
            let note = of_missing(&missing, &[]);
            assert_eq!(
                (note.id, note.remedy),
                (Kind::ConfinementUnavailable, Remedy::Command(missing.remedy.to_owned()))
            );
            let error = of_missing(&missing, &["files"]);
            assert_eq!(error.id, Kind::ConfinementMissing);
            assert!(
                error.line().contains("files") && error.line().contains(missing.remedy),
                "{}",
                error.line()
            );
        }
    }
}
