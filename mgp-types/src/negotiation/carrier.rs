//! The place of the `mgp` object.

use super::MgpCapabilities;
use crate::json::{RawJson, RawObject};

/// The place of the `mgp` object in the capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Carrier {
    /// `capabilities.mgp`: the specification's own place (§2.2).
    Capabilities,
    /// `capabilities.experimental.mgp`: for peers whose SDK drops unknown members.
    Experimental,
    /// `capabilities.extensions["dev.cloto/mgp"]`: MCP's stateless revision.
    Extensions,
}

impl Carrier {
    /// Every place, the canonical one first.
    pub const ALL: [Self; 3] = [Self::Capabilities, Self::Experimental, Self::Extensions];

    /// Returns the member of the capabilities that holds the object, and the object's key in that member.
    const fn path(self) -> (Option<&'static str>, &'static str) {
        match self {
            Self::Capabilities => (None, "mgp"),
            Self::Experimental => (Some("experimental"), "mgp"),
            Self::Extensions => (Some("extensions"), "dev.cloto/mgp"),
        }
    }

    /// Returns the text in this place.
    #[must_use]
    pub fn find(self, capabilities: &RawObject) -> Option<RawJson> {
        match self.path() {
            (None, key) => capabilities.get(key).cloned(),
            (Some(member), key) => capabilities.object(member)?.get(key).cloned(),
        }
    }

    /// Puts the object in this place; everything else is unchanged.
    pub fn put(self, capabilities: &mut RawObject, mgp: &MgpCapabilities) {
        // The object holds strings and raw JSON only, so writing cannot fail.
        let Ok(json) = RawJson::from_value(mgp) else { return };
        match self.path() {
            (None, key) => {
                capabilities.insert(key, json);
            }
            (Some(member), key) => {
                let mut inner = capabilities.object(member).unwrap_or_default();
                inner.insert(key, json);
                capabilities.insert(member, inner.to_json());
            }
        }
    }

    /// Removes MGP from capabilities, in every place, for a plain MCP peer.
    pub fn strip(capabilities: &mut RawObject) {
        for carrier in Self::ALL {
            match carrier.path() {
                (None, key) => {
                    capabilities.remove(key);
                }
                (Some(member), key) => {
                    let Some(mut inner) = capabilities.object(member) else { continue };
                    if inner.remove(key).is_none() {
                        continue;
                    }
                    if inner.is_empty() {
                        capabilities.remove(member);
                    } else {
                        capabilities.insert(member, inner.to_json());
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::negotiation::{ExtensionSet, offer};

    #[test]
    fn an_offer_in_any_place_is_found_and_can_be_removed() {
        let text = r#"{"roots":{"n":1e500},"experimental":{"own":1}}"#;
        for carrier in Carrier::ALL {
            let mut capabilities = RawObject::parse(text).unwrap();
            carrier.put(&mut capabilities, &offer(ExtensionSet::ALL));
            let found: Vec<_> =
                Carrier::ALL.into_iter().filter(|c| c.find(&capabilities).is_some()).collect();
            assert_eq!(found, [carrier]);
            Carrier::strip(&mut capabilities);
            assert_eq!(capabilities.to_json().as_str(), text);
        }
    }
}
