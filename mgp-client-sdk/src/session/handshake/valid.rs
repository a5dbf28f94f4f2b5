//! Greetings of servers that break MCP's schema. A name or a note of the wrong kind does not make the server unusable.

use crate::left_out::shown;
use mgp_types::{
    mcp::{
        ProtocolVersion,
        conform::{Conformity, conform_answer},
    },
    rpc::RawResult,
};

/// The maximum length of a greeting's logged changes, in characters.
const MOST_OF_CHANGES: usize = 400;

/// Returns a server's greeting in a form that is valid by MCP's schema, with a warning if it was not. A greeting that lacks a required member
/// is returned unchanged.
pub(super) fn valid(method: &'static str, greeting: RawResult) -> RawResult {
    match conform_answer(method, ProtocolVersion::V2026_07_28, &greeting) {
        Conformity::Mended(mended, changes) => {
            let changes = shown(&changes.to_string(), MOST_OF_CHANGES);
            tracing::warn!(method, %changes, "a server's greeting breaks MCP's schema, and was read in a valid form");
            mended
        }
        Conformity::Valid | Conformity::Invalid(_) => greeting,
    }
}
