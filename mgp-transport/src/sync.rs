//! Locks that outlive a panic, and waiting for a change of what they guard.

use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Locks. A panic while another thread held the lock leaves the value as it was: every critical section here only
/// moves complete values in and out.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends once `is_so`. Whoever changes the answer rings [`Notify::notify_waiters`] afterwards.
pub(crate) async fn wait_until(changed: &Notify, mut is_so: impl FnMut() -> bool) {
    loop {
        // Before the look: a ring between the look and the wait counts only for who stood there already.
        let rings = changed.notified();
        if is_so() {
            return;
        }
        rings.await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[test]
    fn a_change_between_the_look_and_the_wait_is_not_missed() {
        let (changed, mut looks) = (Notify::new(), 0);
        let waited = wait_until(&changed, || {
            looks += 1;
            changed.notify_waiters();
            looks == 2
        });
        assert_eq!(waited.now_or_never(), Some(()));
        assert_eq!(wait_until(&changed, || false).now_or_never(), None);
    }
}
