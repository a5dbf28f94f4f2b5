//! The messages of a host, in its era.

use crate::{
    ledger::Trace,
    wire::{self, Endpoint},
};
use serde_json::{Value, json};

/// The era of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// `initialize`, then a session (2025-11-25).
    Sessions,
    /// Independent requests (2026-07-28).
    Stateless,
}

/// Returns the capabilities of a host.
fn capabilities() -> Value {
    json!({"elicitation": {"form": {}}})
}

impl Era {
    pub(super) fn revision(self) -> &'static str {
        match self {
            Self::Sessions => "2025-11-25",
            Self::Stateless => "2026-07-28",
        }
    }

    /// Returns a request. `trace` identifies the request in the audit trail.
    pub(crate) fn request(self, id: i64, method: &str, mut params: Value, trace: Option<Trace>) -> Value {
        if self == Self::Stateless {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = self.revision().into();
            meta["io.modelcontextprotocol/clientCapabilities"] = capabilities();
        }
        if let Some(trace) = trace {
            params["_meta"]["traceparent"] = format!("00-{trace}-00000000000000aa-01").into();
        }
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    }

    /// Returns the params of `initialize`.
    pub(super) fn hello() -> Value {
        json!({
            "protocolVersion": Self::Sessions.revision(),
            "capabilities": capabilities(),
            "clientInfo": {"name": "soak", "version": "1"},
        })
    }

    /// Returns a message as a POST.
    pub(crate) fn post(self, endpoint: &Endpoint, session: Option<&str>, message: &Value) -> Vec<u8> {
        let mut headers = Vec::new();
        let method = message["method"].as_str();
        if method != Some("initialize") {
            headers.push(("MCP-Protocol-Version", self.revision()));
        }
        headers.extend(session.map(|session| ("Mcp-Session-Id", session)));
        if self == Self::Stateless {
            headers.extend(method.map(|method| ("Mcp-Method", method)));
            headers.extend(message["params"]["name"].as_str().map(|name| ("Mcp-Name", name)));
        }
        wire::request("POST", endpoint, &headers, Some(&message.to_string()))
    }
}

/// Returns the user's answer to every question.
pub(super) fn accepted() -> Value {
    json!({"action": "accept", "content": {"name": "Ann"}})
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::SocketAddr;

    #[test]
    fn only_a_stateless_request_describes_itself_in_headers() {
        let endpoint = Endpoint::from(SocketAddr::from(([127, 0, 0, 1], 1)));
        let text = |era: Era| {
            let message = era.request(
                1,
                "tools/call",
                json!({"name": "echo1"}),
                Some(crate::ledger::Ledger::default().trace()),
            );
            String::from_utf8(era.post(&endpoint, Some("s"), &message)).unwrap()
        };
        assert!(text(Era::Stateless).contains("Mcp-Name: echo1\r\n"));
        assert!(!text(Era::Sessions).contains("Mcp-Name"));
        assert!(text(Era::Sessions).contains("00-00000000000000000000000000000001-00000000000000aa-01"));
    }
}
