//! Copies that fail or compete.

#[cfg(unix)]
use super::support::through_proxy;
use super::support::{actors, copy, databases, event, log, problems, record, verify};
use crate::audit::{AuditFilter, AuditLogConfig, AuditRetention, AuditSink, Confirmation};
use std::collections::BTreeSet;

#[tokio::test]
async fn two_copiers_of_a_trail_copy_each_event_once() {
    for (engine, here, there) in databases().await {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = [here.clone(), there]
            .map(|database| log(folder.path()).with_database(database, Confirmation::Attempted, None));
        let writes = |log: crate::audit::AuditLog, actor: &'static str| async move {
            for _ in 0..100 {
                log.record(event(actor)).await.unwrap();
            }
        };
        tokio::join!(writes(one.clone(), "a"), writes(other.clone(), "b"));
        one.copied().await.unwrap();
        other.copied().await.unwrap();
        let actors = actors(&here).await;
        assert_eq!(actors.iter().filter(|actor| *actor == "a").count(), 100, "{engine}");
        assert_eq!(actors.len(), 200, "{engine}");
        assert_eq!(problems(&here).await, [""; 0], "{engine}");
    }
}

#[tokio::test]
async fn a_trail_without_its_last_copied_events_gets_another_id() {
    for (engine, here, _) in databases().await {
        let (folder, restored) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let first = log(folder.path());
        record(&first, "a", 2).await;
        first.flush().await.unwrap();
        let backup = restored.path().join("audit.sqlite3");
        let original = rusqlite::Connection::open(folder.path().join("audit.sqlite3")).unwrap();
        original.execute("VACUUM INTO ?", [backup.to_str().unwrap()]).unwrap();
        record(&first, "b", 2).await;
        copy(&first, &here).await;
        let second = log(restored.path());
        assert_eq!(first.id().await.unwrap(), second.id().await.unwrap());
        record(&second, "c", 3).await;
        copy(&second, &here).await;
        assert_ne!(first.id().await.unwrap(), second.id().await.unwrap(), "{engine}");
        let actors: BTreeSet<_> = actors(&here).await.into_iter().collect();
        assert_eq!(actors.into_iter().collect::<Vec<_>>(), ["a", "b", "c", "kernel"], "{engine}");
        let counts: BTreeSet<_> = verify(&here).await.iter().map(|trail| trail.verification.events).collect();
        assert_eq!(
            counts.into_iter().collect::<Vec<_>>(),
            [4, 6],
            "{engine}: the copy has all of its events, and one about its journal"
        );
        assert_eq!(problems(&here).await, [""; 0], "{engine}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn each_event_is_copied_once_wherever_a_copier_is_cut_off() {
    let Some((proxy, cut, direct)) = through_proxy().await else { return };
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path());
    let (mut recorded, mut was_cut) = (0, true);
    for messages in 0..200 {
        if !was_cut {
            assert!(messages > 5, "a copy takes several messages");
            break;
        }
        was_cut = false;
        for is_delivered in [false, true] {
            record(&log, "a", 3).await;
            recorded += 3;
            proxy.cut_after(messages, is_delivered);
            let copied = log.copy_to(&cut).await;
            was_cut |= copied.is_err();
            proxy.stop_cutting();
            assert!(problems(&direct).await.is_empty(), "{messages} {is_delivered}");
        }
    }
    assert_eq!(log.copy_to(&cut).await.unwrap().events, recorded);
    assert_eq!(actors(&direct).await.len(), usize::try_from(recorded).unwrap());
    assert_eq!(problems(&direct).await, [""; 0]);
}

#[cfg(unix)]
#[tokio::test]
async fn an_outage_delays_copies_and_loses_none() {
    let Some((proxy, cut, direct)) = through_proxy().await else { return };
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path()).with_database(cut, Confirmation::Local, None);
    record(&log, "a", 1).await;
    log.copied().await.unwrap();
    proxy.set_away(true);
    record(&log, "b", 5).await;
    log.admit().unwrap();
    log.copied().await.unwrap_err();
    assert_eq!(actors(&direct).await.len(), 1);
    proxy.set_away(false);
    xtask_testing::until_some(async || (actors(&direct).await.len() == 6).then_some(())).await;
    assert_eq!(problems(&direct).await, [""; 0]);
}

#[cfg(unix)]
#[tokio::test]
async fn calls_are_refused_while_events_cannot_reach_the_database() {
    let Some((proxy, cut, direct)) = through_proxy().await else { return };
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path()).with_database(cut, Confirmation::Required, None);
    log.record(event("a")).await.unwrap();
    proxy.set_away(true);
    let error = log.record(event("b")).await.unwrap_err();
    assert!(error.to_string().contains("PostgreSQL"), "{error}");
    log.admit().unwrap_err();
    assert_eq!(actors(&direct).await, ["a"]);
    proxy.set_away(false);
    xtask_testing::until_some(async || log.admit().ok()).await;
    log.record(event("c")).await.unwrap();
    // The event of the outage is between them, or after them.
    let actors = actors(&direct).await;
    assert!(actors.starts_with(&["a".to_owned(), "b".to_owned()]), "{actors:?}");
    assert!(actors.contains(&"c".to_owned()));
    let told = async || {
        let filter = AuditFilter {
            event_type: Some("dev.cloto.mgp.AUDIT_INTERRUPTED".into()),
            ..AuditFilter::default()
        };
        direct.latest_page(filter).await.unwrap().events.pop()
    };
    let event = xtask_testing::until_some(told).await;
    assert_eq!(event.details.unwrap().get("events_failed").unwrap().as_str(), "1");
}

#[tokio::test]
async fn retention_keeps_events_that_are_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    let config = AuditLogConfig {
        retention: AuditRetention { age: None, bytes: Some(1) },
        ..AuditLogConfig::default()
    };
    let log = log(folder.path());
    record(&log, "a", 2000).await;
    log.flush().await.unwrap();
    let through = || log.writer().shorten(&config.retention);
    log.writer().keep_uncopied();
    assert_eq!(through(), None);
    for (engine, here, _) in databases().await.into_iter().take(1) {
        copy(&log, &here).await;
        assert!(through().is_some(), "{engine}");
        record(&log, "b", 1).await;
        copy(&log, &here).await;
        assert_eq!(problems(&here).await, [""; 0], "{engine}");
    }
}

#[tokio::test]
async fn a_trail_survives_the_way_to_a_database_and_back() {
    for (engine, here, _) in databases().await {
        let (folder, back) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let log = log(folder.path());
        record(&log, "a", 300).await;
        record(&log, "b\0", 1).await;
        let copied = log.copy_to(&here).await.unwrap();
        assert_eq!(copied.events, 301, "{engine}");
        let file = back.path().join("audit.sqlite3");
        assert_eq!(here.write_file(&copied.trail, &file).await.unwrap(), copied, "{engine}");
        let returned = super::support::log(back.path());
        assert_eq!(returned.id().await.unwrap(), copied.trail);
        // The trail goes on where it was.
        record(&returned, "c", 1).await;
        assert_eq!(returned.copy_to(&here).await.unwrap().events, 302, "{engine}");
        assert_eq!(problems(&here).await, [""; 0], "{engine}");
    }
}
