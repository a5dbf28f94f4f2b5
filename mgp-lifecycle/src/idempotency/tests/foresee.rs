//! Tests of dry runs of calls with a key, over each store.

use super::support::*;
use crate::idempotency::{Claim, IdempotencyStore, NewEntry};
use jiff::{SignedDuration, Timestamp};
use mgp_transport::seam::Reply;
use mgp_types::{error::ErrorCode, rpc::ErrorObject};
use std::sync::Arc;
use tower::Layer;
use xtask_testing::within;

const ONE: &str = r#"{"a":1}"#;
const OTHER: &str = r#"{"a":2}"#;

#[tokio::test]
async fn a_dry_run_meets_the_real_call_s_checks_and_stores_nothing() {
    for (store, _folder) in stores().await {
        let server = CountingServer::new();
        let service = serve(&store, &server);
        let judged = async |arguments| problem(&call(&service, keyed("k", arguments).dry()).await);
        // A free key: the service inside the layer judges, and the key stays free.
        assert_eq!(
            (judged(ONE).await, judged(OTHER).await, server.reached()),
            (String::new(), String::new(), 2)
        );
        call(&service, keyed("k", ONE)).await;
        assert_eq!(server.reached(), 3);
        assert_eq!(judged(ONE).await, "", "{store:?}");
        assert!(judged(OTHER).await.contains("IDEMPOTENCY_CONFLICT"), "{store:?}");
        assert_eq!(server.reached(), 3, "the answer is kept: nothing behind the layer judges");
    }
}

#[tokio::test]
async fn a_dry_run_reports_a_running_call_and_a_kept_error() {
    for (store, _folder) in stores().await {
        let server = CountingServer::held();
        let service = serve(&store, &server);
        let running = tokio::spawn({
            let service = service.clone();
            async move { call(&service, keyed("k", ONE)).await }
        });
        server.until_reached(1).await;
        assert_eq!(problem(&call(&service, keyed("k", ONE).dry()).await), "", "it would wait");
        assert!(problem(&call(&service, keyed("k", OTHER).dry()).await).contains("IDEMPOTENCY_CONFLICT"));
        server.gate.add_permits(1);
        within(running).await.unwrap();

        let failing =
            CountingServer::answering(Reply::error(ErrorObject::new(-32000_i64, "the API is down")));
        let service = serve(&store, &failing);
        let real = problem(&call(&service, keyed("e", ONE)).await);
        assert_eq!(problem(&call(&service, keyed("e", ONE).dry()).await), real);
        assert!(real.contains("the API is down"), "{real}");
    }
}

#[tokio::test]
async fn a_dry_run_of_an_unknown_outcome_is_refused() {
    for (store, _folder) in stores().await {
        let lost = Reply::error(ErrorCode::Timeout.error_outcome_unknown("no answer"));
        let server = CountingServer::answering(lost);
        let service = serve(&store, &server);
        call(&service, keyed("k", ONE)).await;
        let dry = problem(&call(&service, keyed("k", ONE).dry()).await);
        assert!(dry.contains("is unknown"), "{store:?} {dry}");
        assert_eq!(dry, problem(&call(&service, keyed("k", ONE)).await), "{store:?}");
        assert_eq!(server.reached(), 1);
    }
}

#[tokio::test]
async fn a_store_finds_an_entry_until_it_expires_and_adds_none() {
    for (store, _folder) in stores().await {
        let server = CountingServer::new();
        let made = keyed("k", ONE).identified();
        let id = crate::idempotency::EntryId::of(
            &made,
            &mgp_types::idempotency::IdempotencyKey::new("k").unwrap(),
        );
        let now = Timestamp::now();
        let find = async |at: Timestamp| {
            let store: &Arc<dyn IdempotencyStore> = &store;
            let new = NewEntry {
                id: id.clone(),
                caller: "ann".to_owned(),
                arguments: [0; 32],
                made_at: at,
                expires_at: at + SignedDuration::from_hours(1),
            };
            matches!(store.foresee(new, settings().bounds).await.unwrap(), Claim::Exists(_))
        };
        assert!(!find(now).await && !find(now).await);
        call(&serve(&store, &server), keyed("k", ONE)).await;
        assert!(find(now).await, "{store:?}");
        let over = now + SignedDuration::from_hours(24 * 3650);
        assert!(!find(over).await && find(now).await, "{store:?}");
    }
}

#[tokio::test]
async fn a_dry_run_finds_room_for_a_key_if_the_real_call_does() {
    for (store, _folder) in stores().await {
        let server = CountingServer::new();
        let service = serve(&store, &server);
        let judged = async |key| problem(&call(&service, keyed(key, ONE).dry()).await);
        for key in ["a", "b", "c"] {
            assert_eq!(judged(key).await, "");
            call(&service, keyed(key, ONE)).await;
        }
        let foretold = judged("d").await;
        assert!(foretold.contains("idempotency.max_keys"), "{store:?}: {foretold}");
        assert_eq!(judged("a").await, "", "its key is there");
        let real = problem(&call(&service, keyed("d", ONE)).await);
        assert_eq!((foretold, server.reached()), (real, 6), "{store:?}");

        // A year later there is room for both, and the dry run has used none of it.
        let later = layer(&store).clock(|| Timestamp::now() + SignedDuration::from_hours(24 * 365));
        let later = later.layer(server.clone());
        assert_eq!(problem(&call(&later, keyed("d", ONE).dry()).await), "", "{store:?}");
        assert!(judged("d").await.contains("idempotency.max_keys"), "{store:?}");
        assert_eq!(problem(&call(&later, keyed("d", ONE)).await), "", "{store:?}");
        assert_eq!(judged("e").await, "", "{store:?}");
    }
}

#[tokio::test]
async fn a_dry_run_with_a_malformed_key_is_refused() {
    let (store, _folder) = stores().await.remove(0);
    let server = CountingServer::new();
    let reply = call(&serve(&store, &server), keyed("no key", ONE).dry()).await;
    let code = reply.as_error().map(|error| error.code);
    assert!(code.is_some() && code != Some(ErrorCode::UpstreamError.into()), "{reply:?}");
    assert_eq!(server.reached(), 0);
}
