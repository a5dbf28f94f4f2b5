//! The pause before a server is restarted.

use super::{
    Server,
    commands::{AfterEnd, Commands, Wake},
    supervision::{Prospect, Supervision},
};
use mgp_lifecycle::{
    restart::{Exit, Restart, RestartBudget},
    state::Outlook,
};
use mgp_types::lifecycle::ServerState;
use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

/// The minimum pause between two attempts to start a server that is away, however many requests need it.
const LEAST_PAUSE: Duration = Duration::from_secs(1);

/// Returns the status reason of a server that waits to be restarted after an end with this reason.
pub(super) fn waits_because(why: &str) -> String {
    format!("waits to be started again: {why}")
}

/// Waits before a server is restarted. A request that needs a server that is away ends the pause. Breaks if the server is stopped instead, or
/// has used up its restarts.
pub(super) async fn pause(
    supervision: &Supervision,
    server: &Arc<Server>,
    commands: &mut Commands,
    budget: &mut RestartBudget,
    exit: &Exit,
) -> ControlFlow<Prospect> {
    let (now, is_away) = (Instant::now(), *exit == Exit::Away);
    let pause = if is_away {
        budget.next_while_away(now)
    } else {
        match budget.next(now) {
            Restart::After(pause) => pause,
            Restart::GiveUp { restarts, window } => {
                supervision.gave_up(server, restarts, window).await;
                return ControlFlow::Break(Prospect::Rest);
            }
        }
    };
    let outlook = match tokio::time::Instant::now().checked_add(pause) {
        Some(start) if is_away => Outlook::StartBy(start),
        Some(start) => Outlook::StartAt(start),
        None => Outlook::Open,
    };
    let why = waits_because(&server.status().reason);
    supervision.servers.move_with(server, ServerState::Restarting, &why, outlook);
    let needed = async {
        if !is_away {
            return std::future::pending().await;
        }
        tokio::time::sleep(pause.min(LEAST_PAUSE)).await;
        server.path.demand.needed_again().await;
    };
    let wake = tokio::select! {
        biased;
        wake = commands.next_within(pause) => wake,
        () = needed => None,
    };
    let after = match wake {
        None => return ControlFlow::Continue(()),
        Some(Wake::Start) => Some(AfterEnd::Start),
        Some(Wake::End) => commands.after_end(),
    };
    if after == Some(AfterEnd::Start) {
        *budget = RestartBudget::new(server.spec.restart);
        return ControlFlow::Continue(());
    }
    let why = "stopped while it waited to be started again";
    supervision.servers.move_with(server, ServerState::Disconnected, why, server.succession.last_outlook());
    if after != Some(AfterEnd::Rest) {
        return ControlFlow::Break(Prospect::Leave);
    }
    supervision.stopped(server);
    ControlFlow::Break(Prospect::Rest)
}
