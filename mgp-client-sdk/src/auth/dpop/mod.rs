//! Proofs of possession (RFC 9449): tokens that are useless without the key of this client.

mod key;
mod nonce;

pub(super) use key::ProofKey;
pub(super) use nonce::nonce_of;

use http::HeaderName;

/// The header of a proof.
pub(super) const PROOF: HeaderName = HeaderName::from_static("dpop");
/// The only algorithm that is used, which RFC 9449 names as an example and every authorization server with DPoP is known to support.
pub(super) const ALGORITHM: &str = "ES256";
