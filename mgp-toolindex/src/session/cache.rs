//! The cached tools of one session, in the order of their last use.

use hashbrown::{HashMap, HashSet};
use mgp_types::context::{SessionTag, ToolId};
use parking_lot::Mutex;
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::sync::watch;

/// The most tools that are kept for one session; the next one replaces the least recently used.
pub const MAX_TOOLS: usize = 256;

/// The most servers whose introduction is recorded for one session; others are introduced again.
const MAX_INTRODUCED: usize = 1024;

/// The tools of one session, except for the pinned ones. A clone refers to the same session.
#[derive(Clone, Default)]
pub struct ToolSession(pub(super) Arc<Mutex<Cache>>);

/// The tools that a session has loaded or used, and the servers that were introduced to it.
#[derive(Default)]
pub(super) struct Cache {
    /// The number of tool uses so far.
    clock: u64,
    pub(super) tools: HashMap<ToolId, Entry>,
    /// The servers whose instructions the session has received.
    introduced: HashSet<Box<str>>,
    /// True once the session has searched.
    has_searched: bool,
    /// The mark of the session, once it was requested.
    tag: Option<SessionTag>,
    /// Dropped with the session, which notifies those who [wait for its end](ToolSession::ended).
    ends: Vec<watch::Sender<()>>,
}

/// A tool that the session loaded or used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// The value of the clock at the last use.
    pub(super) used: u64,
    pub(super) place: Place,
}

/// The state of a tool in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The tool was used, and was not yet checked against the budget.
    New,
    /// The tool is in the cache.
    Cached,
    /// The tool is not in the cache: it is pinned, or larger than the whole cache.
    Outside,
}

impl Cache {
    /// Records a use of a tool. Returns whether the tool was not known before.
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

    /// Returns the least recently used of the tools that `meant` selects.
    pub(super) fn least_recently_used(&self, meant: impl Fn(&Entry) -> bool) -> Option<ToolId> {
        let tools = self.tools.iter().filter(|(_, entry)| meant(entry));
        tools.min_by_key(|(_, entry)| entry.used).map(|(tool, _)| tool.clone())
    }
}

impl ToolSession {
    /// Records a call of a tool. This function is on the path of every call: it reads nothing, counts nothing and never waits
    /// long.
    ///
    /// Returns whether the tool is new to the session, in which case the caller should [settle](super::Sessions::settle) the session.
    #[must_use]
    pub fn touch(&self, tool: &ToolId) -> bool {
        self.0.lock().touch(tool)
    }

    /// Records that the session receives a server's instructions. Returns whether it had not received them before.
    #[must_use]
    pub fn introduce(&self, server_id: &str) -> bool {
        let introduced = &mut self.0.lock().introduced;
        !introduced.contains(server_id)
            && (introduced.len() >= MAX_INTRODUCED || introduced.insert(server_id.into()))
    }

    /// Records that the session searches. Returns whether it is the session's first search.
    #[must_use]
    pub fn search(&self) -> bool {
        !std::mem::replace(&mut self.0.lock().has_searched, true)
    }

    /// Adds the tools of another part of the same session, in the order in which they were used there.
    pub(super) fn take_in(&self, other: &Self) {
        if self.is_same(other) {
            return;
        }
        let (mut tools, introduced, ends, has_searched) = {
            let mut other = other.0.lock();
            let ends = std::mem::take(&mut other.ends);
            let tools: Vec<_> = other.tools.iter().map(|(id, entry)| (entry.used, id.clone())).collect();
            (tools, other.introduced.clone(), ends, other.has_searched)
        };
        tools.sort_unstable_by_key(|(used, _)| *used);
        let mut cache = self.0.lock();
        cache.ends.extend(ends);
        cache.has_searched |= has_searched;
        let room = MAX_INTRODUCED.saturating_sub(cache.introduced.len());
        cache.introduced.extend(introduced.into_iter().take(room));
        for (_, tool) in tools {
            cache.touch(&tool);
        }
    }

    /// Returns the mark of the session, which distinguishes the session's own tools from others.
    #[must_use]
    pub fn tag(&self) -> SessionTag {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let new = || {
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&NEXT.fetch_add(1, Ordering::Relaxed).to_le_bytes());
            SessionTag::new(bytes)
        };
        *self.0.lock().tag.get_or_insert_with(new)
    }

    /// Creates the session with a mark.
    pub(super) fn tagged(tag: SessionTag) -> Self {
        Self(Arc::new(Mutex::new(Cache { tag: Some(tag), ..Cache::default() })))
    }

    /// Returns a future that ends with the session: when the last clone of it is dropped. The future does not keep the session alive.
    pub fn ended(&self) -> impl Future<Output = ()> + Send + use<> {
        let (sender, mut receiver) = watch::channel(());
        self.0.lock().ends.push(sender);
        async move { while receiver.changed().await.is_ok() {} }
    }

    /// Returns whether both refer to the same session.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns whether the session has neither loaded nor used a tool.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.lock().tools.is_empty()
    }

    /// Returns whether the session shows tools other than the pinned ones.
    #[must_use]
    pub fn has_cached(&self) -> bool {
        self.0.lock().tools.values().any(|entry| entry.place == Place::Cached)
    }
}

impl fmt::Debug for ToolSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolSession({} tools)", self.0.lock().tools.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xtask_testing::PolledFuture;

    #[test]
    fn a_server_is_introduced_once_and_the_memory_is_bounded() {
        let (session, other) = (ToolSession::default(), ToolSession::default());
        assert!(session.introduce("a") && !session.introduce("a"));
        other.take_in(&session);
        assert!(!other.introduce("a"));
        for number in 0..MAX_INTRODUCED {
            assert!(session.introduce(&number.to_string()));
        }
        assert_eq!(session.0.lock().introduced.len(), MAX_INTRODUCED);
        assert!(session.introduce("b") && session.introduce("b"));
        assert!(session.is_empty(), "no tool was loaded or used");
    }

    #[test]
    fn only_the_first_search_of_all_parts_is_the_first() {
        let (session, part) = (ToolSession::default(), ToolSession::default());
        assert!(part.search() && !part.search());
        session.take_in(&part);
        assert!(!session.search());
        assert!(session.is_empty(), "a search loads no tool");
    }

    #[test]
    fn a_tool_is_new_once_and_the_memory_is_bounded() {
        let session = ToolSession::default();
        let id = |number: usize| ToolId::new("s", number.to_string());
        for number in 0..MAX_TOOLS {
            assert!(session.touch(&id(number)));
        }
        assert!(!session.touch(&id(0)));
        assert!(session.touch(&id(MAX_TOOLS)));
        assert_eq!(session.0.lock().tools.len(), MAX_TOOLS);
        assert!(!session.touch(&id(0)), "it was used again, so the next oldest went");
        assert!(session.touch(&id(1)));
    }

    #[test]
    fn a_session_ends_with_its_last_part_and_has_its_own_mark() {
        let (session, part) = (ToolSession::default(), ToolSession::default());
        assert_ne!(session.tag(), part.tag());
        assert_eq!(session.tag(), session.clone().tag());
        let mut ended = PolledFuture::new(session.ended());
        let mut of_part = PolledFuture::new(part.ended());
        // What ends with a part that was taken in ends with the whole.
        session.take_in(&part);
        drop(part);
        assert!(of_part.poll().is_pending());
        let clone = session.clone();
        drop(session);
        assert!(ended.poll().is_pending());
        drop(clone);
        assert!(ended.poll().is_ready() && of_part.poll().is_ready());
    }
}
