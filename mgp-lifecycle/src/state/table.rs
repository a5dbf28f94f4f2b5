//! The table of legal state transitions.

use mgp_types::lifecycle::ServerState::{
    self, Connected, Connecting, Disconnected, Draining, Error, Registered, Restarting,
};

/// The states that may follow each state. Any other transition is a bug.
pub const TRANSITIONS: [(ServerState, &[ServerState]); 7] = [
    (Registered, &[Connecting]),
    (Connecting, &[Connected, Error, Disconnected]),
    (Connected, &[Draining, Error, Disconnected, Restarting]),
    (Draining, &[Disconnected, Restarting, Error]),
    (Error, &[Restarting, Connecting, Disconnected]),
    (Restarting, &[Connecting, Disconnected, Error]),
    (Disconnected, &[Connecting, Restarting]),
];

/// Returns whether a state may follow another.
#[must_use]
pub fn may_follow(from: ServerState, to: ServerState) -> bool {
    TRANSITIONS.iter().any(|(state, next)| *state == from && next.contains(&to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use std::fmt::Write as _;

    #[test]
    fn every_pair_of_states_is_decided() {
        let mut matrix = String::new();
        for from in ServerState::ALL {
            let next = ServerState::ALL.iter().filter(|to| may_follow(*from, **to));
            let next: Vec<_> = next.map(|to| to.as_str()).collect();
            writeln!(matrix, "{from}: {}", next.join(" ")).unwrap();
        }
        expect![[r#"
            registered: connecting
            connecting: connected disconnected error
            connected: draining disconnected error restarting
            draining: disconnected error restarting
            disconnected: connecting restarting
            error: connecting disconnected restarting
            restarting: connecting disconnected error
        "#]]
        .assert_eq(&matrix);
    }

    #[test]
    fn every_state_has_one_row() {
        for state in ServerState::ALL {
            assert_eq!(TRANSITIONS.iter().filter(|(from, _)| from == state).count(), 1, "{state}");
        }
    }
}
