//! `initialize` and `notifications/initialized`.

use super::{ClientCapabilities, Implementation, ProtocolVersion, ServerCapabilities};
use crate::{json::RawObject, rpc::Empty};

calls! {
    /// Opens a connection: versions, capabilities, names.
    control Initialize = "initialize": InitializeParams => InitializeResult;
}

notices! {
    /// The client is ready.
    Initialized = "notifications/initialized": Empty;
}

open_object! {
    /// What a client opens a connection with.
    pub struct InitializeParams {
        /// The revision that the client wants; any text, since it may be one that is not known here.
        required protocol_version: String = "protocolVersion",
        /// What the client can do.
        required capabilities: ClientCapabilities = "capabilities",
        /// Who the client says it is. Not to be trusted.
        required client_info: Implementation = "clientInfo",
        /// What MCP and its extensions say about the message.
        optional meta: RawObject = "_meta",
    }
}

impl InitializeParams {
    /// Params with a revision, capabilities and a name.
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
    /// What a server answers.
    pub struct InitializeResult {
        /// The revision that is spoken from here on.
        required protocol_version: String = "protocolVersion",
        /// What the server can do.
        required capabilities: ServerCapabilities = "capabilities",
        /// Who the server says it is. Not to be trusted.
        required server_info: Implementation = "serverInfo",
        /// How to use the server, for a model.
        optional instructions: String = "instructions",
        /// What MCP and its extensions say about the message.
        optional meta: RawObject = "_meta",
    }
}

impl InitializeResult {
    /// An answer with a revision, capabilities and a name.
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
