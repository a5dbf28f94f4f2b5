//! Calls of this process that others with the same key wait for, without reading the store.

use super::{EntryId, KeptAnswer};
use jiff::Timestamp;
use parking_lot::Mutex;
use std::{
    collections::{HashMap, hash_map},
    sync::Arc,
};
use tokio::sync::watch;

/// The end of a call, for the calls that waited for it.
#[derive(Debug, Clone)]
pub(super) enum CallEnd {
    /// The call runs.
    Running,
    /// The call was answered. The answer is complete here, even if it is too large to be kept.
    Done(Arc<KeptAnswer>, Timestamp),
    /// The call was sent, and its outcome is unknown.
    Unknown(Timestamp),
}

/// The calls with keys that run in this process.
#[derive(Debug, Clone, Default)]
pub(super) struct RunningCalls(Arc<Mutex<HashMap<EntryId, RunningEntry>>>);

#[derive(Debug)]
struct RunningEntry {
    arguments: [u8; 32],
    /// True if the call is made here; false while its key is being claimed, which may show that the key was used with other arguments.
    is_made: bool,
    end: watch::Receiver<CallEnd>,
}

/// The place of a new call among the calls with its key.
#[derive(Debug)]
pub(super) enum CallPlace {
    /// The call is the first.
    First(RunningCall),
    /// Another call is there, with the same arguments or with others.
    Taken { end: watch::Receiver<CallEnd>, is_same: bool },
    /// Another call is made, with other arguments.
    Conflict,
}

/// The call that the others with its key wait for. If it is dropped unfinished, one of them takes its place.
#[derive(Debug)]
pub(super) struct RunningCall {
    id: EntryId,
    end: watch::Sender<CallEnd>,
    calls: RunningCalls,
}

impl RunningCalls {
    /// Joins the calls with a key, as the first or as a waiting one.
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

    /// Returns whether the call that runs under a key has other arguments, or `None` if no call runs.
    pub(super) fn has_conflict(&self, id: &EntryId, arguments: [u8; 32]) -> Option<bool> {
        self.0.lock().get(id).map(|there| there.is_made && there.arguments != arguments)
    }
}

impl RunningCall {
    /// Marks the call as being made: its arguments are those of the key.
    pub(super) fn make(&self) {
        if let Some(entry) = self.calls.0.lock().get_mut(&self.id) {
            entry.is_made = true;
        }
    }

    /// Notifies the waiting calls of the end.
    pub(super) fn finish(self, end: CallEnd) {
        self.end.send_replace(end);
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        // Before the sender is dropped, so that the waiting calls find the place free.
        self.calls.0.lock().remove(&self.id);
    }
}
