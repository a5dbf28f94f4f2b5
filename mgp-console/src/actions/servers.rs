//! Commands for single servers.

use super::action::{Action, Words};
use crate::operator::OperatorRole;

macro_rules! control {
    ($($(#[$doc:meta])* $constant:ident = $name:literal, $command:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) const $constant: Action = Action {
            name: $name,
            role: OperatorRole::Admin,
            words: |form| Ok(Words::of(&["servers", $command]).value(form.needed("server")?).finish()),
            answer: None,
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

/// The actions of the page.
pub(super) const ALL: &[&Action] = &[&START, &STOP, &RESTART, &DRAIN];
