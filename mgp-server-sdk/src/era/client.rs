//! The client of a request of a stateless revision, as the request describes it.

use crate::logging;
use mgp_lifecycle::handshake::HandshakeProgress;
use mgp_transport::seam::{Extensions, Session};
use mgp_types::{
    json::RawObject,
    mcp::stateless::{EnvelopeMembers, EnvelopeTail, RequestEnvelope},
    negotiation::{Answer, ServerProfile, answer, read_offer},
    rpc::ErrorObject,
};
use std::sync::Arc;

/// The client of a request, as the request describes it.
#[derive(Debug)]
pub(super) struct Client {
    /// The values for the session of the request, which the handshake sets in earlier revisions.
    pub(super) said: Arc<Extensions>,
    /// The agreement with a client that also has MGP.
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

/// The longest `_meta` whose description of a client is kept, in bytes.
const LONGEST: usize = 16 * 1024;

/// The client of the last request on a connection. The next request usually describes the same client, unless the connection
/// carries requests of several clients.
#[derive(Debug, Clone)]
pub(super) struct LastClient(Arc<Description>);

#[derive(Debug)]
struct Description {
    tail: Option<EnvelopeTail>,
    members: EnvelopeMembers,
    client: Arc<Client>,
}

impl LastClient {
    /// Returns the client of a request whose `_meta` ends like that of the last one.
    pub(super) fn repeated(connection: &Session, params: &RawObject) -> Option<Arc<Client>> {
        let Self(last) = connection.get()?;
        last.tail.as_ref().is_some_and(|tail| tail.is_in(params)).then(|| last.client.clone())
    }

    /// Returns the client that these members of a request describe. They are parsed only if they differ from those of the previous request.
    ///
    /// # Errors
    /// Returns the problem with the description.
    pub(super) fn of(
        connection: &Session,
        (params, members): (&RawObject, &EnvelopeMembers),
        server: &ServerProfile,
    ) -> Result<Arc<Client>, ErrorObject> {
        if let Some(Self(last)) = connection.get()
            && last.members == *members
        {
            return Ok(last.client.clone());
        }
        if params.get("_meta").is_none_or(|meta| meta.as_bytes().len() > LONGEST) {
            return Ok(Arc::new(Client::of(members.read()?, server)));
        }
        let (tail, members) = (EnvelopeTail::of(params), members.detached());
        let client = Arc::new(Client::of(members.read()?, server));
        connection.set(Self(Arc::new(Description { tail, members, client: client.clone() })));
        Ok(client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::mcp::ClientCapabilities;

    fn says(capabilities: &str) -> RawObject {
        let params = format!(
            r#"{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
                "io.modelcontextprotocol/clientCapabilities":{capabilities}}}}}"#,
        );
        RawObject::parse(params).unwrap()
    }

    #[test]
    fn repeated_client_metadata_is_not_parsed_again() {
        let (connection, server) = (Session::new("c"), ServerProfile::default());
        let of = |capabilities: &str| {
            let params = says(capabilities);
            let members = EnvelopeMembers::of(&params).unwrap();
            LastClient::of(&connection, (&params, &members), &server)
        };
        let repeated = |capabilities: &str| LastClient::repeated(&connection, &says(capabilities));
        assert!(repeated("{}").is_none());
        let first = of("{}").unwrap();
        assert!(repeated("{}").is_some_and(|client| Arc::ptr_eq(&first, &client)));
        assert!(repeated(r#"{"sampling":{}}"#).is_none());
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
