//! Tests of a file that an earlier version wrote.

use super::support::*;
use crate::transaction::{SqlTransactionStore, TransactionKey};
use mgp_types::transaction::{BeginTransactionParams, TransactionState};

/// The file of the first version.
const FIRST: &str = "
CREATE TABLE transactions (
    principal TEXT NOT NULL,
    id TEXT NOT NULL,
    is_over INTEGER NOT NULL,
    active_at INTEGER NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (principal, id)
) STRICT;
CREATE INDEX transactions_open ON transactions (is_over, active_at);
";

#[tokio::test]
async fn an_earlier_version_s_transactions_are_counted_and_resumed() {
    for version in [1, 2] {
        counted_and_resumed(version).await;
    }
}

async fn counted_and_resumed(version: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tx.sqlite3");
    {
        let file = rusqlite::Connection::open(&path).unwrap();
        file.execute_batch(FIRST).unwrap();
        let insert = |principal: &str, id: &str, document: &str| {
            let sql = "INSERT INTO transactions VALUES (?, ?, 0, 0, ?)";
            file.execute(sql, [principal, id, document]).unwrap();
        };
        let document = r#"{"id":"tx-1","caller":{"id":"ann","actor":"agent","admin":false,"delegation":[]},
            "state":"rolling_back","description":null,"timeout_seconds":300,"begun_at":1,"active_at":1,"reason":null,
            "owner":"00000000000000000000000000000000","steps":[]}"#;
        insert(&TransactionKey::new(&ann(), "tx-1").principal, "tx-1", document);
        insert("[\"eve\"]", "x", "this is no document");
        for step in &SqlTransactionStore::SCHEMA.sqlite[1..version] {
            file.execute_batch(step).unwrap();
        }
        file.pragma_update(None, "user_version", i64::try_from(version).unwrap()).unwrap();
    }
    let world = World::default();
    let process = Process::on_disk(&path, &world);
    let begin = |id: &str| BeginTransactionParams {
        transaction_id: id.to_owned(),
        timeout_seconds: None,
        description: None,
    };
    process.transactions.begin(&ann(), begin("tx-2")).await.unwrap();
    assert_eq!(process.transactions.begin(&ann(), begin("tx-3")).await.unwrap_err().code, 3001);
    let process = process.start(&world);
    assert_eq!(process.over_at_last().await.status, TransactionState::RolledBack);
    let file = rusqlite::Connection::open(&path).unwrap();
    let sql = "SELECT active_at FROM transactions WHERE id = 'tx-1'";
    let active_at: i64 = file.query_row(sql, [], |row| row.get(0)).unwrap();
    assert!(active_at > 1, "it is kept from its end on");
}
