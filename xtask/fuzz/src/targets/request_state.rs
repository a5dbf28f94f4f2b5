//! The sealed state that a client returns: only a sealed state opens, and only unchanged. The input is read as a state,
//! and as changes to a valid one.

use mgp_server_sdk::fuzzing::Round;
use mgp_types::json::{RawJson, RawObject};
use std::sync::LazyLock;

static ROUND: LazyLock<Round> = LazyLock::new(|| {
    Round::new(RawJson::parse(r#"{"name":"a","arguments":{"x":[1,{"y":null}]}}"#).expect("it is JSON"))
});
static STATE: LazyLock<String> = LazyLock::new(|| {
    let answers = RawObject::parse(r#"{"name":{"action":"accept"}}"#).expect("it is an object");
    ROUND.close(&answers).expect("it is short")
});

/// Returns the state with the changes that the input describes.
fn changed(data: &[u8]) -> Vec<u8> {
    let mut state = STATE.clone().into_bytes();
    for change in data.chunks_exact(3) {
        let at = usize::from(change[1]) % state.len().max(1);
        match change[0] % 4 {
            0 if at < state.len() => state[at] = change[2],
            1 if at < state.len() => drop(state.remove(at)),
            2 => state.insert(at, change[2]),
            _ => state.truncate(at),
        }
    }
    state
}

pub(super) fn run(data: &[u8]) {
    for state in [data.to_vec(), changed(data)] {
        let Ok(state) = String::from_utf8(state) else { continue };
        assert_eq!(ROUND.open(&state).is_ok(), state == *STATE, "{state}");
    }
    // The client writes the request with the state.
    if let Ok(params) = RawJson::parse(data.to_vec()) {
        let _ = Round::new(params).open(&STATE);
    }
}
