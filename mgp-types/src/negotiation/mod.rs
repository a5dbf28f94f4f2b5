//! §2 Negotiation: the capabilities that both sides of a connection share, computed by pure functions.
//!
//! A client calls [`put_offer`] and later [`conclude`]; a server calls [`read_offer`] and [`answer`].

mod answer;
mod capabilities;
mod carrier;
mod conclude;
mod extension;
mod extension_set;
mod offer;
mod result;
mod version;

pub use answer::{Answer, ServerProfile, answer};
pub use capabilities::{MAX_EXTENSIONS, MAX_NAME_LENGTH, MAX_PERMISSIONS, MgpCapabilities};
pub use carrier::Carrier;
pub use conclude::conclude;
pub use extension::Extension;
pub use extension_set::ExtensionSet;
pub use offer::{Offer, offer, put_offer, read_offer};
pub use result::Negotiation;
pub use version::{Compatibility, InvalidVersion, MGP_VERSION, MgpVersion};
