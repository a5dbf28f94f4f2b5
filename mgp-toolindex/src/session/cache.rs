//! The cached tools of one session, and when each was used last.

use mgp_types::context::ToolId;
use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// How many tools one session remembers; the least recently used one goes for the next.
pub const MAX_TOOLS: usize = 256;

/// The most servers whose introduction one session remembers; others are introduced again.
const MAX_INTRODUCED: usize = 1024;

/// The tools of one session, beside the pinned ones. A clone is the same session's.
#[derive(Clone, Default)]
pub struct ToolSession(Arc<Mutex<Cache>>);

/// What a session remembers of its tools.
#[derive(Default)]
pub(super) struct Cache {
    /// How often tools were used.
    clock: u64,
    pub(super) tools: HashMap<ToolId, Entry>,
    /// The servers whose instructions the session was given.
    introduced: HashSet<Box<str>>,
}

/// A tool that the session loaded or used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// What the clock said then.
    pub(super) used: u64,
    pub(super) place: Place,
}

/// What a tool is to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// It was used, and nobody has looked yet whether it fits.
    New,
    /// It is in the cache.
    Cached,
    /// It is not: it is pinned, or larger than the whole cache.
    Outside,
}

impl Cache {
    /// Notes that a tool is used now. Returns whether it is another one than those that are known.
    pub(super) fn touch(&mut self, tool: &ToolId) -> bool {
        self.clock += 1;
        let used = self.clock;
        if let Some(entry) = self.tools.get_mut(tool) {
            entry.used = used;
            return false;
        }
        if self.tools.len() >= MAX_TOOLS
            && let Some(oldest) = self.least_recently_used(|_| true)
        {
            self.tools.remove(&oldest);
        }
        self.tools.insert(tool.clone(), Entry { used, place: Place::New });
        true
    }

    /// Of the tools that are meant, the one that was not used for the longest time.
    pub(super) fn least_recently_used(&self, meant: impl Fn(&Entry) -> bool) -> Option<ToolId> {
        let tools = self.tools.iter().filter(|(_, entry)| meant(entry));
        tools.min_by_key(|(_, entry)| entry.used).map(|(tool, _)| tool.clone())
    }
}

impl ToolSession {
    /// Notes that a tool is called. It stands on the way of every call: it reads nothing, counts nothing and waits for nobody for long.
    ///
    /// Returns whether the session has not seen the tool before, so that somebody should [settle](super::Sessions::settle) it.
    #[must_use]
    pub fn touch(&self, tool: &ToolId) -> bool {
        self.lock().touch(tool)
    }

    /// Notes that the session is given a server's instructions. Returns whether it had not been given them before.
    #[must_use]
    pub fn introduce(&self, server_id: &str) -> bool {
        let introduced = &mut self.lock().introduced;
        !introduced.contains(server_id)
            && (introduced.len() >= MAX_INTRODUCED || introduced.insert(server_id.into()))
    }

    /// Notes the tools of another part of the same session, in the order in which they were used there.
    pub(super) fn take_in(&self, other: &Self) {
        if self.is_same(other) {
            return;
        }
        let (mut tools, introduced) = {
            let other = other.lock();
            let tools: Vec<_> = other.tools.iter().map(|(id, entry)| (entry.used, id.clone())).collect();
            (tools, other.introduced.clone())
        };
        tools.sort_unstable_by_key(|(used, _)| *used);
        let mut cache = self.lock();
        let room = MAX_INTRODUCED.saturating_sub(cache.introduced.len());
        cache.introduced.extend(introduced.into_iter().take(room));
        for (_, tool) in tools {
            cache.touch(&tool);
        }
    }

    /// Whether both are the same session's.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether it has neither loaded nor used a tool.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lock().tools.is_empty()
    }

    /// Whether it shows tools beside the pinned ones.
    #[must_use]
    pub fn has_cached(&self) -> bool {
        self.lock().tools.values().any(|entry| entry.place == Place::Cached)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Cache> {
        // Every critical section leaves whole entries, so a panic elsewhere leaves them whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for ToolSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolSession({} tools)", self.lock().tools.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_introduced_once_and_the_number_that_is_remembered_is_bounded() {
        let (session, other) = (ToolSession::default(), ToolSession::default());
        assert!(session.introduce("a") && !session.introduce("a"));
        other.take_in(&session);
        assert!(!other.introduce("a"));
        for number in 0..MAX_INTRODUCED {
            assert!(session.introduce(&number.to_string()));
        }
        assert_eq!(session.lock().introduced.len(), MAX_INTRODUCED);
        assert!(session.introduce("b") && session.introduce("b"));
        assert!(session.is_empty(), "no tool was loaded or used");
    }

    #[test]
    fn a_tool_is_new_once_and_the_number_of_them_is_bounded() {
        let session = ToolSession::default();
        let id = |number: usize| ToolId::new("s", number.to_string());
        for number in 0..MAX_TOOLS {
            assert!(session.touch(&id(number)));
        }
        assert!(!session.touch(&id(0)));
        assert!(session.touch(&id(MAX_TOOLS)));
        assert_eq!(session.lock().tools.len(), MAX_TOOLS);
        assert!(!session.touch(&id(0)), "it was used again, so the next oldest went");
        assert!(session.touch(&id(1)));
    }
}
