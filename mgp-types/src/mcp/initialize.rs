//! `initialize` and `notifications/initialized`.

use super::{ClientCapabilities, Implementation, ProtocolVersion, ServerCapabilities};
use crate::{json::RawObject, rpc::Empty};

calls! {
    /// Opens a connection by exchanging versions, capabilities and names.
    control Initialize = "initialize": InitializeParams => InitializeResult;
}

notices! {
    /// Reports that the client is ready.
    Initialized = "notifications/initialized": Empty;
}

open_object! {
    /// The params with which a client opens a connection.
    pub struct InitializeParams {
        /// The revision that the client requests; any text, because it may be unknown here.
        required protocol_version: String = "protocolVersion",
        /// The client's capabilities.
        required capabilities: ClientCapabilities = "capabilities",
        /// The client's name and version, as it states them. Not to be trusted.
        required client_info: Implementation = "clientInfo",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

impl InitializeParams {
    /// Creates params with a revision, capabilities and a name.
    #[must_use]
    pub fn new(version: ProtocolVersion, capabilities: ClientCapabilities, client: Implementation) -> Self {
        Self {
            protocol_version: version.as_str().to_owned(),
            capabilities,
            client_info: client,
            meta: None,
            other: RawObject::new(),
        }
    }
}

open_object! {
    /// The server's answer.
    pub struct InitializeResult {
        /// The revision that both sides use from here on.
        required protocol_version: String = "protocolVersion",
        /// The server's capabilities.
        required capabilities: ServerCapabilities = "capabilities",
        /// The server's name and version, as it states them. Not to be trusted.
        required server_info: Implementation = "serverInfo",
        /// Instructions for using the server, for a model.
        optional instructions: String = "instructions",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

impl InitializeResult {
    /// Creates an answer with a revision, capabilities and a name.
    #[must_use]
    pub fn new(version: ProtocolVersion, capabilities: ServerCapabilities, server: Implementation) -> Self {
        Self {
            protocol_version: version.as_str().to_owned(),
            capabilities,
            server_info: server,
            instructions: None,
            meta: None,
            other: RawObject::new(),
        }
    }
}
