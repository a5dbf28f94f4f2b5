//! Who sends a request of a stateless revision, as it says.

use crate::logging;
use http::Extensions;
use mgp_lifecycle::handshake::HandshakeProgress;
use mgp_transport::seam::Session;
use mgp_types::{
    mcp::stateless::{EnvelopeMembers, RequestEnvelope},
    negotiation::{Answer, ServerProfile, answer, read_offer},
    rpc::ErrorObject,
};
use std::sync::Arc;

/// Who sends a request, as it says.
#[derive(Debug)]
pub(super) struct Client {
    /// For the session of the request: what the handshake of earlier revisions puts there.
    pub(super) said: Arc<Extensions>,
    /// What is agreed on with a client that has MGP too.
    pub(super) agreed: Option<Answer>,
}

impl Client {
    pub(super) fn of(envelope: RequestEnvelope, server: &ServerProfile) -> Self {
        let offer = read_offer(&envelope.capabilities.0);
        let agreed = offer.map(|offer| answer(&offer, server));
        let ready = HandshakeProgress::default();
        ready.not_needed();
        let mut said = Extensions::new();
        said.insert(ready);
        said.insert(envelope.version);
        said.insert(envelope.capabilities);
        logging::note_level(&mut said, envelope.log_level);
        if let Some(client) = envelope.client_info {
            said.insert(client);
        }
        if let Some(agreed) = &agreed {
            said.insert(agreed.negotiated.clone());
        }
        Self { said: Arc::new(said), agreed }
    }
}

/// How long what is said of a client may be to be kept, in bytes.
const LONGEST: usize = 16 * 1024;

/// Who sent the last request of a connection. The next one says the same, but for who forwards requests of many.
#[derive(Debug, Clone)]
pub(super) struct LastClient(Arc<(EnvelopeMembers, Arc<Client>)>);

impl LastClient {
    /// Who sends a request that says this. It is read only where the one before said something else.
    ///
    /// # Errors
    /// What is wrong with what it says.
    pub(super) fn of(
        connection: &Session,
        members: &EnvelopeMembers,
        server: &ServerProfile,
    ) -> Result<Arc<Client>, ErrorObject> {
        if let Some(Self(last)) = connection.get()
            && last.0 == *members
        {
            return Ok(last.1.clone());
        }
        if members.length() > LONGEST {
            return Ok(Arc::new(Client::of(members.read()?, server)));
        }
        let members = members.detached();
        let client = Arc::new(Client::of(members.read()?, server));
        connection.set(Self(Arc::new((members, client.clone()))));
        Ok(client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::{json::RawObject, mcp::ClientCapabilities};

    fn says(capabilities: &str) -> EnvelopeMembers {
        let params = format!(
            r#"{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
                "io.modelcontextprotocol/clientCapabilities":{capabilities}}}}}"#,
        );
        EnvelopeMembers::of(&RawObject::parse(params).unwrap()).unwrap()
    }

    #[test]
    fn what_is_said_again_is_not_read_again_and_something_else_is() {
        let (connection, server) = (Session::new("c"), ServerProfile::default());
        let of = |capabilities: &str| LastClient::of(&connection, &says(capabilities), &server);
        let first = of("{}").unwrap();
        assert!(Arc::ptr_eq(&first, &of("{}").unwrap()));
        let other = of(r#"{"sampling":{}}"#).unwrap();
        assert!(other.said.get::<ClientCapabilities>().unwrap().sampling());
        assert!(of("7").is_err());
        let long = format!(r#"{{"x":"{}"}}"#, "x".repeat(LONGEST));
        assert!(!Arc::ptr_eq(&of(&long).unwrap(), &of(&long).unwrap()));
        assert!(Arc::ptr_eq(&other, &of(r#"{"sampling":{}}"#).unwrap()));
        assert!(!of("{}").unwrap().said.get::<ClientCapabilities>().unwrap().sampling());
    }
}
