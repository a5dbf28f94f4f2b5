//! §2.4 A client's conclusion from a server's answer.

use super::{Carrier, Compatibility, ExtensionSet, MgpCapabilities, MgpVersion, Negotiation};
use crate::json::RawObject;

/// Returns the result of the negotiation with a server. The common extensions are computed anew from those that the
/// client offered and those that the server has: the server's own intersection is not trusted. `None` stands for a
/// plain MCP server: one without an `mgp` object, with a malformed one, or with another major version.
#[must_use]
pub fn conclude(offered: ExtensionSet, capabilities: &RawObject) -> Option<Negotiation> {
    let readable =
        |carrier: Carrier| MgpCapabilities::read(&carrier.find(capabilities)?).ok().map(|mgp| (carrier, mgp));
    let (carrier, mgp) = Carrier::ALL.into_iter().find_map(readable)?;
    let version: MgpVersion = mgp.version.parse().ok()?;
    if version.compatibility() == Compatibility::OtherMajor {
        return None;
    }
    Some(Negotiation {
        version,
        extensions: offered.intersect(mgp.extension_set()),
        carrier,
        claimed_trust: mgp.claimed_trust(),
        server_id: mgp.server_id.map(Into::into),
        permissions_required: mgp.permissions_required.unwrap_or_default().into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{context::TrustLevel, negotiation::Extension};

    fn check(offered: &[Extension], text: &'static str) -> Option<Negotiation> {
        conclude(offered.iter().copied().collect(), &RawObject::parse(text).unwrap())
    }

    #[test]
    fn an_extension_that_was_not_offered_is_never_agreed() {
        let text = r#"{"mgp":{"version":"0.3.0","extensions":["audit","discovery","callbacks"]}}"#;
        let negotiated = check(&[Extension::Audit, Extension::Callbacks], text).unwrap();
        assert!(negotiated.extensions.iter().eq([Extension::Audit, Extension::Callbacks]));
    }

    #[test]
    fn a_server_without_a_readable_object_is_plain() {
        for text in [
            r#"{"tools":{}}"#,
            r#"{"mgp":[]}"#,
            r#"{"mgp":{"version":"2.0.0","extensions":["audit"]}}"#,
            r#"{"mgp":{"version":"","extensions":["audit"]}}"#,
        ] {
            assert_eq!(check(&[Extension::Audit], text), None, "{text}");
        }
    }

    #[test]
    fn a_malformed_object_does_not_hide_a_valid_one_elsewhere() {
        let text = r#"{"mgp":7,"experimental":{"mgp":{"version":"0.4.0","extensions":[],"server_id":"s",
            "trust_level":"trusted","permissions_required":["shell"]}}}"#;
        let negotiated = check(&[Extension::Audit], text).unwrap();
        assert_eq!(negotiated.carrier, Carrier::Experimental);
        assert_eq!(negotiated.server_id.as_deref(), Some("s"));
        assert_eq!(negotiated.claimed_trust, Some(TrustLevel::Trusted));
        assert_eq!(&*negotiated.permissions_required, ["shell"]);
        assert!(negotiated.extensions.is_empty() && negotiated.minor_differs());
    }
}
