//! Tests of the entries that each store keeps, and for how long.

use super::support::*;
use crate::idempotency::{Claim, EntryBound, EntryBounds, EntryState, KeptAnswer, Outcome};
use jiff::{SignedDuration, Timestamp};
use mgp_transport::seam::Reply;
use mgp_types::{error::Recovery, json::RawJson, rpc::ErrorObject};

#[tokio::test]
async fn a_call_that_outruns_its_key_is_not_repeated() {
    for (store, _folder) in stores().await {
        let (bounds, now) = (settings().bounds, Timestamp::now());
        let id = entry("k", now, 1).id;
        assert_eq!(store.claim(entry("k", now, 1), bounds).await.unwrap(), Claim::New);
        let later = now + SignedDuration::from_hours(2);
        assert_eq!(store.sweep(later).await.unwrap(), 0, "{store:?}");
        let Claim::Exists(running) = store.claim(entry("k", later, 1), bounds).await.unwrap() else {
            panic!("it would be made twice: {store:?}");
        };
        assert_eq!(running.state, EntryState::Pending { here: true });
        let foreseen = store.foresee(entry("k", later, 1), bounds).await.unwrap();
        assert!(matches!(foreseen, Claim::Exists(_)), "{foreseen:?}");
        store.keep(&id, Outcome::Unknown, bounds).await.unwrap();
        assert_eq!(store.sweep(later).await.unwrap(), 1, "{store:?}");
    }
}

#[tokio::test]
async fn a_caller_without_room_learns_when_its_first_key_ends() {
    for (store, _folder) in stores().await {
        let (bounds, now) = (EntryBounds { entries: 2, ..settings().bounds }, Timestamp::now());
        for (key, hours) in [("long", 2), ("short", 1)] {
            assert_eq!(store.claim(entry(key, now, hours), bounds).await.unwrap(), Claim::New);
        }
        let Claim::Full { bound, room_at } = store.claim(entry("more", now, 3), bounds).await.unwrap() else {
            panic!("it has room: {store:?}");
        };
        assert_eq!(bound, EntryBound::Entries(2));
        let first = now + SignedDuration::from_hours(1);
        assert_eq!(room_at.unwrap().as_microsecond(), first.as_microsecond(), "{store:?}");
    }
}

#[tokio::test]
async fn an_error_too_large_to_keep_is_reported_as_one() {
    for (store, _folder) in stores().await {
        let long = ErrorObject::new(-32000_i64, "y".repeat(300));
        let server = CountingServer::answering(Reply::error(long));
        let service = serve(&store, &server);
        call(&service, keyed("k", "{}")).await;
        let later = call(&service, keyed("k", "{}")).await;
        assert!(problem(&later).contains("answered with an error of"), "{store:?} {}", problem(&later));
        let details = Recovery::from_error(later.as_error().unwrap()).unwrap().details.unwrap();
        assert_eq!(details.decode("is_error").unwrap(), Some(true));
        assert_eq!(server.reached(), 1);
    }
}

#[tokio::test]
async fn an_expired_answer_leaves_nothing_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.sqlite3");
    let store = crate::idempotency::SqlIdempotencyStore::open(&path).unwrap();
    let store: std::sync::Arc<dyn crate::idempotency::IdempotencyStore> = std::sync::Arc::new(store);
    let (bounds, now) =
        (EntryBounds { answer_bytes: 10_000, all_bytes: 10_000, ..settings().bounds }, Timestamp::now());
    let new = entry("k", now, 1);
    let id = new.id.clone();
    store.claim(new, bounds).await.unwrap();
    let secret = RawJson::parse(format!(r#"{{"content":[],"x":"{}"}}"#, "needle".repeat(20))).unwrap();
    store.keep(&id, Outcome::Done(KeptAnswer::Result(secret)), bounds).await.unwrap();
    let in_file = || {
        ["", "-wal"].into_iter().any(|end| {
            let bytes = std::fs::read(format!("{}{end}", path.display())).unwrap();
            bytes.windows(6).any(|part| part == b"needle")
        })
    };
    assert!(in_file());
    assert_eq!(store.sweep(now + SignedDuration::from_hours(2)).await.unwrap(), 1);
    assert!(!in_file());
}
