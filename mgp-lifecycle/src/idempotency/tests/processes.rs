//! Tests of processes that use one store at once, and of processes that are gone.

use super::support::*;
use crate::idempotency::{
    Claim, EntryBounds, EntryState, IdempotencyStore, KeptAnswer, NewEntry, Outcome, SqlIdempotencyStore,
};
use jiff::{SignedDuration, Timestamp};
use mgp_types::json::RawJson;
use tokio::task::JoinSet;

/// Makes 16 claims at once, half of them in each of two processes, and returns the outcomes with the process of each.
async fn at_once(
    stores: &[SqlIdempotencyStore; 2],
    new: impl Fn(usize) -> NewEntry,
) -> Vec<(SqlIdempotencyStore, NewEntry, Claim)> {
    let mut claims = JoinSet::new();
    for at in 0..16 {
        let (store, new) = (stores[at % 2].clone(), new(at));
        claims.spawn(async move {
            let claim = store.claim(new.clone(), settings().bounds).await.unwrap();
            (store, new, claim)
        });
    }
    claims.join_all().await
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_many_claims_at_once_is_new() {
    for shared in SharedStore::each().await {
        let (stores, now) = ([shared.open().await, shared.open().await], Timestamp::now());
        for key in ["a", "b", "c"] {
            let claims = at_once(&stores, |_| entry(key, now, 1)).await;
            let is_new = |claim: &Claim| *claim == Claim::New;
            assert_eq!(claims.iter().filter(|(_, _, claim)| is_new(claim)).count(), 1);
            for (_, _, claim) in claims.into_iter().filter(|(_, _, claim)| !is_new(claim)) {
                let Claim::Exists(there) = claim else { panic!("{claim:?}") };
                assert!(matches!(there.state, EntryState::Pending { .. }), "{there:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_and_answers_at_once_stay_within_bounds() {
    for shared in SharedStore::each().await {
        let (stores, now) = ([shared.open().await, shared.open().await], Timestamp::now());
        let claims = at_once(&stores, |at| entry(&format!("k{at}"), now, 1)).await;
        let (new, full): (Vec<_>, Vec<_>) = claims.into_iter().partition(|(.., claim)| *claim == Claim::New);
        assert_eq!(new.len(), 3);
        assert!(full.iter().all(|(.., claim)| matches!(claim, Claim::Full { .. })));
        // Two of them fit into what a caller may have kept.
        let answer = RawJson::parse(format!(r#"{{"x":"{}"}}"#, "y".repeat(142))).unwrap();
        let mut answered = JoinSet::new();
        for (store, new, _) in new {
            let answer = Outcome::Done(KeptAnswer::Result(answer.clone()));
            answered.spawn(async move {
                store.keep(&new.id, answer, settings().bounds).await.unwrap();
                let Claim::Exists(there) = store.claim(new, settings().bounds).await.unwrap() else {
                    panic!("it was claimed");
                };
                there.state
            });
        }
        let kept = answered.join_all().await;
        let is_kept = |state: &&EntryState| matches!(state, EntryState::Done(KeptAnswer::Result(_)));
        let is_dropped =
            |state: &&EntryState| matches!(state, EntryState::Done(KeptAnswer::Dropped { bytes: 150, .. }));
        assert_eq!((kept.iter().filter(is_kept).count(), kept.iter().filter(is_dropped).count()), (2, 1));
        let later = now + SignedDuration::from_hours(2);
        let (here, there) = tokio::join!(stores[0].sweep(later), stores[1].sweep(later));
        assert_eq!(here.unwrap() + there.unwrap(), 3);
        assert!(rows(&shared.tables().await, "SELECT caller FROM sums").await.is_empty());
    }
}

#[tokio::test]
async fn a_call_with_a_long_chain_of_agents_is_made_once() {
    for (store, _folder) in stores().await {
        let server = CountingServer::new();
        let service = serve(&store, &server);
        let with_chain = || {
            let mut long = keyed("k", "{}");
            let tool = mgp_types::context::ToolId::new("s", "t".repeat(9_000).as_str());
            std::sync::Arc::make_mut(&mut long.call.target).tool = tool;
            // Escaped, each byte of the chain becomes six.
            long.principal = long.principal.on_behalf_of([(); 3].map(|()| "\u{1}".repeat(256)));
            long
        };
        for replay in [false, true] {
            let reply = call(&service, with_chain()).await;
            assert_eq!(was_replay(&reply), Some(replay), "{}", problem(&reply));
        }
    }
}

#[tokio::test]
async fn a_full_caller_s_expired_entries_make_room() {
    for shared in SharedStore::each().await {
        let (store, now) = (shared.open().await, Timestamp::now());
        let bounds = EntryBounds { entries: 2, ..settings().bounds };
        for (key, hours) in [("a", 1), ("b", 3)] {
            let new = entry(key, now, hours);
            let id = new.id.clone();
            store.claim(new, bounds).await.unwrap();
            store.keep(&id, Outcome::Unknown, bounds).await.unwrap();
        }
        let later = now + SignedDuration::from_hours(2);
        assert!(matches!(store.claim(entry("c", now, 1), bounds).await.unwrap(), Claim::Full { .. }));
        assert_eq!(store.foresee(entry("c", later, 1), bounds).await.unwrap(), Claim::New);
        assert_eq!(store.claim(entry("c", later, 1), bounds).await.unwrap(), Claim::New);
        assert!(matches!(store.claim(entry("d", later, 1), bounds).await.unwrap(), Claim::Full { .. }));
    }
}

#[tokio::test]
async fn a_process_that_stopped_renewing_its_mark_is_buried() {
    for shared in SharedStore::each().await {
        let SharedStore::Postgres(_) = &shared else { continue };
        let (store, tables, now) = (shared.open().await, shared.tables().await, Timestamp::now());
        for (seconds, state, stored, marks) in
            [(20, EntryState::Pending { here: false }, "pending", 2), (31, EntryState::Unknown, "unknown", 1)]
        {
            store.claim(entry("k", now, 1), settings().bounds).await.unwrap();
            rows(&tables, "UPDATE entries SET owner = 'other'").await;
            let mark = format!(
                "INSERT INTO entry_owners SELECT 'other', max(seen_at) - {seconds} * 1000000 FROM entry_owners"
            );
            rows(&tables, &mark).await;
            let Claim::Exists(there) = store.claim(entry("k", now, 1), settings().bounds).await.unwrap()
            else {
                panic!("it would be made twice");
            };
            assert_eq!(there.state, state, "{seconds} s");
            store.sweep(now).await.unwrap();
            let found = rows(&tables, "SELECT state FROM entries").await;
            assert_eq!(found[0].needed("state").unwrap(), stored, "{seconds} s");
            assert_eq!(shared.marks().await, marks, "{seconds} s");
            rows(&tables, "DELETE FROM entries").await;
            rows(&tables, "DELETE FROM sums").await;
            rows(&tables, "DELETE FROM entry_owners WHERE id = 'other'").await;
        }
    }
}

#[tokio::test]
async fn a_process_that_cannot_renew_its_mark_claims_nothing() {
    for shared in SharedStore::each().await {
        let SharedStore::Postgres(_) = &shared else { continue };
        let (store, tables, now) = (shared.open().await, shared.tables().await, Timestamp::now());
        rows(&tables, "ALTER TABLE entry_owners RENAME TO lost").await;
        assert_eq!(store.claim(entry("a", now, 1), settings().bounds).await.unwrap(), Claim::New);
        store.owner.lapse();
        let error = store.claim(entry("b", now, 1), settings().bounds).await.unwrap_err().to_string();
        assert!(error.contains("entry_owners"), "{error}");
        // The end of a call is still stored.
        store.keep(&entry("a", now, 1).id, Outcome::Unknown, settings().bounds).await.unwrap();
        rows(&tables, "ALTER TABLE lost RENAME TO entry_owners").await;
        rows(&tables, "DELETE FROM entry_owners").await;
        assert_eq!(store.claim(entry("b", now, 1), settings().bounds).await.unwrap(), Claim::New);
        assert_eq!(shared.marks().await, 1, "the process is known again");
    }
}

#[tokio::test]
async fn a_claim_whose_commit_got_no_answer_leaves_its_key_free() {
    for shared in SharedStore::each().await {
        let SharedStore::Postgres(_) = &shared else { continue };
        let (store, other) = (shared.open().await, shared.open().await);
        let (tables, now) = (shared.tables().await, Timestamp::now());
        rows(
            &tables,
            "CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''lost''; END'",
        )
        .await;
        let lose = "CREATE CONSTRAINT TRIGGER lost AFTER INSERT ON entries DEFERRABLE INITIALLY DEFERRED \
                    FOR EACH ROW EXECUTE FUNCTION lose()";
        rows(&tables, lose).await;
        store.claim(entry("k", now, 1), settings().bounds).await.unwrap_err();
        rows(&tables, "DROP TRIGGER lost ON entries").await;
        // As if the commit had arrived.
        other.claim(entry("k", now, 1), settings().bounds).await.unwrap();
        rows(&tables, &format!("UPDATE entries SET owner = '{}'", store.owner.id())).await;
        assert_eq!(store.claim(entry("k", now, 1), settings().bounds).await.unwrap(), Claim::New);
        let pending = EntryState::Pending { here: true };
        let Claim::Exists(there) = store.claim(entry("k", now, 1), settings().bounds).await.unwrap() else {
            panic!("it was claimed");
        };
        assert_eq!(there.state, pending);
    }
}
