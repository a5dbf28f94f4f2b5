//! The progress of a session's handshake.

use mgp_transport::seam::Session;
use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

/// The progress of a session's handshake. Clones share the same session.
#[derive(Debug, Clone, Default)]
pub struct HandshakeProgress(Arc<AtomicU8>);

/// The phases of a handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum HandshakePhase {
    /// No `initialize` was received, or the last one was refused.
    NotStarted = 0,
    /// An `initialize` is being answered.
    Answering = 1,
    /// `initialize` was answered with a result. Requests are accepted from here on, because many clients do not wait
    /// for `Ready`.
    Answered = 2,
    /// The client sent `notifications/initialized`, or the session needs no handshake.
    Ready = 3,
}

impl HandshakeProgress {
    /// Returns the handshake of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.get_or_insert_with(Self::default)
    }

    /// Returns the phase that the session has reached.
    #[must_use]
    pub fn phase(&self) -> HandshakePhase {
        match self.0.load(Ordering::Acquire) {
            0 => HandshakePhase::NotStarted,
            1 => HandshakePhase::Answering,
            2 => HandshakePhase::Answered,
            _ => HandshakePhase::Ready,
        }
    }

    /// Marks the session as needing no `initialize`, because it belongs to the stateless era.
    pub fn not_needed(&self) {
        self.0.store(HandshakePhase::Ready as u8, Ordering::Release);
    }

    /// Begins to answer an `initialize`. The handshake falls back to `NotStarted` unless [`AnswerGuard::answered`] is called.
    pub(super) fn begin(&self) -> Option<AnswerGuard> {
        self.advance(HandshakePhase::NotStarted, HandshakePhase::Answering)
            .then(|| AnswerGuard { handshake: self.clone(), next: HandshakePhase::NotStarted })
    }

    /// Records `notifications/initialized`. Returns whether the notification was received in the right phase.
    pub(super) fn initialized(&self) -> bool {
        self.advance(HandshakePhase::Answered, HandshakePhase::Ready)
    }

    fn advance(&self, from: HandshakePhase, to: HandshakePhase) -> bool {
        self.0.compare_exchange(from as u8, to as u8, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

/// An `initialize` that is being answered. Dropping the guard without a result lets the client try again.
#[derive(Debug)]
pub(super) struct AnswerGuard {
    handshake: HandshakeProgress,
    next: HandshakePhase,
}

impl AnswerGuard {
    /// Records that `initialize` was answered with a result.
    pub(super) fn answered(mut self) {
        self.next = HandshakePhase::Answered;
    }
}

impl Drop for AnswerGuard {
    fn drop(&mut self) {
        self.handshake.advance(HandshakePhase::Answering, self.next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_has_one_handshake_and_one_initialize_at_a_time() {
        let session = Session::new("s");
        let answering = HandshakeProgress::of(&session).begin().unwrap();
        assert!(HandshakeProgress::of(&session).begin().is_none());
        drop(answering);
        assert_eq!(HandshakeProgress::of(&session).phase(), HandshakePhase::NotStarted);
        HandshakeProgress::of(&session).begin().unwrap().answered();
        assert_eq!(HandshakeProgress::of(&session).phase(), HandshakePhase::Answered);
        assert!(HandshakeProgress::of(&session).initialized());
        assert!(!HandshakeProgress::of(&session).initialized());
    }
}
