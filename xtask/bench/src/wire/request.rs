//! The requests of the client.

use crate::adder::Add;
use mgp_types::mcp::ProtocolVersion;
use std::{fmt::Write as _, net::SocketAddr};

/// The relation between calls and sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// A session, opened by a handshake.
    Session,
    /// No session: each request contains everything that the server has to know.
    Stateless,
}

/// The parts that all requests to a server share: the head except the length, and the `_meta` of the body.
#[derive(Debug)]
pub(super) struct Requests {
    head: String,
    meta: &'static str,
}

/// The `_meta` of a request without a session.
const META: &str = r#","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Returns the request that opens a session.
pub(super) fn initialize() -> String {
    let version = ProtocolVersion::LATEST_LEGACY;
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"bench","version":"1.0.0"}}}}}}"#
    )
}

/// The notification that ends the handshake.
pub(super) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

impl Requests {
    /// Creates the requests to an unknown server.
    pub(super) fn new(address: SocketAddr, path: &str) -> Self {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\n"
        );
        Self { head, meta: "" }
    }

    /// Puts the requests into a session. Without a session id, the server is called without a session.
    pub(super) fn in_session(mut self, session: Option<&str>) -> Self {
        self.header("mcp-protocol-version", &ProtocolVersion::LATEST_LEGACY.to_string());
        if let Some(session) = session {
            self.header("mcp-session-id", session);
        }
        self
    }

    /// Makes the requests calls of one tool, without a session.
    pub(super) fn stateless(mut self, tool: &str) -> Self {
        self.meta = META;
        for (name, value) in
            [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", tool)]
        {
            self.header(name, value);
        }
        self
    }

    fn header(&mut self, name: &str, value: &str) {
        // Writing to a string cannot fail.
        let _ = write!(self.head, "{name}: {value}\r\n");
    }

    /// Writes a request with a body.
    pub(super) fn write(&self, text: &mut String, body: &str) {
        text.clear();
        let _ = write!(text, "{}content-length: {}\r\n\r\n{body}", self.head, body.len());
    }

    /// Writes the body of a call.
    pub(super) fn call(&self, body: &mut String, tool: &str, add: Add) {
        body.clear();
        let (Add { a, b }, meta) = (add, self.meta);
        let _ = write!(
            body,
            r#"{{"jsonrpc":"2.0","id":{a},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"a":{a},"b":{b}}}{meta}}}}}"#
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_its_body_s_length_and_its_session() {
        let address = SocketAddr::from(([127, 0, 0, 1], 80));
        let requests = Requests::new(address, "/mcp").in_session(Some("s1"));
        let (mut body, mut text) = (String::new(), String::new());
        requests.call(&mut body, "add", Add { a: 1, b: 2 });
        requests.write(&mut text, &body);
        let (head, sent) = text.split_once("\r\n\r\n").unwrap();
        assert_eq!(sent, body);
        assert!(head.contains("mcp-session-id: s1\r\n"), "{head}");
        assert!(head.ends_with(&format!("content-length: {}", body.len())), "{head}");
        assert_eq!(
            body,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}"#
        );
    }

    #[test]
    fn the_body_is_json() {
        let address = SocketAddr::from(([127, 0, 0, 1], 80));
        let mut body = String::new();
        Requests::new(address, "/").stateless("add").call(&mut body, "add", Add { a: 1, b: 2 });
        for text in [body.as_str(), &initialize(), INITIALIZED] {
            assert!(serde_json::from_str::<serde_json::Value>(text).is_ok(), "{text}");
        }
    }
}
