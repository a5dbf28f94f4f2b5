//! The signal to move events from the journal into the file.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, Thread},
    time::Duration,
};

/// The time for which events are gathered, so that one transaction moves many of them.
const GATHER: Duration = Duration::from_millis(50);

/// The signal to the thread that moves events from the journal into the file.
#[derive(Debug, Default)]
pub(super) struct IndexSignal {
    is_set: AtomicBool,
    is_ended: AtomicBool,
    thread: OnceLock<Thread>,
}

impl IndexSignal {
    /// Notes that the journal has events to move.
    pub(super) fn set(&self) {
        if !self.is_set.load(Ordering::Acquire) && !self.is_set.swap(true, Ordering::AcqRel) {
            self.wake();
        }
    }

    /// Ends the thread.
    pub(super) fn end(&self) {
        self.is_ended.store(true, Ordering::Release);
        self.wake();
    }

    /// Waits until there are events to move, and gathers more for a moment. Returns `false` once the thread must end.
    pub(super) fn wait(&self) -> bool {
        self.thread.get_or_init(thread::current);
        while !self.is_set.load(Ordering::Acquire) && !self.is_ended.load(Ordering::Acquire) {
            thread::park();
        }
        self.pause(GATHER);
        // Before the journal is read, so that an event that is appended meanwhile sets the signal again.
        self.is_set.swap(false, Ordering::AcqRel);
        !self.is_ended.load(Ordering::Acquire)
    }

    /// Waits for some time, or until the thread must end.
    pub(super) fn pause(&self, time: Duration) {
        if !self.is_ended.load(Ordering::Acquire) {
            thread::park_timeout(time);
        }
    }

    fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }
}
