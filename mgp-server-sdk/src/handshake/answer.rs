//! Answers `initialize`.

use mgp_transport::seam::{Incoming, Reply, Session};
use mgp_types::{
    mcp::{Implementation, InitializeParams, InitializeResult, ProtocolVersion, ServerCapabilities},
    negotiation::{Carrier, ServerProfile, answer, read_offer},
    rpc::ErrorObject,
};

/// What a server says about itself in the handshake.
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
    /// Who the server is.
    pub implementation: Implementation,
    /// How to use it, for a model.
    pub instructions: Option<String>,
    /// What it can do, MGP left out, in the words of the latest revision with `initialize`. Others are told of
    /// [tasks](crate::task) as far as, and in the words in which, they know of them.
    pub capabilities: ServerCapabilities,
    /// What it has of MGP.
    pub profile: ServerProfile,
}

impl Handshake {
    /// Answers `initialize`: picks the revision of MCP, and answers an offer of MGP where it stood (§2.3). A client that
    /// offered none gets none.
    ///
    /// What holds from here on is put into the message's session, each as a typed value:
    /// [`Negotiated`](mgp_types::negotiation::Negotiated) (only where both sides have MGP), [`ProtocolVersion`], and of the
    /// client its [`Implementation`] and [`ClientCapabilities`](mgp_types::mcp::ClientCapabilities).
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
                tracing::warn!(client, %version, "the client speaks another minor version of MGP");
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
