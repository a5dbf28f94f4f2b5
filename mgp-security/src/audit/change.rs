//! Changes of rights, together with the events that record them.

use super::{AuditError, AuditSink, EventDraft};
use std::{fmt, future::Future};

/// The error returned when a change is not made, or not recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError<E> {
    /// The intent could not be recorded, so the change was not tried.
    #[error("{0}")]
    Untraceable(AuditError),
    /// The change was tried and failed.
    #[error("{0}")]
    Failed(E),
    /// The change was made, but its outcome could not be recorded. The trail holds only the intent.
    #[error("the change was made, but its outcome could not be recorded: {0}")]
    Unrecorded(AuditError),
}

/// Makes a change, and records an event of the intent before it and an event of the outcome after it.
///
/// No change may take effect without a trace, and no event may report a change before it is made. So the trail first gets
/// `dev.cloto.mgp.CHANGE_INTENDED`, then `draft`, either as it is or as a FAILURE with its reason. Both events have the same `change_id`.
/// An intent without an outcome means that the process ended in between, or that the trail could no longer be written. Then it is unknown
/// whether the change was made.
///
/// # Errors
/// [`ChangeError`].
pub async fn record_change<T, E: fmt::Display>(
    sink: &dyn AuditSink,
    draft: EventDraft,
    change: impl Future<Output = Result<T, E>>,
) -> Result<T, ChangeError<E>> {
    let (intent, outcome) = draft.with_intent();
    sink.record(intent.finish()).await.map_err(ChangeError::Untraceable)?;
    match change.await {
        Ok(made) => {
            sink.record(outcome.happening_now().finish()).await.map_err(ChangeError::Unrecorded)?;
            Ok(made)
        }
        Err(error) => {
            let failed = outcome.happening_now().failed(&error);
            if let Err(unrecorded) = sink.record(failed.finish()).await {
                tracing::error!(%error, %unrecorded, "a change failed, and the trail holds only its intent");
            }
            Err(ChangeError::Failed(error))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{MemorySink, StoreFuture};
    use mgp_types::{
        audit::{AuditEvent, AuditEventType},
        context::Principal,
    };
    use std::{
        future::ready,
        sync::atomic::{AtomicUsize, Ordering},
    };

    /// A sink that stores a given number of events and no more.
    #[derive(Debug)]
    struct Full(MemorySink, AtomicUsize);

    impl Full {
        fn after(events: usize) -> Self {
            Self(MemorySink::new(10), AtomicUsize::new(events))
        }

        fn told(&self) -> Vec<String> {
            let line = |event: &AuditEvent| format!("{} {}", event.event_type, event.result);
            self.0.events().iter().map(line).collect()
        }
    }

    impl AuditSink for Full {
        fn record(&self, event: AuditEvent) -> StoreFuture {
            let room = |left: usize| left.checked_sub(1);
            match self.1.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room) {
                Ok(_) => self.0.record(event),
                Err(_) => StoreFuture::ready(Err(AuditError::new("disk full"))),
            }
        }
    }

    const INTENDED: &str = "dev.cloto.mgp.CHANGE_INTENDED SUCCESS";

    async fn change(sink: &Full, outcome: Result<u8, &'static str>) -> Result<u8, ChangeError<&'static str>> {
        let draft = EventDraft::new(AuditEventType::AccessGranted, &Principal::operator("ann"));
        record_change(sink, draft, ready(outcome)).await
    }

    #[tokio::test]
    async fn a_change_is_recorded_as_a_success_only_if_it_was_made() {
        let sink = Full::after(10);
        assert_eq!(change(&sink, Ok(7)).await, Ok(7));
        assert_eq!(change(&sink, Err("no room")).await, Err(ChangeError::Failed("no room")));
        let expected = [INTENDED, "ACCESS_GRANTED SUCCESS", INTENDED, "ACCESS_GRANTED FAILURE"];
        assert_eq!(sink.told(), expected);
        let events = sink.0.events();
        let detail = |at: usize, name| events[at].details.as_ref().unwrap().text(name);
        assert_eq!(detail(0, "change").as_deref(), Some("ACCESS_GRANTED"));
        assert_eq!(detail(0, "change_id"), detail(1, "change_id"));
        assert_ne!(detail(1, "change_id"), detail(2, "change_id"));
        assert_eq!(detail(3, "reason").as_deref(), Some("no room"));
    }

    #[tokio::test]
    async fn a_change_needs_its_intent_in_the_trail() {
        let sink = Full::after(0);
        let draft = EventDraft::new(AuditEventType::AccessGranted, &Principal::operator("ann"));
        let never = async { panic!("it was tried") };
        let refused = record_change::<(), &str>(&sink, draft, never).await;
        assert_eq!(refused, Err(ChangeError::Untraceable(AuditError::new("disk full"))));
    }

    #[tokio::test]
    async fn a_trail_that_fills_up_in_between_records_no_outcome() {
        for (outcome, expected) in [
            (Ok(7), ChangeError::Unrecorded(AuditError::new("disk full"))),
            (Err("no room"), ChangeError::Failed("no room")),
        ] {
            let sink = Full::after(1);
            assert_eq!(change(&sink, outcome).await, Err(expected));
            assert_eq!(sink.told(), [INTENDED]);
        }
    }
}
