//! Answers `initialize`.

use mgp_transport::seam::{Incoming, Reply, Role, Routes, Session};
use mgp_types::{
    mcp::{
        Implementation, Initialize, InitializeParams, InitializeResult, ProtocolVersion, ServerCapabilities,
    },
    negotiation::{Carrier, ServerProfile, answer, read_offer},
    rpc::ErrorObject,
};

/// The part of a server's description that goes into the answer to `initialize`.
///
/// ```
/// use mgp_server_sdk::handshake::Handshake;
/// use mgp_transport::seam::Incoming;
/// use mgp_types::{json::RawJson, mcp::{Implementation, ServerCapabilities}, negotiation::ServerProfile};
///
/// let handshake = Handshake {
///     implementation: Implementation::new("adder", "1.0.0"),
///     instructions: None,
///     capabilities: ServerCapabilities::default().with("tools"),
///     profile: ServerProfile::default(),
/// };
/// let params = RawJson::parse(
///     r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"host","version":"1"}}"#,
/// )?;
/// let reply = handshake.answer(&Incoming::request(1, "initialize", params));
/// let result = reply.result().map(|result| result.as_str()).unwrap_or_default();
/// assert!(result.starts_with(r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}"#));
/// assert!(!result.contains("mgp"));
/// # Ok::<(), mgp_types::json::JsonError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Handshake {
    /// The name and version of the server.
    pub implementation: Implementation,
    /// Instructions for a model on how to use the server.
    pub instructions: Option<String>,
    /// The capabilities of the server without MGP, in the terms of the latest revision with `initialize`. Clients of other
    /// revisions are informed of [tasks](crate::task) only in the form of their revision, if any.
    pub capabilities: ServerCapabilities,
    /// The MGP features of the server.
    pub profile: ServerProfile,
}

impl Handshake {
    /// Returns `initialize`.
    pub(crate) fn routes() -> Routes<Self> {
        Routes::new().route(Initialize, Role::Anyone, async |handshake: Self, message| {
            Ok(handshake.try_answer(&message)?)
        })
    }

    /// Answers `initialize`: selects the revision of MCP, and answers an offer of MGP in the same place (§2.3). A client without
    /// an offer gets no answer to one.
    ///
    /// The outcome is put into the message's session, each part as a typed value:
    /// [`Negotiation`](mgp_types::negotiation::Negotiation) (only if both sides have MGP), [`ProtocolVersion`], and the client's
    /// [`Implementation`] and [`ClientCapabilities`](mgp_types::mcp::ClientCapabilities).
    #[must_use]
    pub fn answer(&self, incoming: &Incoming) -> Reply {
        self.try_answer(incoming).unwrap_or_else(Reply::error)
    }

    fn try_answer(&self, incoming: &Incoming) -> Result<Reply, ErrorObject> {
        let params: InitializeParams = incoming.params.decode()?;
        let version = ProtocolVersion::answer(&params.protocol_version);
        let mut capabilities = self.capabilities.0.clone();
        Carrier::strip(&mut capabilities);
        if version < ProtocolVersion::V2025_11_25 {
            capabilities.remove("tasks");
        }
        let agreed = read_offer(&params.capabilities.0).map(|offer| answer(&offer, &self.profile));
        if let Some(answer) = &agreed {
            answer.put(&mut capabilities);
            if answer.negotiated.minor_differs() {
                let (client, version) = (&params.client_info.name, answer.negotiated.version);
                tracing::warn!(client, %version, "the client uses another minor version of MGP");
            }
        }
        let mut result =
            InitializeResult::new(version, ServerCapabilities(capabilities), self.implementation.clone());
        result.instructions.clone_from(&self.instructions);
        if let Some(session) = incoming.session() {
            if let Some(answer) = agreed {
                session.set(answer.negotiated);
            }
            remember(session, version, params);
        }
        Ok(Reply::from_value(&result))
    }
}

fn remember(session: &Session, version: ProtocolVersion, params: InitializeParams) {
    session.set(version);
    session.set(params.client_info);
    session.set(params.capabilities);
}
