//! What is remembered about the other side between its messages.

use http::Extensions;
use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

/// A session with the other side: one connection on byte streams, one `Mcp-Session-Id` over HTTP.
///
/// Holds typed values, such as what was negotiated. Each section keeps its own type here, so that none needs to know the
/// others'. A clone is the same session.
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    id: Box<str>,
    values: RwLock<Extensions>,
}

impl Session {
    /// A new session.
    #[must_use]
    pub fn new(id: &str) -> Self {
        Self(Arc::new(Inner { id: id.into(), values: RwLock::default() }))
    }

    /// The id, unique in this process.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The value of a type.
    #[must_use]
    pub fn get<T: Clone + Send + Sync + 'static>(&self) -> Option<T> {
        self.0.values.read().unwrap_or_else(PoisonError::into_inner).get::<T>().cloned()
    }

    /// Whether there is a value of a type.
    #[must_use]
    pub fn has<T: Clone + Send + Sync + 'static>(&self) -> bool {
        self.0.values.read().unwrap_or_else(PoisonError::into_inner).get::<T>().is_some()
    }

    /// Sets the value of a type. Returns the old one.
    pub fn set<T: Clone + Send + Sync + 'static>(&self, value: T) -> Option<T> {
        self.0.values.write().unwrap_or_else(PoisonError::into_inner).insert(value)
    }

    /// The value of a type, made where there is none.
    pub fn get_or_insert_with<T: Clone + Send + Sync + 'static>(&self, make: impl FnOnce() -> T) -> T {
        if let Some(value) = self.get() {
            return value;
        }
        self.0.values.write().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(make).clone()
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
    fn every_type_has_its_own_place_and_clones_share_it() {
        let session = Session::new("s");
        let other = session.clone();
        assert_eq!(session.set(1u8), None);
        assert_eq!(other.set("x"), None);
        assert_eq!(
            (other.get::<u8>(), session.get::<&str>(), session.get::<u16>()),
            (Some(1), Some("x"), None)
        );
        assert_eq!(session.get_or_insert_with(|| 9u8), 1);
        assert_eq!(session.get_or_insert_with(|| 9u16), 9);
    }
}
