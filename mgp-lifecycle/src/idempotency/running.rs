//! Calls of this process that others with the same key wait for, without a look at the store.

use super::{EntryId, KeptAnswer};
use jiff::Timestamp;
use parking_lot::Mutex;
use std::{
    collections::{HashMap, hash_map},
    sync::Arc,
};
use tokio::sync::watch;

/// The end of a call, for those who waited for it.
#[derive(Debug, Clone)]
pub(super) enum CallEnd {
    /// It runs.
    Running,
    /// It was answered. The answer is whole here, also if it is too large to be kept.
    Done(Arc<KeptAnswer>, Timestamp),
    /// It was sent, and its outcome is unknown.
    Unknown(Timestamp),
}

/// The calls with keys that run in this process.
#[derive(Debug, Clone, Default)]
pub(super) struct RunningCalls(Arc<Mutex<HashMap<EntryId, RunningEntry>>>);

#[derive(Debug)]
struct RunningEntry {
    arguments: [u8; 32],
    /// True if the call is made here; false while its key is being claimed, which may show that it was used with other arguments.
    is_made: bool,
    end: watch::Receiver<CallEnd>,
}

/// A call that comes with a key.
#[derive(Debug)]
pub(super) enum CallPlace {
    /// The first one.
    First(RunningCall),
    /// Another one is there, with the same arguments or with others.
    Taken { end: watch::Receiver<CallEnd>, is_same: bool },
    /// Another one is made, with other arguments.
    Conflict,
}

/// The place of the call that the others with its key wait for. If it is dropped before it is finished, one of them takes its place.
#[derive(Debug)]
pub(super) struct RunningCall {
    id: EntryId,
    end: watch::Sender<CallEnd>,
    calls: RunningCalls,
}

impl RunningCalls {
    /// Joins the calls with a key, as the first of them or as one that waits for it.
    pub(super) fn join(&self, id: &EntryId, arguments: [u8; 32]) -> CallPlace {
        match self.0.lock().entry(id.clone()) {
            hash_map::Entry::Occupied(entry) => {
                let RunningEntry { arguments: there, is_made, end } = entry.get();
                match (*there == arguments, is_made) {
                    (false, true) => CallPlace::Conflict,
                    (is_same, _) => CallPlace::Taken { end: end.clone(), is_same },
                }
            }
            hash_map::Entry::Vacant(vacant) => {
                let (end, ended) = watch::channel(CallEnd::Running);
                vacant.insert(RunningEntry { arguments, is_made: false, end: ended });
                CallPlace::First(RunningCall { id: id.clone(), end, calls: self.clone() })
            }
        }
    }

    /// Returns whether the call that runs under a key has other arguments; `None` if none runs.
    pub(super) fn has_conflict(&self, id: &EntryId, arguments: [u8; 32]) -> Option<bool> {
        self.0.lock().get(id).map(|there| there.is_made && there.arguments != arguments)
    }
}

impl RunningCall {
    /// Notes that the call is made: its arguments are those of the key.
    pub(super) fn make(&self) {
        if let Some(entry) = self.calls.0.lock().get_mut(&self.id) {
            entry.is_made = true;
        }
    }

    /// Tells those who wait how the call ended.
    pub(super) fn finish(self, end: CallEnd) {
        self.end.send_replace(end);
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        // Before the sender goes, so that those who wait find the place free.
        self.calls.0.lock().remove(&self.id);
    }
}
