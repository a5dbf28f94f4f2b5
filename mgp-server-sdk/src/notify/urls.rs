//! The URLs that a client was asked to open, kept until the user has finished there.

use crate::era;
use mgp_transport::seam::Session;
use mgp_types::mcp::ProtocolVersion;
use parking_lot::Mutex;
use std::{collections::VecDeque, sync::Arc};

/// The most URLs that are kept for one client. The oldest are dropped first, because a server does not have to report that a user has finished.
const MOST: usize = 64;

/// The ids of a session's elicitations by URL that are not finished yet. Clones belong to the same session.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenUrls(Arc<Mutex<VecDeque<Box<str>>>>);

impl OpenUrls {
    /// Records that the client of a session is asked to open a URL. The record is kept after the question only if the user
    /// [accepts](Opening::accepted). Returns `None` if the client's revision has no notification for a finished elicitation.
    pub(crate) fn open(session: &Session, id: &str) -> Option<UrlGuard> {
        if !era::has_session(session) || session.get() != Some(ProtocolVersion::V2025_11_25) {
            return None;
        }
        let urls: Self = session.get_or_insert_with(Self::default);
        {
            let mut open = urls.0.lock();
            open.retain(|known| **known != *id);
            if open.len() >= MOST
                && let Some(oldest) = open.pop_front()
            {
                tracing::debug!(
                    id = oldest,
                    "too many URLs are open: the client is not notified when this one is finished"
                );
            }
            open.push_back(id.into());
        }
        Some(UrlGuard { urls, id: Some(id.into()) })
    }

    /// Removes a finished elicitation. Returns whether the client of the session was asked to open it.
    pub(crate) fn done(session: &Session, id: &str) -> bool {
        session.get::<Self>().is_some_and(|urls| urls.close(id))
    }

    fn close(&self, id: &str) -> bool {
        let mut open = self.0.lock();
        let before = open.len();
        open.retain(|known| **known != *id);
        open.len() < before
    }
}

/// A question with a URL. Dropping it removes the URL, unless the user agreed to open it.
#[derive(Debug)]
pub(crate) struct UrlGuard {
    urls: OpenUrls,
    id: Option<Box<str>>,
}

impl UrlGuard {
    /// Keeps the URL after the question: the user agreed to open it.
    pub(crate) fn accepted(mut self) {
        self.id = None;
    }
}

impl Drop for UrlGuard {
    fn drop(&mut self) {
        if let Some(id) = &self.id {
            self.urls.close(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(version: ProtocolVersion) -> Session {
        let session = Session::new("s");
        session.set(version);
        session
    }

    #[test]
    fn only_agreed_urls_are_kept_and_completed_once() {
        let session = session(ProtocolVersion::V2025_11_25);
        drop(OpenUrls::open(&session, "declined").unwrap());
        OpenUrls::open(&session, "accepted").unwrap().accepted();
        assert!(!OpenUrls::done(&session, "declined"));
        assert!(OpenUrls::done(&session, "accepted") && !OpenUrls::done(&session, "accepted"));
    }

    #[test]
    fn the_oldest_urls_are_evicted() {
        let session = session(ProtocolVersion::V2025_11_25);
        for number in 0..=MOST {
            OpenUrls::open(&session, &number.to_string()).unwrap().accepted();
        }
        assert!(!OpenUrls::done(&session, "0") && OpenUrls::done(&session, "1"));
    }

    #[test]
    fn a_revision_without_url_notifications_keeps_nothing() {
        for version in [ProtocolVersion::V2025_06_18, ProtocolVersion::V2026_07_28] {
            assert!(OpenUrls::open(&session(version), "a").is_none(), "{version}");
        }
        assert!(
            OpenUrls::open(&session(ProtocolVersion::V2025_11_25).of_one_request(Arc::default()), "a")
                .is_none()
        );
    }
}
