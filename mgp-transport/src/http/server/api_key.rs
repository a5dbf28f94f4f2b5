//! API keys: only their hashes are kept, and they are compared in constant time.

use crate::seam::{
    Authenticate, Authentication, CredentialError, KeyRing, ResourceMetadata, Scopes, TokenGrant,
};
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
    /// Returns an error if the operating system gives no random bytes.
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
pub(super) fn random_hex() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(hex(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl fmt::Display for ApiKey {
    /// Writes the stored form, as [`FromStr`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
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

/// The keys of a server, and the principal that each stands for.
#[derive(Debug, Default)]
pub(super) struct ApiKeys {
    fixed: Vec<(ApiKey, Authentication)>,
    /// The keys that may change while the server runs.
    ring: Option<Arc<dyn KeyRing>>,
}

/// The methods that a key with scopes may use, beside notifications: those by which a host lists, finds and calls tools.
const SCOPED_METHODS: [&str; 18] = [
    "initialize",
    "ping",
    "server/discover",
    "logging/setLevel",
    "tools/list",
    "tools/call",
    "tools/validate",
    "can_execute",
    "check_permissions",
    "tasks/get",
    "tasks/result",
    "tasks/cancel",
    "tasks/update",
    "mgp/tools/check",
    "mgp/tools/discover",
    "mgp/tools/request",
    "mgp/stream/cancel",
    "mgp/health/ping",
];

/// The authority behind API keys. The owner of a key without scopes may use every method; the tools of one with scopes are judged by
/// the layers behind, which know them.
#[derive(Debug)]
struct KeyAuthority;

#[async_trait]
impl Authenticate for KeyAuthority {
    async fn authenticate(&self, _: &HeaderMap, _: &str) -> Result<Authentication, CredentialError> {
        Err(CredentialError::missing())
    }

    fn check(&self, who: &Authentication, method: &str, _: Option<&str>) -> Result<(), CredentialError> {
        let is_scoped = !who.scopes.is_empty();
        if !is_scoped || SCOPED_METHODS.contains(&method) || method.starts_with("notifications/") {
            return Ok(());
        }
        let reason = format!("an API key with scopes is for tools alone, and not for {method:?}");
        Err(CredentialError::insufficient_scope(reason, Scopes::default()))
    }

    fn metadata(&self) -> ResourceMetadata {
        ResourceMetadata::default()
    }
}

/// Returns the grant of a key's owner, if the key has a name to be known by.
pub(super) fn grant_of(who: &Authentication) -> Option<TokenGrant> {
    who.key.is_some().then(|| TokenGrant::new(who.clone(), Arc::new(KeyAuthority)))
}

impl ApiKeys {
    pub(super) fn add(&mut self, key: ApiKey, name: Option<&str>, principal: Principal) {
        let who = Authentication { key: name.map(Arc::from), ..Authentication::new(principal) };
        self.fixed.push((key, who));
    }

    pub(super) fn set_ring(&mut self, ring: Arc<dyn KeyRing>) {
        self.ring = Some(ring);
    }

    fn has_ring(&self) -> bool {
        self.ring.as_ref().is_some_and(|ring| !ring.is_empty())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.fixed.is_empty() && !self.has_ring()
    }

    /// Returns `true` if the keys stand for more than one principal.
    pub(super) fn have_several_owners(&self) -> bool {
        self.has_ring() || self.fixed.windows(2).any(|pair| pair[0].1.principal != pair[1].1.principal)
    }

    /// Returns the owner of the key in the headers.
    pub(super) fn owner(&self, headers: &HeaderMap) -> Option<Authentication> {
        let presented = ApiKey::of(presented(headers)?);
        let mut found = u32::MAX;
        // Every key is compared, so that the time does not tell which one came close.
        for (at, (key, _)) in (0..).zip(&self.fixed) {
            let same: Choice = key.0.ct_eq(&presented.0);
            found = u32::conditional_select(&found, &at, same);
        }
        let fixed = self.fixed.get(found as usize).map(|(_, who)| who.clone());
        // Found by its hash, whose nearness tells nothing of the key.
        fixed.or_else(|| self.ring.as_ref()?.owner(&presented.0))
    }
}

/// Returns `true` if the headers contain credentials, valid or not.
pub(super) fn has_credentials(headers: &HeaderMap) -> bool {
    headers.contains_key(AUTHORIZATION) || headers.contains_key("x-api-key")
}

fn presented(headers: &HeaderMap) -> Option<&str> {
    if let Some(authorization) = headers.get(AUTHORIZATION) {
        let (scheme, key) = authorization.to_str().ok()?.split_once(' ')?;
        return scheme.eq_ignore_ascii_case("bearer").then(|| key.trim());
    }
    headers.get("x-api-key")?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(http::HeaderName::from_static(name), value.parse().unwrap())])
    }

    #[test]
    fn a_key_stands_for_its_principal_in_either_header() {
        let mut keys = ApiKeys::default();
        let (first, key) = ApiKey::generate().unwrap();
        keys.add(key, Some("first"), Principal::agent("a"));
        let (second, key) = ApiKey::generate().unwrap();
        keys.add(key, None, Principal::agent("b").with_admin());
        assert_ne!(first, second);
        let who =
            |name, value: &str| keys.owner(&headers(name, value)).map(|who| who.principal.id().to_owned());
        assert_eq!(who("authorization", &format!("bearer {first}")).as_deref(), Some("a"));
        assert_eq!(who("x-api-key", &second).as_deref(), Some("b"));
        assert_eq!(who("authorization", &format!("Basic {first}")), None);
        assert_eq!(who("authorization", &first), None);
        assert_eq!(who("x-api-key", &first[..first.len() - 1]), None);
        assert_eq!(who("x-api-key", ""), None);
        assert_eq!(keys.owner(&HeaderMap::new()), None);
        let named = |key: &str| grant_of(&keys.owner(&headers("x-api-key", key)).unwrap());
        assert_eq!(named(&first).unwrap().who().key.as_deref(), Some("first"));
        assert!(named(&second).is_none());
    }

    #[test]
    fn the_stored_form_is_a_hash_that_reads_back_and_debug_shows_nothing() {
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
    struct OneKey(ApiKey, std::sync::atomic::AtomicBool);

    impl KeyRing for OneKey {
        fn owner(&self, hash: &[u8; 32]) -> Option<Authentication> {
            let is_there = self.1.load(std::sync::atomic::Ordering::SeqCst) && *hash == self.0.0;
            let scopes = Scopes::parse("files");
            let owner = Authentication {
                scopes,
                key: Some("ring".into()),
                ..Authentication::new(Principal::agent("r"))
            };
            is_there.then_some(owner)
        }

        fn is_empty(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_key_of_the_ring_counts_as_long_as_the_ring_knows_it_and_with_scopes_for_tools_alone() {
        let mut keys = ApiKeys::default();
        assert!(keys.is_empty());
        let (text, key) = ApiKey::generate().unwrap();
        let ring = Arc::new(OneKey(key, true.into()));
        keys.set_ring(ring.clone());
        assert!(!keys.is_empty() && keys.have_several_owners());
        let grant = grant_of(&keys.owner(&headers("x-api-key", &text)).unwrap()).unwrap();
        assert_eq!(grant.who().key.as_deref(), Some("ring"));
        for (method, allowed) in [
            ("tools/call", true),
            ("tools/list", true),
            ("notifications/cancelled", true),
            ("resources/read", false),
            ("prompts/get", false),
            ("mgp/access/grant", false),
            ("mgp/events/subscribe", false),
        ] {
            assert_eq!(grant.check(method, Some("t")).is_ok(), allowed, "{method}");
        }
        ring.1.store(false, std::sync::atomic::Ordering::SeqCst);
        assert!(keys.owner(&headers("x-api-key", &text)).is_none() && !keys.is_empty());
    }
}
