//! Stores of pins, also shared by several kernels.

use super::rig::{HELD, Kernel, described, operator, tool};
use crate::{
    audit::MemorySink,
    definition::{
        ChangedDefinition, DefinitionStanding, DefinitionStore, DefinitionText, HoldReason, Occasion,
        OnChange, PinnedDefinition, SqlDefinitionStore, SqlStore,
    },
};
use DefinitionStanding::Accepted;
use jiff::Timestamp;
use mgp_types::context::ToolId;
use rusqlite::Connection;
use std::sync::Arc;
use xtask_testing::{SharedDatabase, databases, until};

fn pin(server: &str, name: &str) -> PinnedDefinition {
    PinnedDefinition {
        tool: ToolId::new(server, name),
        accepted: DefinitionText::of(&described("1")),
        accepted_at: Timestamp::from_second(1).unwrap(),
        accepted_by: None,
        change: None,
    }
}

/// Runs a check on each kind of store.
async fn on_each(check: impl AsyncFn(Arc<dyn DefinitionStore>)) {
    check(Arc::new(SqlDefinitionStore::in_memory())).await;
    for SharedDatabase { here, .. } in databases(SqlDefinitionStore::SCHEMA).await {
        check(Arc::new(SqlDefinitionStore::new(here))).await;
    }
}

#[tokio::test]
async fn a_tool_is_pinned_once_and_replaced_only_as_it_was() {
    on_each(async |store| {
        let rows = async || store.load().await.unwrap().rows;
        let changed = async || store.load_changed().await.unwrap().rows;
        let pinned = store.pin(vec![pin("s", "t"), pin("s", "u"), pin("s", "t")]).await.unwrap();
        assert_eq!(pinned, [tool(), ToolId::new("s", "u")]);
        assert_eq!(store.pin(vec![pin("s", "t")]).await.unwrap(), []);
        let listed = DefinitionText::of(&described("2"));
        let listed_at = Timestamp::from_second(2).unwrap();
        let change = Some(ChangedDefinition { listed, listed_at, held: true });
        let after = PinnedDefinition { change, accepted_by: Some("ann".into()), ..pin("s", "t") };
        assert_eq!(changed().await, []);
        assert!(store.replace(&pin("s", "t"), after.clone(), None).await.unwrap());
        assert_eq!(changed().await, std::slice::from_ref(&after));
        assert!(!store.replace(&pin("s", "t"), pin("s", "t"), None).await.unwrap(), "it is another by now");
        assert!(rows().await.contains(&after));
        let other = PinnedDefinition { accepted: DefinitionText::of(&described("3")), ..after.clone() };
        assert!(!store.replace(&other, pin("s", "t"), None).await.unwrap());
        assert!(!store.replace(&pin("x", "t"), pin("x", "t"), None).await.unwrap());
        let fails = Box::pin(async { Err(crate::audit::AuditError::new("disk full")) });
        assert!(store.replace(&after, pin("s", "t"), Some(fails)).await.is_err());
        assert!(rows().await.contains(&after), "what cannot be recorded is not stored");
    })
    .await;
}

#[tokio::test]
async fn pins_are_removed_by_server_or_by_tool() {
    on_each(async |store| {
        store.pin(vec![pin("s", "t"), pin("s", "u"), pin("r", "t")]).await.unwrap();
        assert_eq!(store.remove("s", Some("t")).await.unwrap(), 1);
        assert_eq!(store.remove("s", Some("t")).await.unwrap(), 0);
        store.pin(vec![pin("s", "t")]).await.unwrap();
        assert_eq!(store.remove("s", None).await.unwrap(), 2);
        assert_eq!(store.load().await.unwrap().rows, [pin("r", "t")]);
    })
    .await;
}

#[tokio::test]
async fn the_number_of_pins_per_server_is_bounded() {
    on_each(async |store| {
        let all = (0..=super::super::MAX_PINS).map(|at| pin("s", &at.to_string())).collect();
        assert_eq!(store.pin(all).await.unwrap().len(), super::super::MAX_PINS);
        assert_eq!(store.pin(vec![pin("r", "t")]).await.unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn two_kernels_on_one_database_agree() {
    for database in databases(SqlDefinitionStore::SCHEMA).await {
        agree(database).await;
    }
}

async fn agree(SharedDatabase { here, there, .. }: SharedDatabase) {
    let sink = MemorySink::new(100);
    let kernel =
        async |database| Kernel::over(Arc::new(SqlDefinitionStore::new(database)), sink.clone()).await;
    let (a, b) = (kernel(here).await, kernel(there).await);
    let (old, new) = (described("1"), described("2"));
    a.lists(OnChange::Hold, &old).await;
    // The second kernel has not read the pin of the first one yet, and still finds it.
    assert_eq!(b.lists(OnChange::Hold, &new).await, HELD);
    assert_eq!(a.lists(OnChange::Hold, &new).await, HELD);
    assert_eq!(a.events().len(), 1, "one kernel records a change: {:?}", a.events());
    a.definitions.accept(&tool(), &operator()).await.unwrap();
    until(|| b.standing(&new) == Accepted).await;
    a.definitions.forget("s", None, &operator()).await.unwrap();
    until(|| b.standing(&new) == DefinitionStanding::Held(HoldReason::NotPinned)).await;
}

#[tokio::test]
async fn kernels_with_different_server_versions_settle() {
    for on_change in [OnChange::Allow, OnChange::Hold] {
        let store = Arc::new(SqlDefinitionStore::in_memory());
        let (a, b) = (
            Kernel::over(store.clone(), MemorySink::new(100)).await,
            Kernel::over(store.clone(), MemorySink::new(100)).await,
        );
        a.lists(on_change, &described("1")).await;
        b.lists(on_change, &described("2")).await;
        let version = async || store.version().await.unwrap();
        for kernel in [&a, &b] {
            kernel.definitions.reload().await.unwrap();
        }
        let before = version().await;
        for _ in 0..3 {
            for (kernel, own) in [(&a, "1"), (&b, "2")] {
                kernel.observes(on_change, Occasion::Reload, &described(own)).await.unwrap();
                kernel.definitions.reload().await.unwrap();
            }
        }
        assert_eq!(version().await, before, "{on_change}");
    }
}

#[tokio::test]
async fn an_unreadable_pin_withholds_its_tool_until_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.sqlite3");
    for edit in [
        "accepted_sha256 = 'x'",
        "accepted = '{'",
        r#"accepted = '{"name":"t"}'"#,
        "listed_sha256 = 'x', held = 1",
        "accepted_at = 9223372036854775807",
    ] {
        let kernel =
            Kernel::over(Arc::new(SqlDefinitionStore::open(&path).unwrap()), MemorySink::new(100)).await;
        kernel.lists(OnChange::Allow, &described("1")).await;
        Connection::open(&path).unwrap().execute(&format!("UPDATE definitions SET {edit}"), []).unwrap();
        let unreadable = DefinitionStanding::Held(HoldReason::Unreadable);
        until(|| kernel.standing(&described("1")) == unreadable).await;
        assert_eq!(kernel.lists(OnChange::Allow, &described("1")).await, unreadable, "{edit}");
        assert!(kernel.definitions.may_hold("s"), "{edit}");
        let (code, message) = kernel.call(&described("1")).await.unwrap();
        assert!(code == 1000 && message.contains("`mgp tools forget s t`"), "{edit}: {message}");
        let said = kernel.definitions.unreadable()[0].to_string();
        assert!(said.contains("`mgp tools forget s t`"), "{edit}: {said}");
        assert_eq!(kernel.definitions.forget("s", Some("t"), &operator()).await.unwrap(), 1, "{edit}");
        assert_eq!(kernel.lists(OnChange::Allow, &described("1")).await, Accepted, "{edit}");
        kernel.definitions.forget("s", None, &operator()).await.unwrap();
    }
}

#[tokio::test]
async fn a_pin_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.sqlite3");
    let kernel =
        async || Kernel::over(Arc::new(SqlDefinitionStore::open(&path).unwrap()), MemorySink::new(100)).await;
    kernel().await.lists(OnChange::Hold, &described("1")).await;
    let second = kernel().await;
    assert_eq!(second.lists(OnChange::Hold, &described("2")).await, HELD);
    let third = kernel().await;
    assert_eq!(third.lists(OnChange::Hold, &described("2")).await, HELD);
    assert_eq!((second.events().len(), third.events().len()), (1, 0));
}
