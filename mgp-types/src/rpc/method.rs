//! The name of a method.

use std::{borrow::Borrow, fmt, ops::Deref, sync::Arc};

/// The name of a method or notification. A clone is cheap, and a name that is known at compile time costs no allocation.
#[derive(Clone)]
pub struct Method(Repr);

#[derive(Clone)]
enum Repr {
    Known(&'static str),
    Read(Arc<str>),
}

impl Method {
    /// Creates a method from a name that is known at compile time, such as [`Call::METHOD`](super::Call::METHOD).
    #[must_use]
    pub const fn known(name: &'static str) -> Self {
        Self(Repr::Known(name))
    }

    /// Creates a method from a name that was read. The most frequent names cost no allocation.
    #[must_use]
    pub fn read(name: &str) -> Self {
        match FREQUENT.iter().find(|known| **known == name) {
            Some(known) => Self(Repr::Known(known)),
            None => Self(Repr::Read(name.into())),
        }
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Known(name) => name,
            Repr::Read(name) => name,
        }
    }
}

/// The frequent names, which are compared before anything is allocated.
const FREQUENT: &[&str] = &[
    "tools/call",
    "notifications/progress",
    "notifications/mgp.stream.chunk",
    "notifications/cancelled",
    "ping",
    "mgp/health/ping",
    "tools/list",
    "resources/read",
    "notifications/message",
];

impl Deref for Method {
    type Target = str;
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<&'static str> for Method {
    fn from(name: &'static str) -> Self {
        Self::known(name)
    }
}

impl From<String> for Method {
    fn from(name: String) -> Self {
        Self(Repr::Read(name.into()))
    }
}

impl PartialEq for Method {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Method {}

impl PartialEq<str> for Method {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Method {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl std::hash::Hash for Method {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl Borrow<str> for Method {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}
