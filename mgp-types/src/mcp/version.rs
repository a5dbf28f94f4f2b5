//! MCP's revisions, and the agreement on one of them.

use crate::rpc::ErrorObject;
use crate::{json::RawJson, mcp::McpErrorCode};

spelled! {
    /// A revision of MCP. Ordered: the oldest is the least.
    #[derive(PartialOrd, Ord)]
    pub enum ProtocolVersion as "MCP protocol version" {
        /// The first revision.
        V2024_11_05 = "2024-11-05",
        /// Streamable HTTP, batches, tool annotations.
        V2025_03_26 = "2025-03-26",
        /// Structured results, elicitation, no batches.
        V2025_06_18 = "2025-06-18",
        /// Icons, elicitation by URL, tools in sampling.
        V2025_11_25 = "2025-11-25",
        /// Stateless: no `initialize`, no sessions, no requests from a server.
        V2026_07_28 = "2026-07-28",
    }
}

impl ProtocolVersion {
    /// The latest revision that starts with `initialize`.
    pub const LATEST_LEGACY: Self = Self::V2025_11_25;

    /// Every revision that is supported here, the latest first.
    pub const LATEST_FIRST: [Self; 5] =
        [Self::V2026_07_28, Self::V2025_11_25, Self::V2025_06_18, Self::V2025_03_26, Self::V2024_11_05];

    /// Returns whether this revision has no `initialize` and no sessions.
    #[must_use]
    pub const fn is_stateless(self) -> bool {
        matches!(self, Self::V2026_07_28)
    }

    /// Returns the revision with which a server answers an `initialize`: the requested one if it is supported and has
    /// `initialize`, otherwise the latest one with `initialize`.
    ///
    /// ```
    /// use mgp_types::mcp::ProtocolVersion;
    /// assert_eq!(ProtocolVersion::answer("2025-03-26").as_str(), "2025-03-26");
    /// assert_eq!(ProtocolVersion::answer("1999-01-01"), ProtocolVersion::LATEST_LEGACY);
    /// assert_eq!(ProtocolVersion::answer("2026-07-28"), ProtocolVersion::LATEST_LEGACY);
    /// ```
    #[must_use]
    pub fn answer(requested: &str) -> Self {
        match requested.parse::<Self>() {
            Ok(version) if !version.is_stateless() => version,
            _ => Self::LATEST_LEGACY,
        }
    }

    /// Creates the error for a revision that cannot be served at all: -32602 in the `initialize` era, -32022 in the
    /// stateless one.
    #[must_use]
    pub fn unsupported(requested: &str, supported: &[Self], stateless: bool) -> ErrorObject {
        #[derive(serde::Serialize)]
        struct Versions<'a> {
            supported: &'a [ProtocolVersion],
            requested: &'a str,
        }
        let error = if stateless {
            ErrorObject::new(McpErrorCode::UnsupportedProtocolVersion, "Unsupported protocol version")
        } else {
            ErrorObject::invalid_params("Unsupported protocol version")
        };
        match RawJson::from_value(&Versions { supported, requested }) {
            Ok(data) => error.with_data(data),
            Err(_) => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unsupported_version_is_refused_with_the_supported_ones() {
        let legacy = ProtocolVersion::unsupported("1.0", &[ProtocolVersion::V2024_11_05], false);
        assert_eq!(legacy.code, -32602);
        assert_eq!(legacy.data.unwrap().as_str(), r#"{"supported":["2024-11-05"],"requested":"1.0"}"#);
        assert_eq!(ProtocolVersion::unsupported("1.0", &[], true).code, -32022);
    }

    #[test]
    fn revisions_are_ordered_by_date() {
        assert!(ProtocolVersion::ALL.is_sorted());
        assert!(ProtocolVersion::LATEST_FIRST.iter().rev().eq(ProtocolVersion::ALL));
        assert!(ProtocolVersion::ALL.iter().filter(|v| v.is_stateless()).eq([&ProtocolVersion::V2026_07_28]));
    }
}
