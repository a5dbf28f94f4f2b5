//! Waiting for a change of values that a lock guards.

use tokio::sync::Notify;

/// Waits until `is_so` returns `true`. Code that may change the result must call [`Notify::notify_waiters`] afterwards.
pub(crate) async fn wait_until(changed: &Notify, mut is_so: impl FnMut() -> bool) {
    loop {
        // Created before the check: a notification between the check and the wait reaches only futures that exist already.
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
    fn a_change_between_check_and_wait_is_not_missed() {
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
