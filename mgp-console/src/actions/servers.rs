//! Commands for single servers.

use super::added_servers::{ADD_SERVER, PREVIEW_REGISTRATION, PREVIEW_SERVER, REGISTER_SERVER};
use crate::{
    command_line::Words,
    operator::OperatorRole,
    page::Action,
    pages::{controlled_answer, removed_answer},
};

macro_rules! control {
    ($($(#[$doc:meta])* $constant:ident = $name:literal, $command:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) const $constant: Action = Action {
            name: $name,
            role: OperatorRole::Admin,
            words: |form| Ok(Words::of(&["servers", $command]).value(form.needed("server")?).finish()),
            answer: Some(controlled_answer),
            example: "server=notes",
        };
    )*};
}

control! {
    /// Starts a server.
    START = "start-server", "start";
    /// Stops a server at once.
    STOP = "stop-server", "stop";
    /// Starts a server again.
    RESTART = "restart-server", "restart";
    /// Stops a server when its calls have ended.
    DRAIN = "drain-server", "drain";
}

/// Removes a server that was registered.
pub(crate) const REMOVE_SERVER: Action = Action {
    name: "remove-server",
    role: OperatorRole::Admin,
    words: |form| Ok(Words::of(&["servers", "remove"]).value(form.needed("server")?).finish()),
    answer: Some(removed_answer),
    example: "server=notes",
};

/// The actions of the page.
pub(super) const ALL: &[&Action] = &[
    &START,
    &STOP,
    &RESTART,
    &DRAIN,
    &REMOVE_SERVER,
    &PREVIEW_SERVER,
    &ADD_SERVER,
    &PREVIEW_REGISTRATION,
    &REGISTER_SERVER,
];
