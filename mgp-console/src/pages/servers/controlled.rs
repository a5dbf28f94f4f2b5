//! The answers to commands for single servers.

use crate::{
    commands::CommandError,
    page::{Context, Nav, error_box, foreign},
};
use maud::{Markup, html};
use mgp_types::lifecycle::ServerState;
use serde::Deserialize;

/// The output of `mgp servers start`, `stop`, `restart` and `drain`.
#[derive(Debug, Deserialize)]
struct ControlReport {
    servers: Vec<ControlledServer>,
}

/// A server in one gateway.
#[derive(Debug, Deserialize)]
struct ControlledServer {
    server_id: String,
    previous_state: ServerState,
    state: ServerState,
    #[serde(default)]
    reason: String,
}

/// The output of `mgp servers remove`.
#[derive(Debug, Deserialize)]
struct RemovalReport {
    id: String,
}

/// Shows the state of a server before and after a command.
pub(crate) fn controlled_answer(context: &Context, json: &str) -> Markup {
    match serde_json::from_str::<ControlReport>(json) {
        Ok(controlled) => html! {
            @for server in &controlled.servers {
                p {
                    (foreign(&server.server_id)) ": " (server.previous_state.as_str()) " → "
                    span .state data-state=(server.state.as_str()) { (server.state.as_str()) }
                    @if server.reason != server.state.as_str() { " " (foreign(&server.reason)) }
                }
            }
        },
        Err(error) => error_box(context, &CommandError::unreadable("servers", &error)),
    }
}

/// Shows that a server is removed.
pub(crate) fn removed_answer(context: &Context, json: &str) -> Markup {
    match serde_json::from_str::<RemovalReport>(json) {
        // The form of a changed server stays.
        Ok(_) if context.query.has("change") => html! { p { (context.texts.add_server.old_removed) } },
        Ok(removed) => html! {
            p .back { a href=(Nav::Servers.path()) { (context.texts.server.all) } }
            h1 { (foreign(&removed.id)) }
            p role="status" { (context.texts.server.removed) }
        },
        Err(error) => error_box(context, &CommandError::unreadable("servers remove", &error)),
    }
}
