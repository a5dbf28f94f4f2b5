//! Tests of migrations.

use super::{MigrationError, StateLocation, StateMigration, migration::undo, sections::SECTIONS};
use crate::StateFolder;
use mgp_store::sql::{Connection, copy::Layout, postgres::PostgresStore};
use std::{collections::BTreeSet, path::Path};
use tempfile::TempDir;

const RULE: &str = "INSERT INTO rules (entry_type, agent_id, server_id, tool_name, permission) VALUES ('server_grant', 'ann', 'notes', '', 'allow')";
const QUOTA: &str = "INSERT INTO quotas (day, party, caller, server, tool, used) VALUES ('2026-01-31', 'agent', 'ann', 'notes', 'add', 7)";

/// A state folder with a rule and a quota, and the URL of an empty database; `None` without PostgreSQL.
async fn folder_and_url() -> Option<(TempDir, String)> {
    let url = xtask_testing::postgres().await?;
    let folder = tempfile::tempdir().unwrap();
    let source = location(folder.path());
    execute(&source, "access", RULE).await;
    execute(&source, "quota", QUOTA).await;
    Some((folder, url))
}

fn location(path: &Path) -> StateLocation {
    StateLocation::parse(path.to_str().unwrap()).unwrap()
}

async fn execute(location: &StateLocation, section: &str, sql: &'static str) {
    let schema = SECTIONS.into_iter().find(|schema| schema.section == section).unwrap();
    let write = move |connection: &Connection<'_>| connection.execute(sql, &[]);
    location.open(schema).unwrap().write(write).await.unwrap();
}

async fn prepared(source: &StateLocation, target: &StateLocation) -> StateMigration {
    StateMigration::prepare(source.clone(), target.clone()).await.unwrap()
}

#[tokio::test]
async fn every_file_of_the_folder_is_migrated_or_named() {
    let folder = tempfile::tempdir().unwrap();
    let state = StateFolder::open(folder.path()).unwrap();
    let _stores = state.stores().await.unwrap();
    state.access().await.unwrap();
    state.keys().unwrap();
    let names = std::fs::read_dir(folder.path())
        .unwrap()
        .filter_map(|entry| Some(entry.unwrap().file_name().to_str()?.strip_suffix(".sqlite3")?.to_owned()));
    let sections: BTreeSet<_> = SECTIONS.iter().map(|schema| schema.section.to_owned()).collect();
    assert_eq!(names.collect::<BTreeSet<_>>(), sections);
}

#[tokio::test]
async fn every_table_of_postgres_is_migrated_or_of_processes() {
    let Some(url) = xtask_testing::postgres().await else { return };
    let store = PostgresStore::new(&url).unwrap();
    let mut migrated = BTreeSet::new();
    let mut tables = BTreeSet::new();
    for schema in SECTIONS {
        migrated.extend(Layout::of(schema).await.unwrap().tables().map(str::to_owned));
        let read = |connection: &Connection<'_>| {
            let sql = "SELECT CAST(table_name AS TEXT) AS name FROM information_schema.tables WHERE table_schema = current_schema()";
            connection.rows(sql, &[])
        };
        let rows = store.tables(schema).read(read).await.unwrap();
        tables.extend(rows.iter().map(|row| row.needed("name").unwrap().to_owned()));
    }
    tables.retain(|table| !migrated.contains(table));
    let others = ["entry_owners", "mgp_locks", "mgp_sections", "transaction_owners"];
    assert_eq!(tables.into_iter().collect::<Vec<_>>(), others);
}

#[tokio::test]
async fn state_survives_both_ways() {
    let Some((folder, url)) = folder_and_url().await else { return };
    let (source, target) = (location(folder.path()), StateLocation::parse(&url).unwrap());
    let there = prepared(&source, &target).await;
    let before = there.sections();
    assert_eq!(there.run().await.unwrap(), before);
    assert_eq!(before.iter().flat_map(|section| &section.tables).map(|table| table.rows).sum::<u64>(), 2);
    let back = folder.path().join("back");
    let back = prepared(&target, &location(&back)).await.run().await.unwrap();
    assert_eq!(back, before);
}

#[tokio::test]
async fn a_row_changed_before_the_verification_is_found_and_kept() {
    for (side, change) in [
        ("source", "UPDATE quotas SET used = 8"),
        ("target", "UPDATE quotas SET used = 8"),
        ("target", "DELETE FROM quotas"),
    ] {
        let Some((folder, url)) = folder_and_url().await else { return };
        let (source, target) = (location(folder.path()), StateLocation::parse(&url).unwrap());
        let migration = prepared(&source, &target).await;
        let mut copied = Vec::new();
        migration.copy(&mut copied).await.unwrap();
        migration.verify(&copied).await.unwrap();
        execute(if side == "source" { &source } else { &target }, "quota", change).await;
        let (section, error) = migration.verify(&copied).await.unwrap_err();
        assert_eq!(section, "quota");
        assert!(error.reason().starts_with(&format!("table quotas of the {side} ")), "{error}");
        // Rows that somebody else changed are not deleted.
        let left: &[&str] = if side == "source" { &[] } else { &["quotas"] };
        assert_eq!(undo(copied).await, left);
        execute(&target, "quota", "DELETE FROM quotas").await;
        prepared(&source, &target).await.run().await.unwrap();
    }
}

#[tokio::test]
async fn a_failure_in_a_later_section_leaves_the_target_empty() {
    let Some((folder, url)) = folder_and_url().await else { return };
    let (source, target) = (location(folder.path()), StateLocation::parse(&url).unwrap());
    let migration = prepared(&source, &target).await;
    execute(&target, "quota", "ALTER TABLE quotas DROP COLUMN used").await;
    let error = migration.run().await.unwrap_err();
    let MigrationError::Failed { section: "quota", left, .. } = &error else { panic!("{error}") };
    assert!(left.is_empty(), "{error}");
    execute(&target, "quota", "ALTER TABLE quotas ADD COLUMN used BIGINT NOT NULL").await;
    prepared(&source, &target).await.run().await.unwrap();
}

#[tokio::test]
async fn locations_in_use_without_state_or_with_rows_are_refused() {
    let Some((folder, url)) = folder_and_url().await else { return };
    let (source, target) = (location(folder.path()), StateLocation::parse(&url).unwrap());
    let refused = async |source: &StateLocation, target: &StateLocation| {
        StateMigration::prepare(source.clone(), target.clone()).await.unwrap_err()
    };
    let empty = tempfile::tempdir().unwrap();
    let missing = location(&empty.path().join("missing"));
    assert!(matches!(refused(&missing, &target).await, MigrationError::NoState(_)));
    assert!(matches!(refused(&source, &source).await, MigrationError::SameFolder(_)));
    let stores = StateFolder::open(folder.path()).unwrap().stores().await.unwrap();
    assert!(matches!(refused(&source, &target).await, MigrationError::InUse(_)));
    drop(stores);
    let state = StateFolder::open(empty.path()).unwrap().with_postgres(&url).unwrap();
    let stores = state.stores().await.unwrap();
    assert!(matches!(refused(&source, &target).await, MigrationError::InUse(_)));
    drop(stores);
    // The marks of a database are removed by tasks.
    xtask_testing::within(async {
        while target.is_in_use().await.unwrap() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    execute(&target, "access", RULE).await;
    let error = refused(&source, &target).await.to_string();
    assert_eq!(
        error,
        "table rules of section access in the target database has rows: expected an empty target"
    );
}

#[tokio::test]
async fn text_that_postgres_refuses_is_named_before_any_write() {
    let Some((folder, url)) = folder_and_url().await else { return };
    let (source, target) = (location(folder.path()), StateLocation::parse(&url).unwrap());
    execute(&source, "quota", "UPDATE quotas SET tool = 'a' || char(0)").await;
    let error = StateMigration::prepare(source.clone(), target.clone()).await.unwrap_err().to_string();
    assert!(
        error.starts_with("section quota, table quotas, column tool: found a text with the character NUL"),
        "{error}"
    );
    prepared(&source, &location(&folder.path().join("copy"))).await.run().await.unwrap();
}
