//! Tests of retries, with a server that gives predefined answers.

use super::{CallDeadline, RetryLayer, RetryPolicy};
use crate::state::{Outlook, StateMachine};
use mgp_transport::seam::{BoxError, CallRecord, Incoming, Reply};
use mgp_types::{
    error::{ErrorCode, Recovery},
    json::RawJson,
    lifecycle::ServerState,
    rpc::{ErrorObject, RawParams},
};
use parking_lot::Mutex;
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;
use tower::{Layer, Service, ServiceExt, service_fn};

const LIMIT: Duration = Duration::from_secs(60);

/// The calls that reached a server: the time of each, and the time that was left for it.
type Visits = Arc<Mutex<Vec<(Duration, Option<CallDeadline>)>>>;

/// A server that answers each call with the next of these errors, and succeeds after the last.
fn server(
    layer: &RetryLayer,
    errors: Vec<ErrorObject>,
) -> (impl Service<Incoming, Response = Reply, Error = BoxError, Future: Send> + Clone + Send + 'static, Visits)
{
    let (seen, start) = (Visits::default(), Instant::now());
    let errors = Arc::new(Mutex::new(errors.into_iter()));
    let inner = service_fn({
        let seen = seen.clone();
        move |message: Incoming| {
            seen.lock().push((start.elapsed(), message.ext.get::<CallDeadline>().copied()));
            let error = errors.lock().next();
            async move { Ok(error.map_or_else(|| Reply::ok(RawJson::empty_object()), Reply::error)) }
        }
    });
    (layer.layer(inner), seen)
}

fn call() -> Incoming {
    Incoming::request(1, "tools/call", RawParams::none())
}

fn times(seen: &Visits) -> Vec<u128> {
    seen.lock().iter().map(|(time, _)| time.as_millis()).collect()
}

fn policy() -> RetryPolicy {
    RetryPolicy::default()
}

fn after(code: ErrorCode, ms: u64) -> ErrorObject {
    code.error_with("later", Recovery::of(code).after_ms(ms))
}

#[tokio::test(start_paused = true)]
async fn a_call_is_retried_after_the_pause_that_its_error_names() {
    let (server, seen) = server(&RetryLayer::new(policy(), LIMIT), vec![after(ErrorCode::RateLimited, 7000)]);
    assert!(server.oneshot(call()).await.unwrap().as_error().is_none());
    assert_eq!(times(&seen), [0, 7000]);
    assert_eq!(seen.lock()[1].1.unwrap().left(), Duration::from_secs(53));
}

#[tokio::test(start_paused = true)]
async fn pauses_double_with_jitter_and_the_last_error_is_final() {
    let errors = vec![ErrorCode::RateLimited.error("slow down"); 9];
    let (server, seen) = server(&RetryLayer::new(policy(), LIMIT), errors);
    let (mut message, record) = (call(), CallRecord::new());
    message.ext.insert(record.clone());
    let error = server.oneshot(message).await.unwrap().as_error().cloned().unwrap();
    let advice = Recovery::from_error(&error).unwrap();
    assert!(!advice.retryable && advice.retry_after_ms.is_none(), "{error}");
    assert!(record.update(|record| record.given_up), "the record says that another attempt would do no harm");
    let times = times(&seen);
    assert_eq!(times.len(), 3, "{times:?}");
    assert!((100..=201).contains(&times[1]), "{times:?}");
    assert!((200..=401).contains(&(times[2] - times[1])), "{times:?}");
}

#[test]
fn the_error_s_strategy_decides_the_pauses() {
    use mgp_types::error::RetryStrategy::{self, ExponentialBackoff, FixedDelay, Immediate};
    let policy = RetryPolicy { max_retries: 9, ..policy() };
    let pauses = |strategy: RetryStrategy, after_ms| {
        let advice = Recovery::of(ErrorCode::RateLimited).with_retry(strategy);
        let advice = Recovery { retry_after_ms: after_ms, ..advice };
        [1, 2, 3, 9].map(|number| policy.pause(&advice, number, &mut || 0.0).as_millis())
    };
    assert_eq!(pauses(Immediate, None), [0; 4]);
    assert_eq!(pauses(FixedDelay, None), [200; 4]);
    assert_eq!(pauses(ExponentialBackoff, None), [200, 400, 800, 5000]);
    for strategy in [Immediate, FixedDelay] {
        assert_eq!(pauses(strategy, Some(300)), [300; 4]);
    }
    assert_eq!(pauses(ExponentialBackoff, Some(300)), [300, 600, 1200, 76_800]);
    assert_eq!(pauses(ExponentialBackoff, Some(50)), [200, 400, 800, 12_800]);
}

#[tokio::test(start_paused = true)]
async fn a_harmful_or_expired_call_is_not_retried() {
    let few = Recovery { max_retries: Some(0), ..Recovery::of(ErrorCode::RateLimited) };
    for error in [
        ErrorCode::Timeout.error("sent"),
        ErrorCode::UpstreamUnavailable.error_outcome_unknown("lost"),
        ErrorCode::AccessDenied.error("no"),
        ErrorObject::internal("broken"),
        after(ErrorCode::RateLimited, 60_000),
        ErrorCode::RateLimited.error_with("none", few),
    ] {
        let (server, seen) = server(&RetryLayer::new(policy(), LIMIT), vec![error.clone()]);
        let reply = server.oneshot(call()).await.unwrap();
        assert_eq!(reply.as_error(), Some(&error), "as it was");
        assert_eq!(times(&seen), [0], "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_partly_delivered_call_is_not_retried() {
    let layer = RetryLayer::new(policy(), LIMIT);
    for (begun, attempts) in [(true, 1), (false, 2)] {
        let (server, seen) = server(&layer, vec![ErrorCode::RateLimited.error("slow down")]);
        let (mut call, record) = (call(), CallRecord::new());
        record.update(|record| record.begun = begun);
        call.ext.insert(record);
        server.oneshot(call).await.unwrap();
        assert_eq!(seen.lock().len(), attempts, "begun: {begun}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_only_for_a_server_that_comes_back() {
    let machine = StateMachine::new("notes");
    machine.transition(ServerState::Connecting, "start").unwrap();
    let layer = RetryLayer::new(policy(), LIMIT).server(machine.clone());
    let refused = || vec![ErrorCode::ServerNotReady.error("connecting")];
    let (comes_back, seen) = server(&layer, refused());
    let waits = tokio::spawn(comes_back.oneshot(call()));
    tokio::time::sleep(Duration::from_secs(3)).await;
    machine.transition(ServerState::Connected, "up").unwrap();
    assert!(waits.await.unwrap().unwrap().as_error().is_none());
    assert_eq!(times(&seen), [0, 3000]);

    machine.transition(ServerState::Draining, "restarted by the operator").unwrap();
    let (drains, seen) = server(&layer, refused());
    let waits = tokio::spawn(drains.oneshot(call()));
    for state in [ServerState::Disconnected, ServerState::Restarting, ServerState::Connecting] {
        tokio::time::sleep(Duration::from_secs(1)).await;
        machine.transition(state, "restarted").unwrap();
    }
    machine.transition(ServerState::Connected, "up").unwrap();
    assert!(waits.await.unwrap().unwrap().as_error().is_none());
    assert_eq!(times(&seen), [0, 3000]);

    machine.transition(ServerState::Draining, "stopped while it was to be restarted").unwrap();
    let (drains, seen) = server(&layer, refused());
    let waits = tokio::spawn(drains.oneshot(call()));
    tokio::time::sleep(Duration::from_secs(1)).await;
    machine.set_outlook(Outlook::Final);
    let reply = waits.await.unwrap().unwrap();
    assert_eq!((reply.as_error(), times(&seen)), (refused().first(), vec![0]));

    machine.transition_with(ServerState::Disconnected, "stopped", Outlook::Final).unwrap();
    let (stopped, seen) = server(&layer, refused());
    let reply = stopped.oneshot(call()).await.unwrap();
    assert_eq!(reply.as_error(), refused().first());
    assert_eq!(times(&seen), [0]);

    machine.transition(ServerState::Restarting, "a long pause").unwrap();
    for late in [Outlook::StartAt, Outlook::StartBy] {
        machine.set_outlook(late(Instant::now() + LIMIT));
        let (start, (restarts, seen)) = (Instant::now(), server(&layer, refused()));
        assert!(restarts.oneshot(call()).await.unwrap().as_error().is_some());
        assert_eq!((times(&seen).len(), start.elapsed()), (1, Duration::ZERO));
    }

    machine.transition(ServerState::Connecting, "start").unwrap();
    let (start, (stays_away, seen)) = (Instant::now(), server(&layer, refused()));
    assert!(stays_away.oneshot(call()).await.unwrap().as_error().is_some());
    assert_eq!((times(&seen).len(), start.elapsed()), (1, LIMIT));
}

#[tokio::test(start_paused = true)]
async fn each_retry_is_reported_and_can_be_stopped() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let layer = RetryLayer::new(policy(), LIMIT).before({
        let told = told.clone();
        move |message, note| {
            message.ext.insert(note.number);
            told.lock().push((note.number, note.error.code, note.waited.as_millis()));
            let may_go_on = note.number < 2;
            Box::pin(async move { may_go_on })
        }
    });
    let (server, seen) = server(&layer, vec![after(ErrorCode::RateLimited, 1000); 3]);
    let reply = server.oneshot(call()).await.unwrap();
    assert_eq!(*told.lock(), [(1, 3000, 1000), (2, 3000, 2000)]);
    assert_eq!(times(&seen), [0, 1000], "the second retry was stopped");
    assert!(!Recovery::from_error(reply.as_error().unwrap()).unwrap().retryable, "there was one");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_fails_every_call_gets_few_more() {
    let error = ErrorCode::RateLimited.error("slow down");
    let layer = RetryLayer::new(RetryPolicy { max_retries: 1, ..policy() }, LIMIT);
    let (server, seen) = server(&layer, vec![error; 100_000]);
    let calls: Vec<_> = (0..1000).map(|_| tokio::spawn(server.clone().oneshot(call()))).collect();
    for call in calls {
        assert!(call.await.unwrap().unwrap().as_error().is_some());
    }
    let retries = seen.lock().len() - 1000;
    assert!((200..=320).contains(&retries), "{retries}");
}

#[tokio::test(start_paused = true)]
async fn without_retries_and_for_notifications_the_reply_passes() {
    let errors = || vec![ErrorCode::RateLimited.error("slow down"); 3];
    let (never, seen) = server(&RetryLayer::new(RetryPolicy::never(), LIMIT), errors());
    assert!(never.oneshot(call()).await.unwrap().as_error().is_some());
    assert_eq!(times(&seen), [0]);
    let (notified, seen) = server(&RetryLayer::new(policy(), LIMIT), errors());
    notified.oneshot(Incoming::notification("tools/call", RawParams::none())).await.unwrap();
    assert_eq!(times(&seen), [0]);
}
