//! Copies that fail or compete.

#[cfg(unix)]
use super::support::through_proxy;
use super::support::{Rig, actors, copy, event, log, record, rigs, verify};
use crate::audit::{AuditFilter, AuditSink, Confirmation};
use std::collections::BTreeSet;

#[tokio::test]
async fn two_copiers_of_a_trail_copy_each_event_once() {
    for rig in rigs().await {
        let [one, other] = [&rig.here, &rig.there]
            .map(|database| log(rig.folder()).with_database(database.clone(), Confirmation::Attempted, None));
        let writes = |log: crate::audit::AuditLog, actor: &'static str| async move {
            for _ in 0..100 {
                log.record(event(actor)).await.unwrap();
            }
        };
        tokio::join!(writes(one.clone(), "a"), writes(other.clone(), "b"));
        one.copied().await.unwrap();
        other.copied().await.unwrap();
        let actors = actors(&rig.here).await;
        assert_eq!(actors.iter().filter(|actor| *actor == "a").count(), 100, "{}", rig.engine);
        assert_eq!(actors.len(), 200, "{}", rig.engine);
        rig.assert_intact().await;
    }
}

#[tokio::test]
async fn a_trail_without_its_last_copied_events_gets_another_id() {
    for rig in rigs().await {
        let Rig { engine, here, log: first, .. } = &rig;
        let restored = tempfile::tempdir().unwrap();
        record(first, "a", 2).await;
        first.flush().await.unwrap();
        let backup = restored.path().join("audit.sqlite3");
        let original = rusqlite::Connection::open(rig.folder().join("audit.sqlite3")).unwrap();
        original.execute("VACUUM INTO ?", [backup.to_str().unwrap()]).unwrap();
        rig.copied("b", 2).await;
        let second = log(restored.path());
        assert_eq!(first.id().await.unwrap(), second.id().await.unwrap());
        record(&second, "c", 3).await;
        copy(&second, here).await;
        assert_ne!(first.id().await.unwrap(), second.id().await.unwrap(), "{engine}");
        let actors: BTreeSet<_> = actors(here).await.into_iter().collect();
        assert_eq!(actors.into_iter().collect::<Vec<_>>(), ["a", "b", "c", "kernel"], "{engine}");
        let counts: BTreeSet<_> = verify(here).await.iter().map(|trail| trail.verification.events).collect();
        assert_eq!(
            counts.into_iter().collect::<Vec<_>>(),
            [4, 6],
            "{engine}: the copy has all of its events, and one about its journal"
        );
        rig.assert_intact().await;
    }
}

#[cfg(unix)]
#[tokio::test]
async fn each_event_is_copied_once_wherever_a_copier_is_cut_off() {
    let Some((proxy, rig)) = through_proxy().await else { return };
    let Rig { here: cut, there: direct, log, .. } = &rig;
    let (mut recorded, mut was_cut) = (0, true);
    for messages in 0..200 {
        if !was_cut {
            assert!(messages > 5, "a copy takes more than {messages} messages");
            break;
        }
        was_cut = false;
        for is_delivered in [false, true] {
            // Again if the process's other connection was cut, which reads the versions of sections.
            for _ in 0..100 {
                record(log, "a", 3).await;
                recorded += 3;
                proxy.cut_after(messages, is_delivered);
                let copied = log.copy_to(cut).await;
                let one_was_cut = proxy.stop_cutting();
                rig.assert_intact().await;
                was_cut |= copied.is_err();
                if copied.is_err() || !one_was_cut {
                    break;
                }
            }
        }
    }
    assert_eq!(log.copy_to(cut).await.unwrap().events, recorded);
    assert_eq!(actors(direct).await.len(), usize::try_from(recorded).unwrap());
    rig.assert_intact().await;
}

#[cfg(unix)]
#[tokio::test]
async fn an_outage_delays_copies_and_loses_none() {
    let Some((proxy, rig)) = through_proxy().await else { return };
    let log = rig.log.clone().with_database(rig.here.clone(), Confirmation::Local, None);
    record(&log, "a", 1).await;
    log.copied().await.unwrap();
    proxy.set_away(true);
    record(&log, "b", 5).await;
    log.admit().unwrap();
    log.copied().await.unwrap_err();
    assert_eq!(actors(&rig.there).await.len(), 1);
    proxy.set_away(false);
    xtask_testing::until_some(async || (actors(&rig.there).await.len() == 6).then_some(())).await;
    rig.assert_intact().await;
}

#[cfg(unix)]
#[tokio::test]
async fn calls_are_refused_while_events_cannot_reach_the_database() {
    let Some((proxy, rig)) = through_proxy().await else { return };
    let direct = &rig.there;
    let log = rig.log.clone().with_database(rig.here.clone(), Confirmation::Required, None);
    log.record(event("a")).await.unwrap();
    proxy.set_away(true);
    let error = log.record(event("b")).await.unwrap_err();
    assert!(error.to_string().contains("PostgreSQL"), "{error}");
    log.admit().unwrap_err();
    assert_eq!(actors(direct).await, ["a"]);
    proxy.set_away(false);
    xtask_testing::until_some(async || log.admit().ok()).await;
    log.record(event("c")).await.unwrap();
    // The event of the outage is between them, or after them.
    let actors = actors(direct).await;
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
async fn a_trail_survives_the_way_to_a_database_and_back() {
    for rig in rigs().await {
        let Rig { engine, here, log, .. } = &rig;
        let back = tempfile::tempdir().unwrap();
        record(log, "a", 300).await;
        record(log, "b\0", 1).await;
        let copied = log.copy_to(here).await.unwrap();
        assert_eq!(copied.events, 301, "{engine}");
        let file = back.path().join("audit.sqlite3");
        assert_eq!(here.write_file(&copied.trail, &file).await.unwrap(), copied, "{engine}");
        let returned = super::support::log(back.path());
        assert_eq!(returned.id().await.unwrap(), copied.trail);
        // The trail goes on where it was.
        record(&returned, "c", 1).await;
        assert_eq!(returned.copy_to(here).await.unwrap().events, 302, "{engine}");
        rig.assert_intact().await;
    }
}
