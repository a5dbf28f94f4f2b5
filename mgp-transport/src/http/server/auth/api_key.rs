//! API keys: only their hashes are kept, and they are compared in constant time.

use super::ambiguity::{X_API_KEY, bearer};
use crate::seam::{Authenticate, Authentication, CredentialError, KeyRing, ResourceMetadata, TokenGrant};
use async_trait::async_trait;
use http::{HeaderMap, header::AUTHORIZATION};
use mgp_types::context::Principal;
use sha2::{Digest, Sha256};
use std::{fmt, io, str::FromStr, sync::Arc};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

/// An API key as it is stored: the SHA-256 of its text.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey([u8; 32]);

/// A text that is not the stored form of an API key.
#[derive(Debug, Clone, thiserror::Error)]
#[error("invalid API key hash: expected 64 hexadecimal digits")]
pub struct InvalidApiKey;

impl ApiKey {
    /// Generates a key. Returns its text, to be shown once, and its stored form.
    ///
    /// # Errors
    /// Returns an error if the operating system supplies no random bytes.
    pub fn generate() -> io::Result<(String, Self)> {
        let text = format!("mgp_{}", random_hex()?);
        let key = Self::of(&text);
        Ok((text, key))
    }

    /// Returns the stored form of a key.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }
}

impl From<ApiKey> for [u8; 32] {
    fn from(key: ApiKey) -> Self {
        key.0
    }
}

/// Returns 256 random bits of the operating system, as text.
pub(in crate::http::server) fn random_hex() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(mgp_types::hex::encode(bytes))
}

impl fmt::Display for ApiKey {
    /// Writes the stored form, as [`FromStr`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&mgp_types::hex::encode(self.0))
    }
}

impl FromStr for ApiKey {
    type Err = InvalidApiKey;

    fn from_str(text: &str) -> Result<Self, InvalidApiKey> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(InvalidApiKey);
        }
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).map_err(|_| InvalidApiKey)?;
        }
        Ok(Self(bytes))
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(..)")
    }
}

/// The keys of a server, and the principal of each.
#[derive(Debug, Default)]
pub(in crate::http::server) struct ApiKeys {
    fixed: Vec<(ApiKey, Authentication)>,
    /// The keys that may change while the server runs.
    ring: Option<Arc<dyn KeyRing>>,
}

/// The authority behind an API key, whose owner may use every method.
#[derive(Debug)]
struct KeyAuthority {
    key: ApiKey,
    /// The ring of the key; `None` for a fixed key.
    ring: Option<Arc<dyn KeyRing>>,
}

#[async_trait]
impl Authenticate for KeyAuthority {
    async fn authenticate(&self, _: &HeaderMap, _: &str) -> Result<Authentication, CredentialError> {
        Err(CredentialError::missing())
    }

    fn check_again(&self, who: &Authentication) -> Result<(), CredentialError> {
        let owner = |ring: &Arc<dyn KeyRing>| ring.owner(&self.key.0);
        let is_same = |now: Authentication| now.principal == who.principal;
        if self.ring.as_ref().is_none_or(|ring| owner(ring).is_some_and(is_same)) {
            return Ok(());
        }
        let name = who.key.as_deref().unwrap_or_default();
        Err(CredentialError::invalid_token(format!("the API key {name:?} was revoked or has expired")))
    }

    fn metadata(&self) -> ResourceMetadata {
        ResourceMetadata::default()
    }
}

impl ApiKeys {
    pub(in crate::http::server) fn add(&mut self, key: ApiKey, name: Option<&str>, principal: Principal) {
        let who = Authentication { key: name.map(Arc::from), ..Authentication::new(principal) };
        self.fixed.push((key, who));
    }

    pub(in crate::http::server) fn set_ring(&mut self, ring: Arc<dyn KeyRing>) {
        self.ring = Some(ring);
    }

    fn has_ring(&self) -> bool {
        self.ring.as_ref().is_some_and(|ring| !ring.is_empty())
    }

    pub(in crate::http::server) fn is_empty(&self) -> bool {
        self.fixed.is_empty() && !self.has_ring()
    }

    /// Returns `true` if the keys belong to more than one principal.
    pub(super) fn have_several_owners(&self) -> bool {
        self.has_ring() || self.fixed.windows(2).any(|pair| pair[0].1.principal != pair[1].1.principal)
    }

    /// Returns the owner of the key in the headers, with a grant if the key has a name or can be revoked.
    pub(super) fn owner(&self, headers: &HeaderMap) -> Option<(Principal, Option<TokenGrant>)> {
        let presented = ApiKey::of(presented(headers)?);
        let mut found = u32::MAX;
        // Every key is compared, so that the time does not reveal a near match.
        for (at, (key, _)) in (0..).zip(&self.fixed) {
            let same: Choice = key.0.ct_eq(&presented.0);
            found = u32::conditional_select(&found, &at, same);
        }
        let granted = |who: &Authentication, ring: Option<&Arc<dyn KeyRing>>| {
            let authority = KeyAuthority { key: presented.clone(), ring: ring.cloned() };
            TokenGrant::new(who.clone(), Arc::new(authority))
        };
        if let Some((_, who)) = self.fixed.get(found as usize) {
            return Some((who.principal.clone(), who.key.is_some().then(|| granted(who, None))));
        }
        // Found by its hash: a near match of a hash reveals nothing about the key.
        let ring = self.ring.as_ref()?;
        let who = ring.owner(&presented.0)?;
        ring.note_use(&presented.0);
        Some((who.principal.clone(), Some(granted(&who, Some(ring)))))
    }
}

/// Returns `true` if the headers contain credentials, valid or not.
pub(super) fn has_credentials(headers: &HeaderMap) -> bool {
    headers.contains_key(AUTHORIZATION) || headers.contains_key(X_API_KEY)
}

fn presented(headers: &HeaderMap) -> Option<&str> {
    match headers.get(AUTHORIZATION) {
        Some(authorization) => bearer(authorization),
        None => headers.get(X_API_KEY)?.to_str().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(http::HeaderName::from_static(name), value.parse().unwrap())])
    }

    #[test]
    fn a_key_identifies_its_principal_in_either_header() {
        let mut keys = ApiKeys::default();
        let (first, key) = ApiKey::generate().unwrap();
        keys.add(key, Some("first"), Principal::agent("a"));
        let (second, key) = ApiKey::generate().unwrap();
        keys.add(key, None, Principal::agent("b").with_admin());
        assert_ne!(first, second);
        let who = |name, value: &str| keys.owner(&headers(name, value)).map(|(who, _)| who.id().to_owned());
        assert_eq!(who("authorization", &format!("bearer {first}")).as_deref(), Some("a"));
        assert_eq!(who("x-api-key", &second).as_deref(), Some("b"));
        assert_eq!(who("authorization", &format!("Basic {first}")), None);
        assert_eq!(who("authorization", &first), None);
        assert_eq!(who("x-api-key", &first[..first.len() - 1]), None);
        assert_eq!(who("x-api-key", ""), None);
        assert!(keys.owner(&HeaderMap::new()).is_none());
        let grant = |key: &str| keys.owner(&headers("x-api-key", key)).unwrap().1;
        let first = grant(&first).unwrap();
        assert_eq!(first.who().key.as_deref(), Some("first"));
        assert!(grant(&second).is_none() && first.check_again().is_ok());
    }

    #[test]
    fn the_stored_form_is_a_hash_and_debug_shows_nothing() {
        let (text, key) = ApiKey::generate().unwrap();
        let stored = key.to_string();
        assert_eq!(stored.parse::<ApiKey>().unwrap(), key);
        assert!(!stored.contains(&text[4..]));
        assert_eq!(format!("{key:?}"), "ApiKey(..)");
        // SHA-256 of "abc", a published test vector.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(ApiKey::of("abc").to_string(), abc);
        for bad in ["", "xyz", &abc[1..], &format!("+{}", &abc[1..])] {
            assert!(bad.parse::<ApiKey>().is_err(), "{bad}");
        }
    }

    /// One key, which is gone after the test says so.
    #[derive(Debug)]
    struct OneKey(ApiKey, AtomicBool);

    impl KeyRing for OneKey {
        fn owner(&self, hash: &[u8; 32]) -> Option<Authentication> {
            let owner =
                Authentication { key: Some("ring".into()), ..Authentication::new(Principal::agent("r")) };
            (self.1.load(Ordering::SeqCst) && *hash == self.0.0).then_some(owner)
        }

        fn is_empty(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_key_of_the_ring_is_valid_while_the_ring_has_it() {
        let mut keys = ApiKeys::default();
        assert!(keys.is_empty());
        let (text, key) = ApiKey::generate().unwrap();
        let ring = Arc::new(OneKey(key, true.into()));
        keys.set_ring(ring.clone());
        assert!(!keys.is_empty() && keys.have_several_owners());
        let presented = headers("x-api-key", &text);
        let (owner, grant) = keys.owner(&presented).unwrap();
        let grant = grant.unwrap();
        assert_eq!((owner.id(), grant.who().key.as_deref()), ("r", Some("ring")));
        assert!(grant.check("resources/read", None).is_ok() && grant.check_again().is_ok());
        ring.1.store(false, Ordering::SeqCst);
        assert!(keys.owner(&presented).is_none() && !keys.is_empty());
        let error = grant.check_again().unwrap_err().to_string();
        assert_eq!(error, "the API key \"ring\" was revoked or has expired");
        assert!(!format!("{grant:?}").contains(&text[4..]));
    }
}
