//! §2.2 A client's offer.

use super::{Carrier, Compatibility, Extension, ExtensionSet, MGP_VERSION, MgpCapabilities, MgpVersion};
use crate::json::RawObject;

/// Creates the object with which a client offers extensions, under all of their names. [`put_offer`] puts it into the
/// capabilities of `initialize`; in the stateless revision its place is [`Carrier::Extensions`].
#[must_use]
pub fn offer(extensions: ExtensionSet) -> MgpCapabilities {
    let names = extensions.iter().flat_map(Extension::spellings).copied();
    let whole = [Extension::BIDIRECTIONAL];
    let whole = whole.into_iter().filter(|name| extensions.contains_all(Extension::from_spelling(name)));
    MgpCapabilities {
        version: MGP_VERSION.to_owned(),
        extensions: names.chain(whole).chain([Extension::ERROR_HANDLING]).map(str::to_owned).collect(),
        permissions_required: None,
        server_id: None,
        trust_level: None,
        other: RawObject::new(),
    }
}

/// Puts a client's offer into the capabilities of its `initialize`: in the specification's place and, because some SDKs
/// drop unknown members, also under `experimental`.
///
/// ```
/// use mgp_types::{json::RawObject, negotiation::{ExtensionSet, put_offer, read_offer}};
/// let mut capabilities = RawObject::parse(r#"{"roots":{}}"#)?;
/// put_offer(&mut capabilities, ExtensionSet::ALL);
/// assert_eq!(read_offer(&capabilities).map(|offer| offer.extensions), Some(ExtensionSet::ALL));
/// # Ok::<(), mgp_types::json::JsonError>(())
/// ```
pub fn put_offer(capabilities: &mut RawObject, extensions: ExtensionSet) {
    let mgp = offer(extensions);
    Carrier::Capabilities.put(capabilities, &mgp);
    Carrier::Experimental.put(capabilities, &mgp);
}

/// A client's offer, as a server reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The client's version of MGP.
    pub version: MgpVersion,
    /// The extensions that are known here.
    pub extensions: ExtensionSet,
    /// The names of the extensions as the client wrote them, in its order.
    pub spellings: Vec<String>,
    /// The places of the offer; the answer goes to the same places.
    pub carriers: Vec<Carrier>,
}

/// Reads a client's offer from its capabilities. Returns `None` if there is no offer that can be understood: the client is then a plain MCP
/// client, to which nothing of MGP must be sent (§2.4).
#[must_use]
pub fn read_offer(capabilities: &RawObject) -> Option<Offer> {
    let readable =
        |carrier: Carrier| MgpCapabilities::read(&carrier.find(capabilities)?).ok().map(|mgp| (carrier, mgp));
    let found: Vec<_> = Carrier::ALL.into_iter().filter_map(readable).collect();
    let (_, mgp) = found.first()?;
    let version: MgpVersion = mgp.version.parse().ok()?;
    if version.compatibility() == Compatibility::OtherMajor {
        return None;
    }
    let known = |name: &&String| {
        !Extension::from_spelling(name).is_empty() || name.as_str() == Extension::ERROR_HANDLING
    };
    Some(Offer {
        version,
        extensions: mgp.extension_set(),
        spellings: mgp.extensions.iter().filter(known).cloned().collect(),
        carriers: found.iter().map(|(carrier, _)| *carrier).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str) -> Option<Offer> {
        read_offer(&RawObject::parse(text).unwrap())
    }

    #[test]
    fn a_client_offers_both_spellings() {
        let names = offer([Extension::Security, Extension::Streaming].into_iter().collect()).extensions;
        assert_eq!(
            names,
            ["security", "permissions", "tool_security", "streaming", "progress", "error_handling"]
        );
    }

    #[test]
    fn a_section_name_is_offered_only_with_all_its_parts() {
        let names = |extensions: &[Extension]| offer(extensions.iter().copied().collect()).extensions;
        assert_eq!(names(&[Extension::Events]), ["events", "error_handling"]);
        let both = names(&[Extension::Events, Extension::Callbacks]);
        assert_eq!(both, ["events", "callbacks", "bidirectional", "error_handling"]);
    }

    #[test]
    fn an_offer_is_added_in_both_places() {
        let mut capabilities = RawObject::parse(r#"{"experimental":{"own":1e500}}"#).unwrap();
        put_offer(&mut capabilities, ExtensionSet::EMPTY);
        let mgp = r#"{"version":"0.3.0","extensions":["error_handling"]}"#;
        assert_eq!(
            capabilities.to_json().to_string(),
            format!(r#"{{"experimental":{{"own":1e500,"mgp":{mgp}}},"mgp":{mgp}}}"#)
        );
    }

    #[test]
    fn an_offer_is_read_from_every_place_canonical_first() {
        let both = read(
            r#"{"experimental":{"mgp":{"version":"0.3.0","extensions":["audit"]}},
                "mgp":{"version":"0.6.0","extensions":["events","x"]}}"#,
        )
        .unwrap();
        assert_eq!(both.carriers, [Carrier::Capabilities, Carrier::Experimental]);
        assert!(both.extensions.iter().eq([Extension::Events]));
        assert_eq!(both.spellings, ["events"]);
        let stateless =
            read(r#"{"extensions":{"dev.cloto/mgp":{"version":"0.3.0","extensions":[]}}}"#).unwrap();
        assert_eq!(stateless.carriers, [Carrier::Extensions]);
    }

    #[test]
    fn a_missing_malformed_or_other_major_offer_is_a_plain_client() {
        for text in [
            "{}",
            r#"{"mgp":null}"#,
            r#"{"mgp":{"version":"0.3.0"}}"#,
            r#"{"mgp":{"version":7,"extensions":[]}}"#,
            r#"{"mgp":{"version":"1.0.0","extensions":["audit"]}}"#,
            r#"{"experimental":{"mgp":"yes"}}"#,
            r#"{"experimental":[]}"#,
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
