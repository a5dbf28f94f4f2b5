//! Tests of the versions that definitions state, which no hash covers.

use super::rig::{HELD, Kernel, text};
use crate::{
    audit::MemorySink,
    definition::{
        DefinitionStanding, DefinitionStore, Occasion, OnChange, PinnedDefinition, SqlDefinitionStore,
        SqlStore, VersionCheck,
    },
};
use mgp_types::json::RawJson;
use serde_json::json;
use std::sync::Arc;

/// Returns a definition of the tool that states a version, with these required parameters.
fn stating(version: &str, required: &[&str]) -> RawJson {
    text(&json!({
        "name": "t", "inputSchema": {"type": "object", "required": required}, "_meta": {"dev.cloto/tool": {"version": version}}
    }))
}

async fn row(kernel: &Kernel) -> PinnedDefinition {
    kernel.definitions.rows().await.unwrap().remove(0)
}

async fn kernels(folder: &tempfile::TempDir) -> [Kernel; 2] {
    let sqlite = SqlDefinitionStore::open(folder.path().join("definition.sqlite3")).unwrap();
    let stores: [Arc<dyn DefinitionStore>; 2] = [Arc::new(SqlDefinitionStore::in_memory()), Arc::new(sqlite)];
    let [memory, sqlite] = stores.map(|store| Kernel::over(store, MemorySink::new(100)));
    [memory.await, sqlite.await]
}

fn shown(check: Option<VersionCheck>) -> String {
    check.map(|check| check.to_string()).unwrap_or_default()
}

#[tokio::test]
async fn a_new_version_by_itself_is_not_a_change() {
    let folder = tempfile::tempdir().unwrap();
    for kernel in kernels(&folder).await {
        kernel.lists(OnChange::Hold, &stating("1.0.0", &[])).await;
        let pinned = row(&kernel).await;
        assert_eq!(kernel.lists(OnChange::Hold, &stating("2.0.0", &[])).await, DefinitionStanding::Accepted);
        let after = row(&kernel).await;
        assert!(after.accepted.text.as_ref().unwrap().as_str().contains("2.0.0"), "{after:?}");
        assert_eq!((after.accepted_at, after.change), (pinned.accepted_at, None));
        assert_eq!(kernel.events(), [""; 0]);
        // A raised version cannot hide a later change.
        assert_eq!(kernel.lists(OnChange::Hold, &stating("2.0.0", &["a"])).await, HELD);
        assert_eq!(
            shown(row(&kernel).await.version_check()),
            "version 2.0.0, as before: expected a major step"
        );
        // The version of what waits follows, too, without another event.
        kernel.lists(OnChange::Hold, &stating("3.0.0", &["a"])).await;
        assert_eq!(shown(row(&kernel).await.version_check()), "version 2.0.0 to 3.0.0: says what changed");
        assert_eq!(kernel.events().len(), 1);
    }
}

#[tokio::test]
async fn kernels_with_different_versions_replace_no_pin_endlessly() {
    let folder = tempfile::tempdir().unwrap();
    for kernel in kernels(&folder).await {
        kernel.lists(OnChange::Warn, &stating("2.0.0", &[])).await;
        kernel.observes(OnChange::Warn, Occasion::Reload, &stating("1.0.0", &[])).await.unwrap();
        assert!(row(&kernel).await.accepted.text.unwrap().as_str().contains("2.0.0"));
    }
}
