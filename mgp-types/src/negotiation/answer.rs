//! §2.3 A server's answer.

use super::{Carrier, Extension, ExtensionSet, MGP_VERSION, MgpCapabilities, Negotiation, Offer};
use crate::{context::TrustLevel, json::RawObject};

/// A server's own side of the negotiation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerProfile {
    /// The extensions that the server has.
    pub extensions: ExtensionSet,
    /// The permissions that the server needs, by name.
    pub permissions_required: Vec<String>,
    /// The server's name for itself.
    pub server_id: Option<String>,
    /// The trust level that the server claims.
    pub trust_level: Option<TrustLevel>,
}

/// A server's answer, and the result of the negotiation.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The object to send.
    pub capabilities: MgpCapabilities,
    /// The places to put the object.
    pub carriers: Vec<Carrier>,
    /// The result of the negotiation.
    pub negotiated: Negotiation,
}

impl Answer {
    /// Puts the answer into the server's capabilities, at every place where the client's offer was.
    pub fn put(&self, capabilities: &mut RawObject) {
        for carrier in &self.carriers {
            carrier.put(capabilities, &self.capabilities);
        }
    }
}

/// Returns the answer to an offer: the extensions that both sides have, in the spellings that the client used. A client
/// that offered nothing has no [`Offer`], so it cannot be answered.
#[must_use]
pub fn answer(offer: &Offer, server: &ServerProfile) -> Answer {
    let extensions = offer.extensions.intersect(server.extensions);
    let agreed = |name: &&String| {
        let named = Extension::from_spelling(name);
        let common = extensions.intersect(named);
        // A name for several extensions would claim those that this side lacks, unless the client has no other name for the rest.
        let has_other_name = |part: Extension| offer.spellings.iter().any(|name| name == part.as_str());
        match name.as_str() {
            Extension::ERROR_HANDLING => true,
            Extension::BIDIRECTIONAL => common == named || common.iter().any(|part| !has_other_name(part)),
            _ => !common.is_empty(),
        }
    };
    let permissions = &server.permissions_required;
    Answer {
        capabilities: MgpCapabilities {
            version: MGP_VERSION.to_owned(),
            extensions: offer.spellings.iter().filter(agreed).cloned().collect(),
            permissions_required: (!permissions.is_empty()).then(|| permissions.clone()),
            server_id: server.server_id.clone(),
            trust_level: server.trust_level.map(|trust| trust.as_str().to_owned()),
            other: RawObject::new(),
        },
        carriers: offer.carriers.clone(),
        negotiated: Negotiation {
            version: offer.version,
            extensions,
            carrier: offer.carriers.first().copied().unwrap_or(Carrier::Capabilities),
            server_id: server.server_id.as_deref().map(Into::into),
            permissions_required: permissions.as_slice().into(),
            claimed_trust: server.trust_level,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::negotiation::read_offer;

    fn respond(client: &'static str, extensions: &[Extension]) -> String {
        let offer = read_offer(&RawObject::parse(client).unwrap()).unwrap();
        let server = ServerProfile { extensions: extensions.iter().copied().collect(), ..Default::default() };
        let mut capabilities = RawObject::parse(r#"{"tools":{}}"#).unwrap();
        answer(&offer, &server).put(&mut capabilities);
        capabilities.to_json().as_str().to_owned()
    }

    #[test]
    fn the_intersection_is_answered_in_the_client_s_spellings() {
        assert_eq!(
            respond(
                r#"{"mgp":{"version":"0.1.0","extensions":["events","permissions","audit","x","error_handling"]}}"#,
                &[Extension::Events, Extension::Security, Extension::Lifecycle]
            ),
            r#"{"tools":{},"mgp":{"version":"0.3.0","extensions":["events","permissions","error_handling"]}}"#
        );
    }

    #[test]
    fn a_section_name_is_answered_in_part_only_without_other_names() {
        for (offered, answered) in [
            (r#"["bidirectional"]"#, r#"["bidirectional"]"#),
            (r#"["bidirectional","events","callbacks"]"#, r#"["events"]"#),
            (r#"["callbacks"]"#, "[]"),
        ] {
            let client = format!(r#"{{"mgp":{{"version":"0.3.0","extensions":{offered}}}}}"#);
            let answer = format!(r#"{{"tools":{{}},"mgp":{{"version":"0.3.0","extensions":{answered}}}}}"#);
            assert_eq!(respond(client.leak(), &[Extension::Events]), answer);
        }
    }

    #[test]
    fn the_answer_is_written_only_in_the_offer_s_place() {
        assert_eq!(
            respond(
                r#"{"experimental":{"mgp":{"version":"0.3.0","extensions":["audit"]}}}"#,
                &[Extension::Audit]
            ),
            r#"{"tools":{},"experimental":{"mgp":{"version":"0.3.0","extensions":["audit"]}}}"#
        );
    }

    #[test]
    fn nothing_in_common_is_mgp_without_extensions() {
        assert_eq!(
            respond(r#"{"mgp":{"version":"0.3.0","extensions":["audit"]}}"#, &[]),
            r#"{"tools":{},"mgp":{"version":"0.3.0","extensions":[]}}"#
        );
    }
}
