//! The era of `initialize`: its method, and the revision of MCP that its answer agrees on.

use mgp_types::{json::RawJson, json::RawObject, mcp::ProtocolVersion};

/// The method that opens a session, and whose answer agrees on a revision.
pub(crate) const INITIALIZE: &str = "initialize";

/// Returns the revision that a result of `initialize` agrees on, as the server wrote it.
pub(crate) fn agreed_version(result: &RawJson) -> Option<String> {
    RawObject::from_json(result).ok()?.text("protocolVersion")
}

/// Returns the revision that a result of `initialize` agrees on, if it is known. Both sides keep it in their session.
pub(crate) fn agreed_revision(result: &RawJson) -> Option<ProtocolVersion> {
    agreed_version(result)?.parse().ok()
}

/// Returns `true` if the other side of a session with an agreed revision may send several messages as one array: only 2025-03-26
/// has batches.
pub(crate) fn has_batches(agreed: Option<ProtocolVersion>) -> bool {
    agreed == Some(ProtocolVersion::V2025_03_26)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_with_an_unknown_revision_agrees_on_none() {
        for result in ["7", "{}", r#"{"protocolVersion":"1999-01-01"}"#] {
            assert_eq!(agreed_revision(&RawJson::parse(result).unwrap()), None, "{result}");
        }
        for (version, batches) in [("2024-11-05", false), ("2025-03-26", true), ("2025-06-18", false)] {
            let result = RawJson::parse(format!(r#"{{"protocolVersion":"{version}"}}"#)).unwrap();
            assert_eq!(has_batches(agreed_revision(&result)), batches, "{version}");
        }
    }
}
