//! The connection with a server, and the attempts to make one.

use super::Link;
use arc_swap::ArcSwapOption;
use mgp_client_sdk::session::{Greeting, LastEra};
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

/// The connection with a server, and the attempts to make one.
#[derive(Default)]
pub(crate) struct ConnectionState {
    /// The connection, while there is one.
    link: ArcSwapOption<Link>,
    /// The server's last greeting, kept while it is down, like its tools.
    greeting: ArcSwapOption<Greeting>,
    /// The server's last known era, so that it is probed only once.
    pub(super) era: LastEra,
    /// The number of attempts to connect.
    starts: AtomicU64,
    /// True once the first attempt to connect has ended, successful or not.
    is_first_start_done: AtomicBool,
    /// True if a kept listing was loaded, so that the server's tools are known before it has started.
    is_recalled: AtomicBool,
    /// True if the server has to be started only to list its tools.
    lists_only: AtomicBool,
}

impl ConnectionState {
    pub(super) fn link(&self) -> Option<Arc<Link>> {
        self.link.load_full()
    }

    /// Returns whether the server negotiated MGP; `None` while it is not connected.
    pub(super) fn speaks_mgp(&self) -> Option<bool> {
        self.link.load().as_ref().map(|link| link.negotiated.is_some())
    }

    /// Sets the connection, with the greeting in its handshake.
    pub(super) fn connect(&self, link: &Arc<Link>) {
        self.link.store(Some(link.clone()));
        self.set_greeting(Greeting::clone(link));
    }

    /// Removes the connection.
    pub(super) fn disconnect(&self) {
        self.link.store(None);
    }

    /// Returns the server's greeting in its last handshake.
    pub(super) fn greeting(&self) -> Option<Arc<Greeting>> {
        self.greeting.load_full()
    }

    pub(super) fn set_greeting(&self, greeting: Greeting) {
        self.greeting.store(Some(Arc::new(greeting)));
    }

    /// Returns the number of attempts to connect.
    pub(crate) fn starts(&self) -> u64 {
        self.starts.load(Ordering::Relaxed)
    }

    /// Counts an attempt to connect.
    pub(super) fn note_start(&self) {
        self.starts.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns whether the first attempt to connect is still in progress.
    pub(crate) fn is_starting(&self) -> bool {
        !self.is_first_start_done.load(Ordering::Acquire)
    }

    /// Notes that an attempt to connect has ended. The following change of state wakes the waiting tasks.
    pub(super) fn mark_first_start_done(&self) {
        self.is_first_start_done.store(true, Ordering::Release);
    }

    /// Returns whether the server's lists come from a kept listing, because its first attempt to connect is still in progress.
    pub(crate) fn is_recalled(&self) -> bool {
        self.is_starting() && self.is_recalled.load(Ordering::Acquire)
    }

    /// Notes that a kept listing was loaded.
    pub(super) fn mark_recalled(&self) {
        self.is_recalled.store(true, Ordering::Release);
    }

    /// Returns whether the server's lists are unknown, because its first attempt to connect is still in progress.
    pub(super) fn is_unlisted(&self) -> bool {
        self.is_starting() && !self.is_recalled()
    }

    /// Marks the server to be started only to list its tools, unless a request needs it meanwhile.
    pub(crate) fn set_lists_only(&self) {
        self.lists_only.store(true, Ordering::Release);
    }

    /// Returns whether the server was started only to list its tools, and removes the mark.
    pub(super) fn take_lists_only(&self) -> bool {
        self.lists_only.swap(false, Ordering::AcqRel)
    }
}
