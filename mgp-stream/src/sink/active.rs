//! The streams of a session's running requests.

use super::{CallStream, StreamEnd};
use mgp_transport::seam::{Incoming, Session};
use mgp_types::{negotiation::Negotiation, rpc::RequestId};
use parking_lot::Mutex;
use std::{collections::BTreeMap, sync::Arc};

/// The streams of a session's requests, by id: those of running requests, and some that ended recently.
///
/// A stream stays for a while after its end, because the layers around the handler may still hold the answer back, and a cancellation that
/// arrives meanwhile is too late. Ended streams are swept out as new ones come, so there are never more than twice as many streams as running
/// requests.
#[derive(Debug, Clone, Default)]
pub(crate) struct ActiveStreams(Arc<Mutex<Streams>>);

#[derive(Debug, Default)]
struct Streams {
    by_id: BTreeMap<RequestId, CallStream>,
    /// The number of streams at which the next sweep comes.
    sweep_at: usize,
}

/// The number of streams below which sweeping is not worth it.
const SWEEP_THRESHOLD: usize = 64;

/// The stream of a running request. Dropping the guard ends the stream.
#[derive(Debug)]
pub(crate) struct StreamGuard(CallStream);

impl ActiveStreams {
    /// Returns the streams of a session.
    pub(crate) fn of(session: &Session) -> Self {
        session.get_or_insert_with(Self::default)
    }

    /// Returns the stream of a request.
    pub(crate) fn get(&self, id: &RequestId) -> Option<CallStream> {
        self.0.lock().by_id.get(id).cloned()
    }

    fn insert(&self, id: RequestId, stream: CallStream, runs: impl Fn(&RequestId) -> bool) {
        let mut streams = self.0.lock();
        if streams.by_id.len() >= streams.sweep_at.max(SWEEP_THRESHOLD) {
            streams.by_id.retain(|id, stream| stream.end().is_none() || runs(id));
            streams.sweep_at = streams.by_id.len() * 2;
        }
        streams.by_id.insert(id, stream);
    }
}

impl StreamGuard {
    /// Gives a request a stream if its session negotiated MGP: no other caller can ask for a partial result.
    pub(crate) fn new(incoming: &mut Incoming) -> Option<Self> {
        let session = incoming.session().filter(|session| session.has::<Negotiation>())?;
        let (id, peer) = (incoming.id.clone()?, incoming.peer()?);
        let stream = CallStream::new();
        ActiveStreams::of(session).insert(id, stream.clone(), |id| peer.running(id).is_some());
        incoming.ext.insert(stream.clone());
        Some(Self(stream))
    }

    /// Returns whether the request's service ends a cancelled request by itself.
    pub(crate) fn is_held(&self) -> bool {
        self.0.is_held()
    }

    /// Ends the stream because the call was cancelled.
    pub(crate) fn cancelled(self) -> CallStream {
        self.0.finish(StreamEnd::Cancelled);
        self.0.clone()
    }
}

impl Drop for StreamGuard {
    fn drop(&mut self) {
        // A handler that was dropped without an answer sends nothing more either.
        self.0.finish(StreamEnd::Answered);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ended_streams_are_removed_unless_their_answer_is_held_back() {
        let active = ActiveStreams::default();
        for id in 0..10_000 {
            let stream = CallStream::new();
            active.insert(id.into(), stream.clone(), |id| *id == RequestId::from(3));
            if id != 7 {
                stream.finish(StreamEnd::Answered);
            }
        }
        assert!(active.0.lock().by_id.len() <= 2 * SWEEP_THRESHOLD, "{}", active.0.lock().by_id.len());
        assert!(active.get(&3.into()).is_some() && active.get(&7.into()).is_some());
    }
}
