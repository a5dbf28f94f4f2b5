//! The confinement of servers: the parts of the operating system that this machine lacks for it.

use super::{
    context::Context,
    finding::{Finding, Kind, Remedy},
    servers::key,
};
use crate::command::init::obstacle;
use mgp_discovery::config::ServerConfig;
use mgp_security::confine::{MachineFacts, MissingPart};
use mgp_types::context::ConfinementMode;

/// Returns the enabled servers that are confined in a mode.
fn confined(context: &Context, mode: ConfinementMode) -> impl Iterator<Item = &ServerConfig> {
    let mode_of = |server: &ServerConfig| server.confinement.as_ref()?.mode;
    context.servers().filter(move |server| server.command.is_some() && mode_of(server) == Some(mode))
}

pub(super) fn check(context: &Context) -> Vec<Finding> {
    let required: Vec<_> =
        confined(context, ConfinementMode::Require).map(|server| server.id.as_str()).collect();
    MachineFacts::of_machine().missing().iter().map(|missing| of_missing(missing, &required)).collect()
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
    let Some(server) = confined(context, ConfinementMode::Require).next() else { return Vec::new() };
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
