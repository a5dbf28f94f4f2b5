//! Tools whose definition changes, at the gate.

use super::rig::{HELD, Kernel, described, operator, text, tool};
use crate::{
    audit::{AuditError, AuditSink, MemorySink, StoreFuture},
    definition::{
        DefinitionStanding, DefinitionText, Definitions, HoldReason, Occasion, OnChange, SqlDefinitionStore,
        SqlStore,
    },
};
use DefinitionStanding::{Accepted, Changed};
use mgp_types::{
    audit::AuditEvent,
    context::{Principal, ToolId},
    json::RawJson,
};
use serde_json::json;
use std::sync::Arc;

const EVENT: &str = "dev.cloto.mgp.TOOL_CHANGED";

#[tokio::test]
async fn each_reaction_to_a_change_does_its_part() {
    for (on_change, standing, event) in [
        (OnChange::Allow, Accepted, format!("{EVENT} SUCCESS")),
        (OnChange::Warn, Changed, format!("{EVENT} SUCCESS")),
        (OnChange::Hold, HELD, format!("{EVENT} BLOCKED")),
    ] {
        let kernel = Kernel::new().await;
        let (old, new) = (described("old"), described("new"));
        assert_eq!(kernel.lists(on_change, &old).await, Accepted, "{on_change}");
        assert_eq!(kernel.events(), [""; 0], "{on_change}: what is new is pinned without a word");
        assert_eq!(kernel.lists(on_change, &new).await, standing, "{on_change}");
        assert_eq!(kernel.lists(on_change, &new).await, standing, "{on_change}: again");
        assert_eq!(kernel.events(), [event], "{on_change}: once for a change, not for a listing");
        assert_eq!(kernel.call(&new).await.is_some(), standing == HELD, "{on_change}");
        let pin = kernel.definitions.rows().await.unwrap().remove(0);
        assert_eq!(pin.change.is_some(), on_change != OnChange::Allow);
        assert!(pin.change.is_none_or(|change| change.held == (on_change == OnChange::Hold)));
    }
}

#[tokio::test]
async fn a_refusal_names_the_commands_and_quotes_names_for_a_shell() {
    let kernel = Kernel::new().await;
    kernel.lists(OnChange::Hold, &described("old")).await;
    kernel.lists(OnChange::Hold, &described("new")).await;
    let (code, message) = kernel.call(&described("new")).await.unwrap();
    assert_eq!(code, 1000);
    assert!(message.contains("`mgp tools diff s t`"), "{message}");
    assert!(!message.contains("new"), "{message}");
    let sentence = HoldReason::Changed.sentence(&ToolId::new("s", "t; reboot"));
    assert!(sentence.contains("mgp tools diff s 't; reboot'"), "{sentence}");
}

#[tokio::test]
async fn an_accepted_definition_passes_until_it_changes() {
    let kernel = Kernel::new().await;
    let (one, two, three) = (described("1"), described("2"), described("3"));
    kernel.lists(OnChange::Hold, &one).await;
    kernel.lists(OnChange::Hold, &two).await;
    let before = kernel.definitions.accept(&tool(), &operator()).await.unwrap();
    assert_eq!(before.accepted, DefinitionText::of(&one));
    assert_eq!((kernel.standing(&two), kernel.standing(&one)), (Accepted, HELD));
    let late = kernel.definitions.accept(&tool(), &Principal::operator("ben")).await.unwrap_err();
    assert!(late.message.contains("was accepted by \"ann\" at "), "{late}");
    let pin = kernel.definitions.rows().await.unwrap().remove(0);
    assert_eq!((pin.accepted_by.as_deref(), pin.change), (Some("ann"), None));
    assert_eq!(kernel.lists(OnChange::Hold, &three).await, HELD);
    // Another kernel still lists the second one.
    kernel.definitions.accept(&tool(), &operator()).await.unwrap();
    assert_eq!((kernel.standing(&three), kernel.standing(&two)), (Accepted, HELD));
    assert!(kernel.call(&two).await.is_some() && kernel.call(&three).await.is_none());
    let accepted = "dev.cloto.mgp.DEFINITION_ACCEPTED SUCCESS";
    let blocked = format!("{EVENT} BLOCKED");
    assert_eq!(kernel.events(), [&*blocked, accepted, &*blocked, accepted]);
}

#[tokio::test]
async fn a_definition_that_returns_needs_no_acceptance() {
    let kernel = Kernel::new().await;
    kernel.lists(OnChange::Hold, &described("1")).await;
    kernel.lists(OnChange::Hold, &described("2")).await;
    assert_eq!(kernel.lists(OnChange::Hold, &described("1")).await, Accepted);
    let refused = kernel.definitions.accept(&tool(), &operator()).await.unwrap_err();
    assert!(refused.message.contains("has the definition that was accepted"), "{refused:?}");
    assert_eq!(kernel.lists(OnChange::Hold, &described("2")).await, HELD);
    assert_eq!(kernel.events().len(), 2, "it changed twice");
}

#[tokio::test]
async fn the_definition_that_was_reviewed_is_accepted() {
    let kernel = Kernel::new().await;
    kernel.lists(OnChange::Hold, &described("old")).await;
    kernel.lists(OnChange::Hold, &described("looked at")).await;
    let seen = DefinitionText::of(&described("looked at")).hash.to_string();
    kernel.lists(OnChange::Hold, &described("another")).await;
    let refused = kernel.definitions.accept_hash(&tool(), &seen[..12], &operator()).await.unwrap_err();
    assert!(refused.code == -32602 && refused.message.contains(&seen[..12]), "{refused}");
    assert_eq!(kernel.standing(&described("another")), HELD);
    let seen = DefinitionText::of(&described("another")).hash.to_string();
    kernel.definitions.accept_hash(&tool(), &seen[..12], &operator()).await.unwrap();
    assert_eq!(kernel.standing(&described("another")), Accepted);
}

#[tokio::test]
async fn a_noted_definition_is_pinned_once_changes_are_allowed() {
    let kernel = Kernel::new().await;
    kernel.lists(OnChange::Warn, &described("1")).await;
    kernel.lists(OnChange::Warn, &described("2")).await;
    assert!(kernel.definitions.rows().await.unwrap()[0].change.is_some());
    kernel.lists(OnChange::Allow, &described("2")).await;
    assert_eq!(kernel.definitions.rows().await.unwrap()[0].change, None);
}

#[tokio::test]
async fn only_an_operator_accepts_and_forgets() {
    let kernel = Kernel::new().await;
    kernel.lists(OnChange::Hold, &described("1")).await;
    kernel.lists(OnChange::Hold, &described("2")).await;
    let agent = Principal::agent("a");
    assert_eq!(kernel.definitions.accept(&tool(), &agent).await.unwrap_err().code, 1000);
    assert_eq!(kernel.definitions.forget("s", None, &agent).await.unwrap_err().code, 1000);
    assert_eq!(kernel.standing(&described("2")), HELD);
}

#[tokio::test]
async fn a_forgotten_tool_is_new_again() {
    let kernel = Kernel::new().await;
    kernel.lists(OnChange::Hold, &described("1")).await;
    kernel.lists(OnChange::Hold, &described("2")).await;
    assert_eq!(kernel.definitions.forget("s", Some("other"), &operator()).await.unwrap(), 0);
    assert_eq!(kernel.definitions.forget("s", None, &operator()).await.unwrap(), 1);
    assert_eq!(kernel.standing(&described("2")), DefinitionStanding::Held(HoldReason::NotPinned));
    kernel.observes(OnChange::Hold, Occasion::Reload, &described("2")).await.unwrap();
    assert_eq!(kernel.standing(&described("2")), Accepted);
    assert_eq!(kernel.events()[1..], ["dev.cloto.mgp.DEFINITION_FORGOTTEN SUCCESS"]);
}

#[tokio::test]
async fn an_event_names_the_change_without_the_server_s_text() {
    let kernel = Kernel::new().await;
    let old =
        json!({"name": "t", "description": "d", "inputSchema": {"type": "object", "properties": {"a": {}}}});
    let new =
        json!({"name": "t", "description": "POISON", "inputSchema": {"type": "object", "properties": {}}});
    kernel.lists(OnChange::Hold, &text(&old)).await;
    kernel.lists(OnChange::Hold, &text(&new)).await;
    let event = kernel.sink.events().remove(0);
    let details = event.details.unwrap();
    assert_eq!(details.get("breaking").unwrap().as_str(), "true");
    assert_eq!(
        details.get("changes").unwrap().as_str(),
        r#"[{"path":"/description","effect":"text"},{"path":"/inputSchema/properties/a","effect":"breaking"}]"#
    );
    assert_eq!(details.get("on_change").unwrap().as_str(), r#""hold""#);
    assert!(!details.to_json().as_str().contains("POISON"));
}

#[tokio::test]
async fn a_definition_too_long_to_keep_is_pinned_by_its_hash() {
    let kernel = Kernel::new().await;
    let long = |end: &str| described(&format!("{}{end}", "x".repeat(DefinitionText::MAX)));
    assert_eq!(kernel.lists(OnChange::Hold, &long("a")).await, Accepted);
    assert_eq!(kernel.lists(OnChange::Hold, &long("b")).await, HELD);
    let pin = kernel.definitions.rows().await.unwrap().remove(0);
    assert_eq!(pin.accepted.text, None);
    let diff = pin.diff().unwrap();
    assert!(diff.is_breaking() && !diff.compared, "{diff:?}");
}

#[tokio::test]
async fn of_two_tools_with_one_name_the_first_is_pinned() {
    let kernel = Kernel::new().await;
    let (one, two) = (described("1"), described("2"));
    let listed = [("t", DefinitionText::of(&one).hash, &one), ("t", DefinitionText::of(&two).hash, &two)];
    for _ in 0..2 {
        kernel.definitions.observe("s", OnChange::Hold, Occasion::Listing, listed).await.1.unwrap();
        assert_eq!(kernel.standing(&one), Accepted);
    }
    assert_eq!(kernel.events(), [""; 0]);
}

#[tokio::test]
async fn an_unobserved_server_is_held() {
    let kernel = Kernel::new().await;
    assert_eq!(kernel.standing(&described("1")), DefinitionStanding::Held(HoldReason::NotPinned));
    assert!(kernel.definitions.may_hold("s"));
    kernel.lists(OnChange::Warn, &described("1")).await;
    assert!(!kernel.definitions.may_hold("s"));
}

/// A sink that stores nothing.
#[derive(Debug)]
struct Broken;

impl AuditSink for Broken {
    fn record(&self, _: AuditEvent) -> StoreFuture {
        StoreFuture::ready(Err(AuditError::new("disk full")))
    }
}

#[tokio::test]
async fn a_change_that_cannot_be_recorded_is_not_allowed() {
    let store = Arc::new(SqlDefinitionStore::in_memory());
    let kernel = Kernel::over(store.clone(), MemorySink::new(10)).await;
    kernel.lists(OnChange::Allow, &described("1")).await;
    let broken = Definitions::open(store, Arc::new(Broken)).await.unwrap();
    let broken = Kernel { definitions: broken, sink: MemorySink::new(10) };
    let new: &RawJson = &described("2");
    assert!(broken.observes(OnChange::Allow, Occasion::Listing, new).await.is_err());
    assert_eq!(broken.definitions.rows().await.unwrap()[0].accepted, DefinitionText::of(&described("1")));
    assert!(broken.observes(OnChange::Hold, Occasion::Listing, new).await.is_err());
    assert_eq!(broken.standing(new), HELD);
}
