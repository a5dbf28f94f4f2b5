//! Edited rows are found.

use super::support::{edit, problems, rigs, verify};

#[tokio::test]
async fn a_changed_removed_or_inserted_row_is_found() {
    let copied = "trail, 9, day, at, event_type, actor_id, server_id, trace_id, tool_name, result, event, raw, hash FROM audit_events WHERE seq = 3";
    let insert: &'static str = format!("INSERT INTO audit_events SELECT {copied}").leak();
    let twice: &'static str =
        format!("INSERT INTO audit_events SELECT {}", copied.replace("9, day", "seq, day + 1")).leak();
    for (change, expected) in [
        ("UPDATE audit_events SET event = '{}', result = NULL WHERE seq = 3", "event 3 was changed"),
        ("UPDATE audit_events SET actor_id = 'b' WHERE seq = 3", "event 3 was changed"),
        ("UPDATE audit_events SET result = 'BLOCKED' WHERE seq = 3", "event 3: the column result"),
        ("UPDATE audit_events SET tool_name = 'x' WHERE seq = 3", "event 3: the column tool_name"),
        (
            "UPDATE audit_events SET day = day + 1 WHERE seq = 3",
            "event 4: it is after the head of its trail, or on a day",
        ),
        ("DELETE FROM audit_events WHERE seq = 3", "event 4 does not follow event 2"),
        ("DELETE FROM audit_events WHERE seq > 4", "the end of the trail is missing"),
        (insert, "event 9: it is after the head"),
        (twice, "event 3 was changed"),
        ("UPDATE audit_trails SET seq = 4", "event 5: it is after the head"),
        ("DELETE FROM audit_trails", "its head is missing"),
    ] {
        for rig in rigs().await {
            rig.copied("a", 5).await;
            rig.assert_intact().await;
            assert!(edit(&rig.here, change).await > 0, "{}: {change}", rig.engine);
            let problems = problems(&rig.here).await.join("\n");
            assert!(problems.contains(expected), "{}: {change}: {problems}", rig.engine);
        }
    }
}

#[tokio::test]
async fn a_text_with_nul_that_was_changed_is_found() {
    for change in [
        "UPDATE audit_events SET actor_id = 'b' WHERE seq = 2",
        "UPDATE audit_events SET raw = NULL WHERE seq = 2",
    ] {
        for rig in rigs().await {
            rig.copied("a\0", 3).await;
            rig.assert_intact().await;
            assert_eq!(edit(&rig.here, change).await, 1, "{}: {change}", rig.engine);
            let problems = problems(&rig.here).await.join("\n");
            assert!(problems.contains("event 2 was changed"), "{}: {change}: {problems}", rig.engine);
        }
    }
}

#[tokio::test]
async fn the_first_fault_names_the_trail_and_both_hashes() {
    for rig in rigs().await {
        rig.copied("a", 3).await;
        edit(&rig.here, "UPDATE audit_events SET at = at + 1 WHERE seq = 2").await;
        let [trail] = verify(&rig.here).await.try_into().unwrap();
        assert_eq!(trail.trail, rig.log.id().await.unwrap(), "{}", rig.engine);
        let fault = trail.fault.unwrap();
        assert_eq!(fault.seq, 2, "{}", rig.engine);
        assert!(fault.expected.is_some() && fault.found.is_some() && fault.expected != fault.found);
    }
}

#[tokio::test]
async fn a_head_that_was_kept_elsewhere_must_be_in_a_trail() {
    for rig in rigs().await {
        rig.copied("a", 3).await;
        let head = verify(&rig.here).await[0].verification.head.unwrap();
        rig.copied("a", 1).await;
        let verified = rig.here.verify(Some(head)).await.unwrap();
        assert!(verified[0].verification.is_intact(), "{}", rig.engine);
        let mut other = head;
        other.hash[0] ^= 1;
        let verified = rig.here.verify(Some(other)).await.unwrap();
        assert!(!verified[0].verification.is_intact(), "{}", rig.engine);
    }
}
