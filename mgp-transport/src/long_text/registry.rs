//! The long strings of the calls on one connection.

use super::{LongTextStore, PlacedText};
use mgp_types::rpc::RequestId;
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    fmt, mem,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// The long strings of the calls on one connection. Clones share the strings.
#[derive(Clone, Default)]
pub struct LongTexts(Arc<Registry>);

#[derive(Default)]
struct Registry {
    /// The calls whose answers may hold long strings, by id.
    received: Mutex<HashMap<i64, ReceivedTexts>>,
    /// The texts that are sent instead of their placeholders, each with the id of its call.
    sent: Mutex<Vec<(i64, PlacedText)>>,
    /// The number of entries in both, which the connection reads for each message.
    count: AtomicUsize,
}

/// The long strings of one call's answer. Clones share the strings.
#[derive(Clone)]
pub struct ReceivedTexts(Arc<CallTexts>);

/// The store of a call's strings, and the strings received so far.
struct CallTexts {
    store: Arc<dyn LongTextStore>,
    texts: Mutex<Vec<PlacedText>>,
}

impl ReceivedTexts {
    /// Creates an empty set of strings, which are written to a store.
    #[must_use]
    pub fn new(store: Arc<dyn LongTextStore>) -> Self {
        Self(Arc::new(CallTexts { store, texts: Mutex::default() }))
    }

    /// Takes the strings, each with its placeholder in the answer.
    #[must_use]
    pub fn take(&self) -> Vec<PlacedText> {
        mem::take(&mut self.0.texts.lock())
    }

    /// Returns whether the answer had no strings so far.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.texts.lock().is_empty()
    }

    pub(crate) fn store(&self) -> &Arc<dyn LongTextStore> {
        &self.0.store
    }

    pub(crate) fn put(&self, texts: Vec<PlacedText>) {
        *self.0.texts.lock() = texts;
    }
}

impl LongTexts {
    /// Allows the answer to the call with an id to hold long strings, until the guard is dropped.
    pub fn receive(&self, id: i64, texts: ReceivedTexts) -> LongTextGuard {
        self.0.received.lock().insert(id, texts);
        self.0.count.fetch_add(1, Ordering::Release);
        LongTextGuard { texts: self.clone(), entry: GuardedEntry::Received(id) }
    }

    /// Sends a text instead of its placeholder in the call with an id, if the call begins to be written before the guard is
    /// dropped.
    pub fn send(&self, id: i64, text: PlacedText) -> LongTextGuard {
        let placeholder = text.placeholder.clone();
        self.0.sent.lock().push((id, text));
        self.0.count.fetch_add(1, Ordering::Release);
        LongTextGuard { texts: self.clone(), entry: GuardedEntry::Sent(id, placeholder) }
    }

    /// Returns whether no call has long strings.
    pub(crate) fn is_unused(&self) -> bool {
        self.0.count.load(Ordering::Acquire) == 0
    }

    /// Returns the strings of a call's answer.
    pub(crate) fn of_call(&self, id: i64) -> Option<ReceivedTexts> {
        self.0.received.lock().get(&id).cloned()
    }

    /// Returns the strings of any call's answer.
    pub(crate) fn of_any_call(&self) -> Option<ReceivedTexts> {
        self.0.received.lock().values().next().cloned()
    }

    /// Returns the texts whose placeholders a call may contain.
    pub(crate) fn sent(&self, id: &RequestId) -> Vec<PlacedText> {
        if self.is_unused() {
            return Vec::new();
        }
        let sent = self.0.sent.lock();
        let of_call = sent.iter().filter(|(call, _)| id.as_i64() == Some(*call));
        of_call.map(|(_, text)| text.clone()).collect()
    }
}

/// A guard that keeps a call's long strings registered.
#[must_use = "the strings are read and written only as long as the guard lives"]
pub struct LongTextGuard {
    texts: LongTexts,
    entry: GuardedEntry,
}

enum GuardedEntry {
    Received(i64),
    Sent(i64, Arc<str>),
}

impl Drop for LongTextGuard {
    fn drop(&mut self) {
        let registry = &self.texts.0;
        match &self.entry {
            GuardedEntry::Received(id) => drop(registry.received.lock().remove(id)),
            GuardedEntry::Sent(id, placeholder) => {
                let mut sent = registry.sent.lock();
                let is_it = |(call, text): &(i64, PlacedText)| call == id && text.placeholder == *placeholder;
                if let Some(at) = sent.iter().position(is_it) {
                    sent.swap_remove(at);
                }
            }
        }
        registry.count.fetch_sub(1, Ordering::Release);
    }
}

impl fmt::Debug for LongTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LongTexts").field(&self.0.count.load(Ordering::Relaxed)).finish()
    }
}

impl fmt::Debug for ReceivedTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ReceivedTexts").field(&self.0.texts.lock().len()).finish()
    }
}

impl fmt::Debug for LongTextGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LongTextGuard").finish_non_exhaustive()
    }
}
