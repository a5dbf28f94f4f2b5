//! The era of `initialize`: its method, and the revision of MCP that its answer agrees on.

use crate::seam::Session;
use mgp_types::{json::RawJson, json::RawObject, mcp::ProtocolVersion};

/// The method that opens a session, and whose answer agrees on a revision.
pub(crate) const INITIALIZE: &str = "initialize";

/// Returns the revision that a result of `initialize` agrees on, as the server wrote it.
pub(crate) fn agreed_version(result: &RawJson) -> Option<String> {
    RawObject::from_json(result).ok()?.text("protocolVersion")
}

/// Keeps the revision in the session, if the revision is known. Both sides call this function with the same result.
pub(crate) fn keep(session: &Session, result: &RawJson) {
    if let Some(version) = agreed_version(result).and_then(|version| version.parse::<ProtocolVersion>().ok())
    {
        session.set(version);
    }
}

/// Returns `true` if the other side may send several messages as one array: only 2025-03-26 has batches.
pub(crate) fn has_batches(session: &Session) -> bool {
    session.get() == Some(ProtocolVersion::V2025_03_26)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_that_names_no_known_revision_changes_nothing() {
        let session = Session::new("s");
        for result in ["7", "{}", r#"{"protocolVersion":"1999-01-01"}"#] {
            keep(&session, &RawJson::parse(result).unwrap());
            assert!(!session.has::<ProtocolVersion>(), "{result}");
        }
        for (version, batches) in [("2024-11-05", false), ("2025-03-26", true), ("2025-06-18", false)] {
            keep(&session, &RawJson::parse(format!(r#"{{"protocolVersion":"{version}"}}"#)).unwrap());
            assert_eq!(has_batches(&session), batches, "{version}");
        }
    }
}
