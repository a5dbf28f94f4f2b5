//! The signal to move events from the journal into the file.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, Thread},
    time::{Duration, Instant},
};

/// The time without a new event after which events are moved. Moving them takes processor time from the calls of a burst.
const QUIET: Duration = Duration::from_millis(50);
/// The longest time for which events stay in the journal while others follow.
const LONGEST: Duration = Duration::from_secs(2);

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

    /// Waits until there are events to move, and until no more follow for a moment. `newest` returns the number of the newest event, or `None`
    /// if the thread must not wait for more. Returns `false` once the thread must end.
    pub(super) fn wait(&self, newest: impl Fn() -> Option<i64>) -> bool {
        self.thread.get_or_init(thread::current);
        while !self.is_set.load(Ordering::Acquire) && !self.is_ended.load(Ordering::Acquire) {
            thread::park();
        }
        self.gather(newest);
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

    /// Waits until the newest event stays the newest for a moment, for [`LONGEST`] at most.
    fn gather(&self, newest: impl Fn() -> Option<i64>) {
        let began = Instant::now();
        loop {
            let before = newest();
            self.pause(QUIET);
            let goes_on = before.is_some() && newest() != before && began.elapsed() < LONGEST;
            if !goes_on || self.is_ended.load(Ordering::Acquire) {
                return;
            }
        }
    }

    fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// Waits with some numbers of the newest event, one for each question. No pause takes time. Returns the numbers that are left.
    fn left(numbers: &[Option<i64>]) -> Vec<Option<i64>> {
        let (signal, left) = (IndexSignal::default(), RefCell::new(numbers.to_vec()));
        signal.set();
        let goes_on = signal.wait(|| {
            thread::current().unpark();
            left.borrow_mut().remove(0)
        });
        assert!(goes_on && !signal.is_set.load(Ordering::Acquire));
        left.into_inner()
    }

    #[test]
    fn events_are_gathered_until_no_more_follow() {
        assert_eq!(left(&[Some(1), Some(1), Some(2)]), [Some(2)]);
        assert_eq!(left(&[Some(1), Some(2), Some(3), Some(3), Some(4)]), [Some(4)]);
        assert_eq!(left(&[Some(1), Some(2), None, Some(3)]), [Some(3)]);
        assert_eq!(left(&[None, Some(2), Some(3)]), [Some(2), Some(3)]);
    }

    #[test]
    fn events_are_not_gathered_at_the_end() {
        let signal = IndexSignal::default();
        signal.end();
        let newest = std::cell::Cell::new(0);
        assert!(!signal.wait(|| Some(newest.replace(newest.get() + 1))));
        assert_eq!(newest.get(), 2);
    }
}
