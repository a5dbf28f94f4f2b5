//! The state of a server, and the buttons that change it.

use super::failure::failure;
use crate::{
    actions::{DRAIN, REMOVE_SERVER, RESTART, START, STOP},
    page::{Action, Context, NamedButton, foreign_whole, named_button, plain},
};
use maud::{Markup, html};
use mgp_types::lifecycle::{HealthStatus, ServerReport, ServerState};

/// The longest reason that is shown in a line, in characters.
const SHORT: usize = 200;

/// Returns the state in words, with the reason if the server is not connected.
pub(super) fn state(context: &Context, server: &ServerReport) -> Markup {
    let words = &context.texts.servers;
    let name = match server.state {
        _ if server.stopped => words.stopped.as_str(),
        ServerState::Registered if server.on_demand => &words.not_started,
        ServerState::Disconnected if server.on_demand => &words.idle,
        state => state.as_str(),
    };
    let colour = if server.on_demand { "idle" } else { server.state.as_str() };
    html! {
        span .state data-state=(colour) { (name) }
        @if has_reason(server) { " " (foreign_whole(&server.reason)) }
    }
}

/// Returns the state in words, with the whole reason for it.
pub(super) fn explained_state(context: &Context, server: &ServerReport) -> Markup {
    // A reason that the list shows whole needs no block.
    if !has_reason(server) || server.reason.chars().count() <= SHORT {
        return state(context, server);
    }
    let short = ServerReport { reason: String::new(), ..server.clone() };
    html! { (state(context, &short)) (failure(context, &server.id, &server.reason)) }
}

fn has_reason(server: &ServerReport) -> bool {
    server.state != ServerState::Connected && !server.reason.is_empty()
}

/// Returns the health that the server reported, or the reason that it reported none.
pub(super) fn health(context: &Context, server: &ServerReport) -> Markup {
    let words = &context.texts.servers;
    let colour = |health| if health == HealthStatus::Healthy { "connected" } else { "restarting" };
    html! {
        @match (&server.health, &server.health_error) {
            (Some(health), _) => span .state data-state=(colour(*health)) { (health.as_str()) },
            (None, Some(error)) => { span .state data-state="restarting" { (words.silent) } " " (foreign_whole(error)) },
            (None, None) => span .quiet { "–" },
        }
    }
}

/// Returns the button that a row of the list has: start for a server that does not run, otherwise restart.
pub(super) fn row_button(context: &Context, server: &ServerReport) -> Markup {
    let words = &context.texts.servers;
    match runs(server) {
        true => button(context, &RESTART, &words.restart, None, server),
        false => button(context, &START, &words.start, None, server),
    }
}

/// Returns all buttons of a server.
pub(super) fn buttons(context: &Context, server: &ServerReport) -> Markup {
    let words = &context.texts.servers;
    let stop = words.stop_confirm.replace("{name}", &plain(&server.id));
    let remove = words.remove_confirm.replace("{name}", &plain(&server.id));
    html! {
        div .buttons {
            @if runs(server) {
                (button(context, &RESTART, &words.restart, None, server))
                (button(context, &DRAIN, &words.drain, None, server))
                (button(context, &STOP, &words.stop, Some(&stop), server))
            } @else { (button(context, &START, &words.start, None, server)) }
            @if server.registered { (button(context, &REMOVE_SERVER, &words.remove, Some(&remove), server)) }
        }
    }
}

fn button(
    context: &Context,
    action: &Action,
    label: &str,
    confirm: Option<&str>,
    server: &ServerReport,
) -> Markup {
    // A removed server has no page that could be read again.
    let target = (action.name == REMOVE_SERVER.name).then_some("#page");
    let button = NamedButton { label, of: &server.id, confirm, target };
    named_button(context, action, button, &[("server", &server.id)])
}

fn runs(server: &ServerReport) -> bool {
    use ServerState::{Connected, Connecting, Draining, Restarting};
    matches!(server.state, Connected | Connecting | Draining | Restarting)
}
