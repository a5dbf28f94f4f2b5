//! The end of the copies, as the local trail notes it, and trails that begin late.

use super::support::{Rig, actors, copy, edit, event, record, rigs, verify};
use crate::audit::{
    AuditLog, AuditRetention, AuditSink, Confirmation,
    log::{schema, uncopied::copied_through},
};
use jiff::{SignedDuration, Timestamp};
use mgp_types::audit::AuditEvent;
use std::{path::Path, time::Duration};
use xtask_testing::until_some;

/// Statements by which a database is away, and there again.
const AWAY: [&str; 2] =
    ["ALTER TABLE audit_trails RENAME TO away", "ALTER TABLE away RENAME TO audit_trails"];
/// A size that only the newest event is kept within.
const NOTHING: AuditRetention = AuditRetention { age: None, bytes: Some(1) };

/// Returns the number up to which the trail of a folder is noted as copied.
fn noted(folder: &Path) -> i64 {
    copied_through(&rusqlite::Connection::open(folder.join("audit.sqlite3")).unwrap()).unwrap()
}

/// Runs a function with the trail of a rig while its database is away, and waits until the database is back and has all events.
async fn while_away(rig: &Rig, confirmation: Confirmation, run: impl AsyncFnOnce(&AuditLog)) -> AuditLog {
    edit(&rig.here, AWAY[0]).await;
    let log = rig.log.clone().with_database(rig.here.clone(), confirmation, None);
    run(&log).await;
    edit(&rig.here, AWAY[1]).await;
    until_some(async || log.copied().await.ok()).await;
    log
}

#[tokio::test]
async fn retention_keeps_events_that_are_not_copied() {
    for rig in rigs().await {
        let Rig { engine, here, .. } = &rig;
        let log = while_away(&rig, Confirmation::Local, async |log| {
            record(log, "a", 2000).await;
            log.flush().await.unwrap();
            assert_eq!(log.writer().shorten(&NOTHING), None, "{engine}");
        })
        .await;
        assert!(log.writer().shorten(&NOTHING).is_some(), "{engine}");
        record(&log, "b", 1).await;
        log.copied().await.unwrap();
        assert_eq!(actors(here).await.iter().filter(|actor| *actor == "a").count(), 2000, "{engine}");
        rig.assert_intact().await;
    }
}

#[tokio::test]
async fn an_event_that_need_not_be_copied_is_stored_while_it_cannot() {
    for rig in rigs().await {
        while_away(&rig, Confirmation::Attempted, async |log| {
            log.record(event("a")).await.unwrap();
            log.admit().unwrap();
        })
        .await;
        assert_eq!(actors(&rig.here).await, ["a"], "{}", rig.engine);
    }
}

#[tokio::test]
async fn only_the_trail_that_was_copied_is_noted() {
    for rig in rigs().await {
        record(&rig.log, "a", 1).await;
        let part = rig.log.writer().local_part(0, true).unwrap();
        let (writer, mark, id) = (rig.log.writer(), &part.mark, &part.id);
        writer.copied("another file", id, 1).unwrap();
        assert_eq!(noted(rig.folder()), 0, "{}", rig.engine);
        writer.copied(mark, id, 1).unwrap();
        // The trail has another id by now.
        writer.copied(mark, "another id", 7).unwrap();
        assert_eq!(noted(rig.folder()), 1, "{}", rig.engine);
        for (mark, id) in [("another file", id.as_str()), (mark.as_str(), "another id")] {
            writer.rename_copy(mark, id).unwrap();
            assert_eq!(rig.log.id().await.unwrap(), part.id, "{}", rig.engine);
        }
        writer.rename_copy(mark, id).unwrap();
        assert_ne!(rig.log.id().await.unwrap(), part.id, "{}", rig.engine);
        assert_eq!(noted(rig.folder()), 0, "nothing is copied under the new id");
    }
}

#[tokio::test]
async fn a_trail_that_was_shortened_is_copied_from_its_beginning() {
    for rig in rigs().await {
        let Rig { engine, here, log, .. } = &rig;
        record(log, "a", 2000).await;
        log.flush().await.unwrap();
        let through = log.writer().shorten(&NOTHING).unwrap();
        rig.copied("b", 1).await;
        rig.assert_intact().await;
        let verified = verify(here).await.remove(0).verification;
        assert_eq!(verified.shortened.map(|head| head.seq), Some(through), "{engine}");
        assert_eq!(verified.head, log.verify(None).await.unwrap().head, "{engine}");
        assert_eq!(verify(here).await.len(), 1, "{engine}");
    }
}

#[tokio::test]
async fn events_from_before_trails_had_hashes_can_be_removed() {
    for rig in rigs().await {
        let folder = tempfile::tempdir().unwrap();
        let mut old = rusqlite::Connection::open(folder.path().join("audit.sqlite3")).unwrap();
        schema::before_the_split().to_latest(&mut old).unwrap();
        let insert = "INSERT INTO events (at, event_type, actor_id, event) VALUES (1, 'a', 'old', '{}'), (2, 'a', 'old', '{}')";
        old.execute_batch(insert).unwrap();
        drop(old);
        let log = super::support::log(folder.path());
        record(&log, "a", 1).await;
        copy(&log, &rig.here).await;
        rig.assert_intact().await;
        let unchained = async || verify(&rig.here).await.remove(0).verification.unchained;
        assert_eq!(unchained().await, 2, "{}", rig.engine);
        let day = Duration::from_hours(24);
        assert_eq!(rig.here.shorten(day, Timestamp::now()).await.unwrap(), 1, "{}", rig.engine);
        assert_eq!(unchained().await, 0, "{}", rig.engine);
        rig.assert_intact().await;
    }
}

#[tokio::test]
async fn an_event_of_a_day_that_was_removed_is_copied() {
    for rig in rigs().await {
        let Rig { engine, here, there, log, .. } = &rig;
        let old = || {
            let time = Timestamp::now() - SignedDuration::from_hours(24 * 9);
            AuditEvent { timestamp: time.to_string(), ..event("old") }
        };
        let log = log.clone().with_database(here.clone(), Confirmation::Local, None);
        log.record(old()).await.unwrap();
        log.copied().await.unwrap();
        // Another process removes the day, which this one still takes for one that exists.
        assert_eq!(there.shorten(Duration::from_hours(24 * 7), Timestamp::now()).await.unwrap(), 1);
        log.record(old()).await.unwrap();
        until_some(async || log.copied().await.ok()).await;
        assert_eq!(actors(there).await, ["old"], "{engine}");
        rig.assert_intact().await;
    }
}
