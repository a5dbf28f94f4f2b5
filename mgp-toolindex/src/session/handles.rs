//! Sessions of hosts without a session: in the stateless era of MCP, every request is independent (row 31 of the decisions).
//!
//! Such a host receives a handle, which it sends back with its next request. The handle is sealed: it contains its expiry time,
//! and only this process can have issued it, for one principal. So a handle takes no memory until something is loaded into its
//! session, and a host that requests many handles displaces no other session.

use super::ToolSession;
use mgp_types::{
    context::{Principal, SessionTag},
    json::RawJson,
    rpc::ErrorObject,
    seal::SealKey,
};
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    fmt, io,
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

/// Bounds on the number of sessions, and on the time for which they are kept.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SessionBounds {
    /// The most sessions with tools that are kept; the next one replaces the least recently used.
    pub most: usize,
    /// The most of these sessions that belong to one principal.
    pub most_of_one: usize,
    /// The time for which a handle is valid.
    pub lifetime: Duration,
    /// The time for which a session's tools are kept without a request.
    pub idle: Duration,
}

impl Default for SessionBounds {
    fn default() -> Self {
        let hour = Duration::from_secs(60 * 60);
        Self { most: 4096, most_of_one: 64, lifetime: 24 * hour, idle: hour }
    }
}

/// The content of a handle: 128 random bits.
type Id = [u8; 16];

/// The sessions, by their handles. A clone refers to the same table.
#[derive(Clone)]
pub struct Handles(Arc<Inner>);

struct Inner {
    key: SealKey,
    bounds: SessionBounds,
    held: Mutex<HashMap<Id, SessionSlot>>,
}

struct SessionSlot {
    principal: Principal,
    tools: ToolSession,
    used: Instant,
}

impl SessionSlot {
    /// Returns whether the session was not requested during the idle time.
    fn is_over(&self, now: Instant, idle: Duration) -> bool {
        now.saturating_duration_since(self.used) >= idle
    }
}

/// A session that a handle opened.
#[derive(Debug, Clone)]
pub struct OpenSession {
    id: Id,
    /// The tools of the session. They are dropped if the session is not [kept](Handles::keep).
    pub tools: ToolSession,
}

impl Handles {
    /// Creates a table without sessions. Handles of another process, or of this one before a restart, are not valid.
    ///
    /// # Errors
    /// Returns an error if the operating system supplies no random bytes.
    pub fn new(bounds: SessionBounds) -> io::Result<Self> {
        let key = SealKey::new(random()?);
        Ok(Self(Arc::new(Inner { key, bounds, held: Mutex::default() })))
    }

    /// Issues a handle for a session that has no tools yet.
    ///
    /// # Errors
    /// Returns -32603 if the operating system supplies no random bytes.
    pub fn issue(&self, principal: &Principal) -> Result<String, ErrorObject> {
        let id: Id = random().map_err(|error| ErrorObject::internal(error.to_string()))?;
        let until = now().saturating_add(self.0.bounds.lifetime.as_secs());
        Ok(self.0.key.seal(&owner(principal), until, &id))
    }

    /// Opens the session of a handle.
    ///
    /// # Errors
    /// Returns -32602. The message is the same for a handle of another principal, for an expired one, and for one that was never
    /// issued.
    pub fn open(&self, principal: &Principal, handle: &str) -> Result<OpenSession, ErrorObject> {
        self.open_at(principal, handle, now(), Instant::now())
    }

    fn open_at(
        &self,
        principal: &Principal,
        handle: &str,
        now: u64,
        instant: Instant,
    ) -> Result<OpenSession, ErrorObject> {
        let id = self.0.key.open(&owner(principal), handle, now).map_err(|_| unknown())?;
        let id = Id::try_from(id).map_err(|_| unknown())?;
        let mut held = self.0.held.lock();
        if held.get(&id).is_some_and(|session| session.is_over(instant, self.0.bounds.idle)) {
            held.remove(&id);
        }
        let tools = held.get_mut(&id).map(|session| {
            session.used = instant;
            session.tools.clone()
        });
        Ok(OpenSession { id, tools: tools.unwrap_or_else(|| ToolSession::tagged(SessionTag::new(id))) })
    }

    /// Keeps a session that has tools. If there are too many sessions, the least recently used one is dropped: one of the same
    /// principal, if that principal has used up its share.
    pub fn keep(&self, principal: &Principal, session: &OpenSession) {
        if session.tools.is_empty() {
            return;
        }
        let bounds = &self.0.bounds;
        let mut held = self.0.held.lock();
        if let Some(held) = held.get(&session.id) {
            // Another request with the same handle kept the session first.
            return held.tools.take_in(&session.tools);
        }
        let now = Instant::now();
        held.retain(|_, session| !session.is_over(now, bounds.idle));
        let of_one = held.values().filter(|held| held.principal == *principal).count();
        let goes = if of_one >= bounds.most_of_one {
            oldest(&held, |held| held.principal == *principal)
        } else if held.len() >= bounds.most {
            oldest(&held, |_| true)
        } else {
            None
        };
        if let Some(id) = goes {
            held.remove(&id);
        }
        let (principal, tools) = (principal.clone(), session.tools.clone());
        held.insert(session.id, SessionSlot { principal, tools, used: now });
    }

    /// Drops the sessions that were not requested during the idle time.
    pub fn forget_idle(&self) {
        self.forget_idle_at(Instant::now());
    }

    fn forget_idle_at(&self, now: Instant) {
        self.0.held.lock().retain(|_, session| !session.is_over(now, self.0.bounds.idle));
    }

    /// Returns the number of sessions with tools.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.held.lock().len()
    }
}

fn oldest(held: &HashMap<Id, SessionSlot>, meant: impl Fn(&SessionSlot) -> bool) -> Option<Id> {
    held.iter().filter(|(_, held)| meant(held)).min_by_key(|(_, held)| held.used).map(|(id, _)| *id)
}

fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Returns the owner of a principal's handles, as JSON, so that no two principals give the same bytes. An agent whose API key has
/// scopes that narrow its rights is a separate owner.
fn owner(principal: &Principal) -> Vec<u8> {
    let owner = (principal.actor() as u8, principal.is_admin(), principal.id(), principal.key_scopes());
    // Texts, a number and a boolean: writing cannot fail.
    RawJson::from_value(&owner).map(|owner| owner.as_bytes().to_vec()).unwrap_or_default()
}

/// Returns the same error for every invalid handle, so that it does not reveal whether the handle belongs to another principal.
fn unknown() -> ErrorObject {
    ErrorObject::invalid_params(
        "invalid session: expected the _mgp.session of an earlier answer; it may have expired. Leave it out for a new one",
    )
}

impl fmt::Debug for Handles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handles({})", self.count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::context::{ActorType, KeyScopes, ToolId};
    use xtask_testing::within;

    fn handles(bounds: SessionBounds) -> Handles {
        Handles::new(bounds).unwrap()
    }

    fn tool() -> ToolId {
        ToolId::new("s", "t")
    }

    /// Keeps a session with a tool, and returns its handle.
    fn kept(handles: &Handles, principal: &Principal) -> String {
        let handle = handles.issue(principal).unwrap();
        let opened = handles.open(principal, &handle).unwrap();
        assert!(opened.tools.touch(&tool()));
        handles.keep(principal, &opened);
        handle
    }

    fn has_tool(handles: &Handles, principal: &Principal, handle: &str) -> bool {
        !handles.open(principal, handle).unwrap().tools.is_empty()
    }

    #[test]
    fn a_handle_leads_to_its_session_and_is_free_without_tools() {
        let (handles, ann) = (handles(SessionBounds::default()), Principal::agent("ann"));
        for _ in 0..1000 {
            let handle = handles.issue(&ann).unwrap();
            let opened = handles.open(&ann, &handle).unwrap();
            handles.keep(&ann, &opened);
        }
        assert_eq!(handles.count(), 0);
        let handle = kept(&handles, &ann);
        assert!(has_tool(&handles, &ann, &handle));
        assert_eq!(handles.count(), 1);
    }

    #[test]
    fn a_foreign_handle_is_refused_like_an_unknown_one() {
        let (handles, ann) = (handles(SessionBounds::default()), Principal::agent("ann"));
        let handle = kept(&handles, &ann);
        let never = handles.open(&ann, "nobody was given this").unwrap_err();
        for other in [
            Principal::agent("bob"),
            Principal::agent("an"),
            Principal::agent("ann").with_admin(),
            Principal::new("ann", ActorType::Server, false),
            ann.clone().narrowed_to(KeyScopes::new("ci", "*")),
        ] {
            assert_eq!(handles.open(&other, &handle).unwrap_err(), never, "{other:?}");
        }
        let elsewhere = Handles::new(SessionBounds::default()).unwrap();
        assert_eq!(elsewhere.open(&ann, &handle).unwrap_err(), never);
        assert_eq!(handles.open_at(&ann, &handle, u64::MAX, Instant::now()).unwrap_err(), never);
        for wrong in ["", "=", &handle[1..], &format!("{handle}A"), &"A".repeat(100_000), "é"] {
            assert_eq!(handles.open(&ann, wrong).unwrap_err(), never, "{wrong:.20}");
        }
        // Any other letter in it.
        for at in 0..handle.len() - 1 {
            let letter = if handle.as_bytes()[at] == b'A' { "B" } else { "A" };
            let wrong = [&handle[..at], letter, &handle[at + 1..]].concat();
            assert_eq!(handles.open(&ann, &wrong).unwrap_err(), never, "{at}");
        }
    }

    #[test]
    fn an_unused_session_is_forgotten_but_its_handle_still_counts() {
        let (handles, ann) = (handles(SessionBounds::default()), Principal::agent("ann"));
        let handle = kept(&handles, &ann);
        let later = Instant::now() + Duration::from_secs(2 * 60 * 60);
        assert!(handles.open_at(&ann, &handle, now(), later).unwrap().tools.is_empty());
        assert_eq!(handles.count(), 0);
    }

    #[test]
    fn the_oldest_sessions_are_evicted_and_shares_are_bounded() {
        let bounds = SessionBounds { most: 3, most_of_one: 2, ..SessionBounds::default() };
        let handles = handles(bounds);
        let [ann, bob, eve] = ["ann", "bob", "eve"].map(Principal::agent);
        let bobs = kept(&handles, &bob);
        let anns: Vec<_> = (0..3).map(|_| kept(&handles, &ann)).collect();
        assert_eq!(
            anns.iter().map(|handle| has_tool(&handles, &ann, handle)).collect::<Vec<_>>(),
            [false, true, true]
        );
        assert!(has_tool(&handles, &bob, &bobs), "it was not Ann's to take");
        kept(&handles, &eve);
        assert_eq!(handles.count(), 3);
    }

    #[tokio::test]
    async fn an_unused_session_ends_and_its_handle_keeps_its_mark() {
        let (handles, ann) = (handles(SessionBounds::default()), Principal::agent("ann"));
        let handle = handles.issue(&ann).unwrap();
        let opened = handles.open(&ann, &handle).unwrap();
        let (tag, ended) = (opened.tools.tag(), opened.tools.ended());
        assert!(opened.tools.touch(&tool()));
        handles.keep(&ann, &opened);
        drop(opened);
        handles.forget_idle();
        assert_eq!(handles.open(&ann, &handle).unwrap().tools.tag(), tag);
        handles.forget_idle_at(Instant::now() + Duration::from_secs(2 * 60 * 60));
        within(ended).await;
    }
}
