//! Checks the proof of a request.

use super::{UsedProofs, thumbprint::thumbprint};
use crate::identity::oauth::{
    keys::Key,
    token::{Jws, PROOF_TYPES},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use http::{HeaderMap, Method};
use mgp_types::{json::RawObject, oauth::SignatureAlgorithm};
use sha2::{Digest, Sha256};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use url::Url;

/// The longest proof that is read, in bytes.
const MAX_PROOF: usize = 16 * 1024;
/// The longest id of a proof, in bytes.
const MAX_ID: usize = 512;
/// The most by which the time of a proof may differ from that of this machine.
const WINDOW: Duration = Duration::from_secs(300);
/// The members of a key that only its owner may have.
const PRIVATE: [&str; 7] = ["d", "p", "q", "dp", "dq", "qi", "k"];

/// Returns the names of the algorithms that proofs may be signed with.
pub(in super::super) fn algorithms() -> Vec<String> {
    SignatureAlgorithm::ALL.iter().map(|algorithm| algorithm.as_str().to_owned()).collect()
}

/// A request whose proof is checked.
pub(in super::super) struct ProofCheck<'a> {
    pub(in super::super) method: &'a Method,
    /// The URL of the request, as clients know it.
    pub(in super::super) url: &'a str,
    pub(in super::super) token: &'a str,
    /// The thumbprint of the key that the token is bound to.
    pub(in super::super) thumbprint: &'a str,
    pub(in super::super) now: SystemTime,
}

impl ProofCheck<'_> {
    /// Checks the proof of a request, and records it as used.
    ///
    /// # Errors
    /// The fault of the proof.
    pub(in super::super) fn run(&self, headers: &HeaderMap, used: &UsedProofs) -> Result<(), &'static str> {
        let mut values = headers.get_all("dpop").iter();
        let proof = match (values.next(), values.next()) {
            (Some(value), None) => value.to_str().map_err(|_| "the proof is not text (DPoP)")?,
            (None, _) => return Err("the proof is missing (DPoP)"),
            (Some(_), Some(_)) => return Err("there are two proofs: expected one header DPoP"),
        };
        if proof.len() > MAX_PROOF {
            return Err("the proof is too long (DPoP)");
        }
        let jws = Jws::parse_as(proof, PROOF_TYPES).ok_or("the proof is not a signed proof (typ)")?;
        if jws.header.get("typ").is_none() {
            return Err("the proof is not a signed proof (typ)");
        }
        let jwk = jws.header.object("jwk").ok_or("the proof has no public key (jwk)")?;
        if PRIVATE.iter().any(|name| jwk.get(name).is_some()) {
            return Err("the proof holds a private key (jwk)");
        }
        if thumbprint(&jwk).as_deref() != Some(self.thumbprint) {
            return Err("the proof is of another key than the token (cnf)");
        }
        let algorithm =
            SignatureAlgorithm::parse(&jws.algorithm).ok_or("the proof's algorithm is unknown (alg)")?;
        let key = Key::read(&jwk).filter(|key| key.fits(algorithm, None));
        let key = key.ok_or("the proof's key does not fit its algorithm (alg)")?;
        if !key.verifies(algorithm, jws.signed, &jws.signature) {
            return Err("the proof's signature is wrong");
        }
        self.check_claims(&jws.claims)?;
        let id = jws.claims.text("jti").filter(|id| (1..=MAX_ID).contains(&id.len()));
        let id = id.ok_or("the proof has no id (jti)")?;
        let digest =
            Sha256::new().chain_update(self.thumbprint).chain_update([0]).chain_update(id).finalize();
        if used.record(digest.into(), self.now) { Ok(()) } else { Err("the proof was used before (jti)") }
    }

    fn check_claims(&self, claims: &RawObject) -> Result<(), &'static str> {
        if claims.text("htm").as_deref() != Some(self.method.as_str()) {
            return Err("the proof is for another method (htm)");
        }
        let url = claims.text("htu").and_then(|url| plain(&url));
        if url.is_none() || url != plain(self.url) {
            return Err("the proof is for another URL (htu)");
        }
        let hash = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(self.token));
        if claims.text("ath").as_deref() != Some(hash.as_str()) {
            return Err("the proof is for another token (ath)");
        }
        let issued = claims.decode::<f64>("iat").ok().flatten();
        let issued = issued.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let issued =
            issued.and_then(|since| UNIX_EPOCH.checked_add(since)).ok_or("the proof has no time (iat)")?;
        let apart = self.now.duration_since(issued).unwrap_or_else(|error| error.duration());
        if apart > WINDOW { Err("the proof is too old, or not valid yet (iat)") } else { Ok(()) }
    }
}

/// Returns a URL in normal form, without query and fragment.
fn plain(url: &str) -> Option<Url> {
    let mut url = Url::parse(url).ok()?;
    url.set_query(None);
    url.set_fragment(None);
    Some(url)
}
