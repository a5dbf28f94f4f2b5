//! The state that is kept about the other side between its messages.

use super::{Extensions, extensions::mark};
use http::Extensions as HashedValues;
use parking_lot::{RwLock, RwLockWriteGuard};
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// A session with the other side: one connection on byte streams, one `Mcp-Session-Id` over HTTP.
///
/// Holds typed values, such as the result of a negotiation. Each section of the specification has its own types here, so that
/// none depends on the others' types. Clones share the session.
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    id: Arc<str>,
    /// Hashed, because a session holds more values than a message.
    values: RwLock<HashedValues>,
    /// The [marks](mark) of the types of the values. Each call looks for values that most sessions do not hold, and takes no lock for them.
    held: AtomicU64,
    /// Values that are shared with other sessions and never changed.
    said: Option<Arc<Extensions>>,
    /// The session that is searched for values that this one does not hold.
    around: Option<Session>,
    /// True if the session is limited to one request of a stateless revision.
    one_request: bool,
}

impl Session {
    /// Creates a session.
    #[must_use]
    pub fn new(id: &str) -> Self {
        Self(Arc::new(Inner {
            id: id.into(),
            values: RwLock::default(),
            held: AtomicU64::new(0),
            said: None,
            around: None,
            one_request: false,
        }))
    }

    /// Creates a session for one request of a stateless revision of MCP. In these revisions, each request describes its own
    /// caller and the caller's capabilities: `said`, which many requests may share. Values that the new session does not hold are
    /// looked up in `said`, and then in the connection's session.
    #[must_use]
    pub fn of_one_request(&self, said: Arc<Extensions>) -> Self {
        self.inside(Some(said))
    }

    /// Creates a session inside this one: values that the new session does not hold are looked up here. For code that carries
    /// requests to the client in another way.
    #[must_use]
    pub fn derived(&self) -> Self {
        self.inside(None)
    }

    fn inside(&self, said: Option<Arc<Extensions>>) -> Self {
        let one_request = said.is_some();
        let (id, values, around) = (self.0.id.clone(), RwLock::default(), Some(self.clone()));
        Self(Arc::new(Inner { id, values, held: AtomicU64::new(0), said, around, one_request }))
    }

    /// Returns `true` if the session is limited to one request of a stateless revision of MCP.
    #[must_use]
    pub fn is_of_one_request(&self) -> bool {
        self.0.one_request
    }

    /// Returns the session of the connection, which holds values for later requests: this one, unless it was created inside another.
    #[must_use]
    pub fn of_connection(&self) -> &Self {
        self.0.around.as_ref().map_or(self, Self::of_connection)
    }

    /// Returns the id, which is unique in this process.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// Returns the value of a type.
    #[must_use]
    pub fn get<T: Clone + Send + Sync + 'static>(&self) -> Option<T> {
        self.read(T::clone)
    }

    /// Returns a part of the value of a type, without copying the value. `part` must not use the session.
    pub fn read<T: Clone + Send + Sync + 'static, R>(&self, part: impl FnOnce(&T) -> R) -> Option<R> {
        let Inner { values, said, around, .. } = &*self.0;
        if self.0.may_hold::<T>()
            && let Some(value) = values.read().get()
        {
            return Some(part(value));
        }
        match said.as_ref().and_then(|said| said.get()) {
            Some(value) => Some(part(value)),
            None => around.as_ref()?.read(part),
        }
    }

    /// Returns `true` if there is a value of a type.
    #[must_use]
    pub fn has<T: Clone + Send + Sync + 'static>(&self) -> bool {
        self.read(|_: &T| ()).is_some()
    }

    /// Sets the value of a type. Returns the old one.
    pub fn set<T: Clone + Send + Sync + 'static>(&self, value: T) -> Option<T> {
        self.0.written::<T>().insert(value)
    }

    /// Returns the value of a type, creating it if there is none.
    pub fn get_or_insert_with<T: Clone + Send + Sync + 'static>(&self, make: impl FnOnce() -> T) -> T {
        if let Some(value) = self.get() {
            return value;
        }
        self.0.written::<T>().get_or_insert_with(make).clone()
    }
}

impl Inner {
    /// Returns `false` if there is certainly no value of a type.
    fn may_hold<T: 'static>(&self) -> bool {
        self.held.load(Ordering::Acquire) & mark::<T>() != 0
    }

    /// Returns the values, to set the one of a type.
    fn written<T: 'static>(&self) -> RwLockWriteGuard<'_, HashedValues> {
        let values = self.values.write();
        self.held.fetch_or(mark::<T>(), Ordering::Release);
        values
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Session({})", self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_its_own_slot_and_clones_share_it() {
        let session = Session::new("s");
        let other = session.clone();
        assert_eq!(session.set(1u8), None);
        assert_eq!(other.set("x"), None);
        assert_eq!(
            (other.get::<u8>(), session.get::<&str>(), session.get::<u16>()),
            (Some(1), Some("x"), None)
        );
        // The names of the two types are equally long.
        assert!(session.has::<u8>() && !session.has::<i8>() && session.get::<i8>().is_none());
        assert_eq!(session.get_or_insert_with(|| 9u8), 1);
        assert_eq!(session.get_or_insert_with(|| 9u16), 9);
    }

    #[test]
    fn a_request_s_own_state_is_not_shared() {
        let connection = Session::new("c");
        connection.set(1u8);
        connection.set("connection");
        let mut said = Extensions::new();
        said.insert("said");
        let said = Arc::new(said);
        let [request, next] = [said.clone(), said].map(|said| connection.of_one_request(said));
        assert!(request.is_of_one_request() && !connection.is_of_one_request());
        assert_eq!((request.get::<u8>(), request.has::<u16>()), (Some(1), false));
        assert_eq!((request.get::<&str>(), connection.get::<&str>()), (Some("said"), Some("connection")));
        assert_eq!(request.of_connection().get(), Some("connection"));
        request.set(2u8);
        request.set(3u16);
        request.set("own");
        assert_eq!(
            (request.get::<u8>(), connection.get::<u8>(), connection.has::<u16>()),
            (Some(2), Some(1), false)
        );
        assert_eq!((request.get::<&str>(), next.get::<&str>()), (Some("own"), Some("said")));
    }
}
