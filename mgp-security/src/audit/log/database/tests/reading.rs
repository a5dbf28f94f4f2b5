//! Reading all trails.

use super::support::{Rig, actors, copy, event, record, rigs, verify};
use crate::audit::{
    AuditCountQuery, AuditFilter, AuditPosition, AuditReader, AuditSink, Confirmation, CountBy, EventPlace,
};
use mgp_types::audit::{AuditEvent, AuditReplayParams};
use std::time::Duration;

fn filter(last: u32) -> AuditFilter {
    AuditFilter { last, ..AuditFilter::default() }
}

fn names(events: &[AuditEvent]) -> Vec<String> {
    events.iter().map(|event| format!("{}{}", event.actor.id, event.seq().unwrap())).collect()
}

#[tokio::test]
async fn events_of_all_trails_are_read_in_the_order_of_time() {
    for rig in rigs().await {
        let Rig { engine, here, there, log: one, other, .. } = &rig;
        record(one, "a", 1).await;
        record(other, "b", 2).await;
        record(one, "a", 1).await;
        copy(one, here).await;
        copy(other, there).await;
        assert_eq!(actors(here).await, ["a", "b", "b", "a"], "{engine}");
        let page = there.latest_page(filter(100)).await.unwrap();
        assert_eq!(names(&page.events), ["a1", "b1", "b2", "a2"], "{engine}");
        let trail = |event: &AuditEvent| event.mgp.as_ref().unwrap().text("trail").unwrap();
        assert_eq!(trail(&page.events[0]), one.id().await.unwrap());
        assert_eq!(trail(&page.events[1]), other.id().await.unwrap());
        let only = AuditFilter { actor_id: Some("b".to_owned()), ..filter(1) };
        assert_eq!(names(&here.latest_page(only).await.unwrap().events), ["b2"], "{engine}");
        let before = EventPlace { trail: Some(trail(&page.events[2])), seq: page.events[2].seq().unwrap() };
        let older = AuditFilter { before: Some(before), ..filter(100) };
        assert_eq!(names(&here.latest_page(older.clone()).await.unwrap().events), ["a1", "b1"], "{engine}");
        let from_start = here.after(AuditPosition::default(), older).await.unwrap();
        assert_eq!(
            (names(&from_start.events), from_start.has_more),
            (names(&page.events[..2]), false),
            "{engine}"
        );
        let unplaced = AuditFilter { before: Some(EventPlace { trail: None, seq: 2 }), ..filter(100) };
        let read = AuditReader::after(here, AuditPosition::default(), unplaced.clone()).await;
        assert!(read.unwrap_err().message.contains("TRAIL:SEQ"));
        assert!(AuditReader::latest_page(here, unplaced).await.unwrap_err().message.contains("TRAIL:SEQ"));
        let query = |last| AuditCountQuery {
            filter: filter(last),
            by: CountBy::Agent,
            span: Duration::from_secs(60),
            groups: 10,
        };
        let counted = here.count(query(4)).await.unwrap();
        let groups: Vec<_> = counted.groups.iter().map(|group| (&*group.name, group.counts.events)).collect();
        assert_eq!((groups, counted.complete), (vec![("a", 2), ("b", 2)], true), "{engine}");
        assert!(!here.count(query(3)).await.unwrap().complete, "{engine}");
        let verified = verify(here).await;
        assert!(verified.iter().all(|trail| trail.verification.is_intact()), "{verified:?}");
        assert_eq!(verified.iter().map(|trail| trail.verification.events).sum::<u64>(), 4);
    }
}

#[tokio::test]
async fn a_reader_misses_no_event_that_is_copied_late() {
    for rig in rigs().await {
        let Rig { engine, here, there, log: prompt, other: late, .. } = &rig;
        record(late, "l", 3).await;
        record(prompt, "p", 2).await;
        copy(prompt, here).await;
        let mut page = here.latest_page(filter(1)).await.unwrap();
        assert_eq!(names(&page.events), ["p2"], "{engine}");
        copy(late, there).await;
        record(prompt, "p", 1).await;
        copy(prompt, here).await;
        let mut seen = Vec::new();
        loop {
            page = here.after(page.next, filter(2)).await.unwrap();
            seen.extend(names(&page.events));
            if !page.has_more {
                break;
            }
        }
        assert_eq!(seen, ["l1", "l2", "l3", "p3"], "{engine}");
        let all = here.after(AuditPosition::default(), filter(100)).await.unwrap();
        assert_eq!(names(&all.events), ["l1", "l2", "l3", "p1", "p2", "p3"], "{engine}");
        assert!(!all.has_more);
    }
}

#[tokio::test]
async fn any_trail_is_replayed_from_a_gateway_of_the_database() {
    for rig in rigs().await {
        let Rig { engine, here, there, log: near, other: far, .. } = &rig;
        record(near, "n", 2).await;
        record(far, "f", 3).await;
        copy(far, there).await;
        let near = near.clone().with_database(here.clone(), Confirmation::Local, None);
        let replay = async |since_seq, trail| {
            near.replay(AuditReplayParams {
                since_seq,
                limit: Some(2),
                trail,
                ..AuditReplayParams::default()
            })
            .await
        };
        let [own_id, far_id] = [near.id().await.unwrap(), far.id().await.unwrap()];
        for named in [None, Some(own_id.clone())] {
            let own = replay(Some(1), named).await.unwrap();
            assert_eq!((names(&own.events), own.trail.as_ref()), (vec!["n2".to_owned()], Some(&own_id)));
        }
        let first = replay(None, Some(far_id.clone())).await.unwrap();
        assert_eq!((names(&first.events), first.has_more), (vec!["f1".to_owned(), "f2".to_owned()], true));
        let rest = replay(Some(first.next_seq), first.trail).await.unwrap();
        assert_eq!((names(&rest.events), rest.has_more, rest.next_seq), (vec!["f3".to_owned()], false, 3));
        assert_eq!(rest.events[0].mgp.as_ref().unwrap().text("trail"), Some(far_id), "{engine}");
        for unknown in ["none".to_owned(), "x".repeat(1000)] {
            let error = replay(None, Some(unknown)).await.unwrap_err();
            assert!(error.code == -32602 && error.message.contains("unknown trail"), "{}", error.message);
        }
        let unreceived = near.unreceived("auditor", 1).await.unwrap();
        assert_eq!(unreceived.events[0].mgp.as_ref().unwrap().text("trail"), Some(own_id), "{engine}");
    }
}

#[tokio::test]
async fn traces_are_found_by_their_beginning() {
    for rig in rigs().await {
        for trace in ["t-1", "t-2", "u-1"] {
            let event =
                AuditEvent { trace_id: mgp_types::json::Nullable::Value(trace.to_owned()), ..event("a") };
            rig.log.record(event).await.unwrap();
        }
        copy(&rig.log, &rig.here).await;
        assert_eq!(rig.here.traces("t-", 9).await.unwrap(), ["t-1", "t-2"], "{}", rig.engine);
    }
}

#[tokio::test]
async fn a_text_with_nul_is_copied_and_verified() {
    for rig in rigs().await {
        rig.copied("a\0b", 1).await;
        assert_eq!(actors(&rig.here).await, ["a\0b"], "{}", rig.engine);
        rig.assert_intact().await;
    }
}

#[tokio::test]
async fn an_event_waits_for_the_database_if_it_must() {
    for Rig { engine, here, there, log, .. } in rigs().await {
        let log = log.with_database(here, Confirmation::Required, None);
        for count in 1..20 {
            log.record(event("a")).await.unwrap();
            assert_eq!(actors(&there).await.len(), count, "{engine}");
        }
    }
}
