//! Tests of the layer, over each store.

use super::support::*;
use crate::idempotency::{
    EntryBounds, IdempotencyLayer, IdempotencySettings, IdempotencyStore, SqlIdempotencyStore,
};
use jiff::{SignedDuration, Timestamp};
use mgp_transport::seam::{CancelCause, CancelToken, Refusal, RefusalKind, Reply, ToolCall};
use mgp_types::{
    error::{ErrorCode, Recovery},
    json::RawJson,
    rpc::ErrorObject,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::Duration,
};
use tower::{Layer, ServiceExt};
use xtask_testing::{TestCall, until, within};

#[tokio::test]
async fn calls_with_one_key_run_once_and_share_the_answer() {
    for (store, _folder) in stores().await {
        let server = CountingServer::held();
        let service = serve(&store, &server);
        let calls: Vec<_> = (0..64)
            .map(|_| tokio::spawn(service.clone().oneshot(keyed("k", r#"{"a":1,"b":2}"#).identified())))
            .collect();
        server.until_reached(1).await;
        server.gate.add_permits(64);
        let mut replays = 0;
        for reply in calls {
            let reply = within(reply).await.unwrap().unwrap();
            replays += usize::from(was_replay(&reply).unwrap());
        }
        // Later, and with the arguments written in another way.
        let later = call(&service, keyed("k", r#"{ "b":2, "a":1 }"#)).await;
        assert_eq!((server.reached(), replays, was_replay(&later)), (1, 63, Some(true)), "{store:?}");
    }
}

#[tokio::test]
async fn no_task_outlives_the_layer() {
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = tasks();
    let store: Arc<dyn IdempotencyStore> = Arc::new(SqlIdempotencyStore::in_memory());
    let layer = layer(&store);
    let other = layer.clone();
    assert_eq!(tasks(), before + 1);
    drop(layer);
    tokio::task::yield_now().await;
    assert_eq!(tasks(), before + 1, "the other clone still needs it");
    drop(other);
    until(|| tasks() == before).await;
}

#[tokio::test]
async fn a_call_without_a_key_passes_unchanged() {
    for (store, _folder) in stores().await {
        let server = CountingServer::new();
        let service = serve(&store, &server);
        for _ in 0..2 {
            let reply = call(&service, TestCall::new(r#"{"name":"t","_meta":{"progressToken":1}}"#)).await;
            assert_eq!(reply.result().unwrap().as_str(), r#"{"content":[]}"#);
        }
        assert_eq!(server.reached(), 2);
    }
}

#[tokio::test]
async fn an_invalid_key_is_refused_before_anything_is_stored() {
    for (store, _folder) in stores().await {
        let server = CountingServer::new();
        let service = serve(&store, &server);
        let long =
            TestCall::new(r#"{"name":"t","_meta":{"idempotency_key":"k","idempotency_ttl_seconds":604801}}"#);
        for (wrong, text) in [
            (keyed("a b", "{}"), "_meta.idempotency_key: expected a string that matches"),
            (long, "_meta.idempotency_ttl_seconds: expected at most 604800, found 604801"),
        ] {
            let record = wrong.record.clone();
            let refused = call(&service, wrong).await;
            assert!(problem(&refused).contains(text), "{}", problem(&refused));
            assert_eq!(refused.as_error().unwrap().code, -32602);
            assert_eq!(record.read().refusal.unwrap().kind, RefusalKind::Idempotency);
        }
        assert_eq!(server.reached(), 0);
    }
}

#[tokio::test]
async fn other_arguments_conflict_during_the_call_and_after_it() {
    for (store, _folder) in stores().await {
        let server = CountingServer::held();
        let service = serve(&store, &server);
        let first = tokio::spawn(service.clone().oneshot(keyed("k", r#"{"a":1}"#).identified()));
        server.until_reached(1).await;
        for running in [true, false] {
            let refused = call(&service, keyed("k", r#"{"a":2}"#)).await;
            let error = refused.as_error().unwrap();
            assert_eq!(error.code, i64::from(ErrorCode::InvalidToolArgs), "{running}");
            assert!(error.data.as_ref().unwrap().as_str().contains(r#""code":"IDEMPOTENCY_CONFLICT""#));
            if running {
                server.gate.add_permits(1);
                until(|| server.gate.available_permits() == 0).await;
            }
        }
        within(first).await.unwrap().unwrap();
        assert_eq!(server.reached(), 1);
    }
}

#[tokio::test]
async fn a_key_is_scoped_to_its_caller_tool_and_agent() {
    for (store, _folder) in stores().await {
        let server = CountingServer::new();
        let bounds = EntryBounds { entries: 9, ..settings().bounds };
        let layer = IdempotencyLayer::new(store.clone(), IdempotencySettings { bounds, ..settings() });
        let service = layer.layer(server.clone());
        let tool = |server_id, name| {
            let mut other = keyed("k", "{}");
            Arc::make_mut(&mut other.call.target).tool = mgp_types::context::ToolId::new(server_id, name);
            other
        };
        let mut delegated = keyed("k", "{}");
        delegated.principal = delegated.principal.on_behalf_of(["bob"]);
        let calls =
            [keyed("k", "{}"), keyed("k", "{}").principal("bob"), tool("s", "u"), tool("r", "t"), delegated];
        for (number, other) in calls.into_iter().enumerate() {
            let reply = call(&service, other).await;
            assert_eq!((was_replay(&reply), server.reached()), (Some(false), number + 1));
        }
    }
}

#[tokio::test]
async fn an_unsent_call_frees_its_key_and_an_error_answer_is_kept() {
    for (store, _folder) in stores().await {
        let unsent = CountingServer::unsent(Reply::error(ErrorCode::ServerNotReady.error("it is down")));
        let service = serve(&store, &unsent);
        for times in 1..=2 {
            assert!(problem(&call(&service, keyed("a", "{}")).await).contains("it is down"));
            assert_eq!(unsent.reached(), times);
        }
        let own = ErrorObject::new(-32000_i64, "its own").with_data(RawJson::parse("[1]").unwrap());
        let failing = CountingServer::answering(Reply::error(own.clone()));
        let service = serve(&store, &failing);
        for _ in 0..2 {
            let reply = call(&service, keyed("b", "{}")).await;
            assert_eq!((reply.as_error(), failing.reached()), (Some(&own), 1), "data of another form stay");
        }
        let failing = CountingServer::answering(Reply::error(ErrorObject::new(-32000_i64, "its own")));
        let service = serve(&store, &failing);
        for replay in [false, true] {
            assert_eq!(was_replay(&call(&service, keyed("c", "{}")).await), Some(replay));
        }
    }
}

#[tokio::test]
async fn a_lost_call_is_unknown_and_never_repeated() {
    for (store, _folder) in stores().await {
        let lost = Reply::error(ErrorCode::Timeout.error_outcome_unknown("no answer"));
        let server = CountingServer::answering(lost);
        let service = serve(&store, &server);
        assert!(problem(&call(&service, keyed("k", "{}")).await).contains("no answer"));
        let later = keyed("k", "{}");
        let record = later.record.clone();
        let later = call(&service, later).await;
        assert!(record.read().begun, "nothing may be called in its place");
        let advice = Recovery::from_error(later.as_error().unwrap()).unwrap();
        assert!(advice.is_outcome_unknown() && !advice.retryable, "{}", problem(&later));
        assert!(problem(&later).contains("is unknown") && was_replay(&later) == Some(true));
        assert_eq!(server.reached(), 1);
    }
}

#[tokio::test]
async fn a_dropped_call_runs_to_its_end_for_later_callers() {
    for (store, _folder) in stores().await {
        let server = CountingServer::held();
        let service = serve(&store, &server);
        let dropped = tokio::spawn(service.clone().oneshot(keyed("k", "{}").identified()));
        server.until_reached(1).await;
        let waiting = tokio::spawn(service.clone().oneshot(keyed("k", "{}").identified()));
        dropped.abort();
        assert!(within(dropped).await.unwrap_err().is_cancelled());
        server.gate.add_permits(1);
        let reply = within(waiting).await.unwrap().unwrap();
        let later = call(&service, keyed("k", "{}")).await;
        for reply in [reply, later] {
            // An unknown outcome would be a replay too.
            assert!(reply.result().is_some() && was_replay(&reply) == Some(true), "{}", problem(&reply));
        }
        assert_eq!(server.reached(), 1);
    }
}

/// Returns a call whose caller has a connection, and the token that cancels it.
fn on_connection() -> (CancelToken, ToolCall) {
    let cancel = CancelToken::new();
    let call = keyed("k", "{}").on_session(None, &cancel).identified();
    (cancel, call)
}

#[tokio::test]
async fn a_disconnected_first_caller_ends_no_call_but_cancelling_does() {
    for (store, _folder) in stores().await {
        for cause in [CancelCause::Disconnected, CancelCause::Notification, CancelCause::Method] {
            let gate = Arc::new(tokio::sync::Semaphore::new(0));
            let (opened, sent) = (gate.clone(), Arc::new(tokio::sync::Notify::new()));
            let reached = sent.clone();
            // As the layer around a server does it.
            let server = tower::service_fn(move |call: ToolCall| {
                let (gate, sent) = (opened.clone(), reached.clone());
                async move {
                    call.record.update(|record| (record.attempts, record.answered) = (1, Some(true)));
                    let cancel = call.cancel_token().unwrap().clone();
                    sent.notify_one();
                    Ok::<_, mgp_transport::seam::BoxError>(tokio::select! {
                        biased;
                        () = cancel.cancelled() => Reply::cancelled(RawJson::empty_object()),
                        _ = gate.acquire() => Reply::ok(RawJson::empty_object()),
                    })
                }
            });
            let service = layer(&store).layer(server);
            let (cancel, first) = on_connection();
            let first = tokio::spawn(service.clone().oneshot(first));
            within(sent.notified()).await;
            let waiting = tokio::spawn(service.clone().oneshot(on_connection().1));
            tokio::task::yield_now().await;
            cancel.cancel(cause);
            if cause == CancelCause::Disconnected {
                gate.add_permits(1);
            }
            let first = within(first).await.unwrap().unwrap();
            let waited = within(waiting).await.unwrap().unwrap();
            if cause == CancelCause::Disconnected {
                assert_eq!((was_replay(&first), was_replay(&waited)), (Some(false), Some(true)));
            } else {
                assert!(first.is_cancelled(), "{cause:?}");
                assert!(problem(&waited).contains("is unknown"), "{cause:?} {}", problem(&waited));
            }
            let over = Timestamp::now() + SignedDuration::from_hours(25);
            assert_eq!(store.sweep(over).await.unwrap(), 1);
        }
    }
}

static CLOCK: AtomicI64 = AtomicI64::new(0);

#[tokio::test]
async fn a_key_is_forgotten_when_it_expires() {
    for (store, _folder) in stores().await {
        CLOCK.store(Timestamp::now().as_second(), Ordering::SeqCst);
        let now = || Timestamp::from_second(CLOCK.load(Ordering::SeqCst)).unwrap();
        let server = CountingServer::new();
        let service = layer(&store).clock(now).layer(server.clone());
        let short =
            || TestCall::new(r#"{"name":"t","_meta":{"idempotency_key":"k","idempotency_ttl_seconds":60}}"#);
        for (after, replay) in [(0, false), (59, true), (1, false), (59, true)] {
            CLOCK.fetch_add(after, Ordering::SeqCst);
            assert_eq!(was_replay(&call(&service, short()).await), Some(replay), "{after}");
        }
        assert_eq!(server.reached(), 2);
    }
}

#[tokio::test]
async fn kept_answers_are_bounded() {
    for (store, _folder) in stores().await {
        let long = format!(r#"{{"content":[],"x":"{}"}}"#, "y".repeat(129));
        let large = CountingServer::answering(Reply::ok(RawJson::parse(long).unwrap()));
        let service = serve(&store, &large);
        // Two of them fit into what a caller may have kept.
        for (key, kept) in [("a", true), ("b", true), ("c", false)] {
            assert_eq!(was_replay(&call(&service, keyed(key, "{}")).await), Some(false));
            let replay = call(&service, keyed(key, "{}")).await;
            assert_eq!(replay.result().is_some(), kept, "{key} {}", problem(&replay));
            if !kept {
                assert!(
                    problem(&replay).contains("answered with a result of 150 bytes, which was too large")
                );
                let details = Recovery::from_error(replay.as_error().unwrap()).unwrap().details.unwrap();
                assert_eq!(details.text("outcome").as_deref(), Some("done"));
            }
        }
        let full = call(&service, keyed("d", "{}")).await;
        let advice = Recovery::from_error(full.as_error().unwrap()).unwrap();
        assert!(advice.retryable && advice.retry_after_ms.unwrap() > 86_000_000, "{advice:?}");
        assert!(problem(&full).contains("3 idempotency keys"), "{}", problem(&full));
        assert_eq!(
            was_replay(&call(&service, keyed("a", "{}")).await),
            Some(true),
            "it is kept all the same"
        );
        assert_eq!(was_replay(&call(&service, keyed("d", "{}").principal("bob")).await), Some(false));
        assert_eq!(large.reached(), 4);
        let over = Timestamp::now() + SignedDuration::from_hours(25);
        assert_eq!(store.sweep(over).await.unwrap(), 4);
        assert_eq!(was_replay(&call(&service, keyed("d", "{}")).await), Some(false));
    }
}

#[tokio::test]
async fn acting_for_other_agents_gives_a_caller_no_more_room() {
    for (store, _folder) in stores().await {
        let server = CountingServer::answering(Reply::ok(
            RawJson::parse(format!(r#"{{"content":[],"x":"{}"}}"#, "y".repeat(129))).unwrap(),
        ));
        let service = serve(&store, &server);
        let on_behalf_of = |agent: &str| {
            let mut delegated = keyed("k", "{}");
            delegated.principal = delegated.principal.on_behalf_of([agent]);
            delegated
        };
        for (number, agent) in ["a", "b", "c"].into_iter().enumerate() {
            assert_eq!(was_replay(&call(&service, on_behalf_of(agent)).await), Some(false));
            let replay = call(&service, on_behalf_of(agent)).await;
            assert_eq!(replay.result().is_some(), number < 2, "two answers are all that it may have kept");
        }
        let full = call(&service, on_behalf_of("d")).await;
        assert!(problem(&full).contains("3 idempotency keys"), "{}", problem(&full));
        assert!(Recovery::from_error(full.as_error().unwrap()).unwrap().retry_after_ms.is_some());
        assert_eq!(was_replay(&call(&service, keyed("k", "{}").principal("bob")).await), Some(false));
        let over = Timestamp::now() + SignedDuration::from_hours(25);
        assert_eq!(store.sweep(over).await.unwrap(), 4);
        assert_eq!(was_replay(&call(&service, on_behalf_of("d")).await), Some(false));
    }
}

#[tokio::test]
async fn a_waiter_can_be_cancelled_and_waits_within_its_limit() {
    for (store, _folder) in stores().await {
        let server = CountingServer::held();
        let service = serve(&store, &server);
        let first = tokio::spawn(service.clone().oneshot(keyed("k", "{}").identified()));
        server.until_reached(1).await;
        let cancel = CancelToken::new();
        let waiting = keyed("k", "{}").on_session(None, &cancel).identified();
        let waiting = tokio::spawn(service.clone().oneshot(waiting));
        tokio::task::yield_now().await;
        cancel.cancel(CancelCause::Notification);
        assert!(within(waiting).await.unwrap().unwrap().is_cancelled());
        let impatient = IdempotencySettings { wait: Duration::ZERO, ..settings() };
        let mut hasty = service.clone();
        let mut keys = (*hasty.keys).clone();
        keys.settings = impatient;
        hasty.keys = Arc::new(keys);
        let late = keyed("k", "{}");
        let record = late.record.clone();
        let refused = call(&hasty, late).await;
        assert!(record.read().begun, "nothing may be called in its place");
        let advice = Recovery::from_error(refused.as_error().unwrap()).unwrap();
        assert!(advice.retryable && advice.retry_after_ms == Some(1000), "{advice:?}");
        server.gate.add_permits(1);
        assert_eq!(was_replay(&within(first).await.unwrap().unwrap()), Some(false));
        assert_eq!(server.reached(), 1);
    }
}

#[tokio::test]
async fn a_waiter_is_judged_again() {
    for (store, _folder) in stores().await {
        let (server, allowed) = (CountingServer::held(), Arc::new(AtomicBool::new(true)));
        let judge = allowed.clone();
        let layer = layer(&store).judge_again(move |_| {
            if judge.load(Ordering::SeqCst) {
                return Ok(());
            }
            Err(Refusal::new(RefusalKind::Access, ErrorCode::AccessDenied.error("no more")))
        });
        let service = layer.layer(server.clone());
        let first = tokio::spawn(service.clone().oneshot(keyed("k", "{}").identified()));
        server.until_reached(1).await;
        let waiting = tokio::spawn(service.clone().oneshot(keyed("k", "{}").identified()));
        tokio::task::yield_now().await;
        allowed.store(false, Ordering::SeqCst);
        server.gate.add_permits(1);
        within(first).await.unwrap().unwrap();
        assert!(problem(&within(waiting).await.unwrap().unwrap()).contains("no more"));
        // The call waited at a gate, and the answer is there.
        let mut asked = keyed("k", "{}");
        asked.call.waited = true;
        assert!(problem(&call(&service, asked).await).contains("no more"));
        assert_eq!(
            was_replay(&call(&service, keyed("k", "{}")).await),
            Some(true),
            "the gates have just judged it"
        );
        assert_eq!(server.reached(), 1);
    }
}
