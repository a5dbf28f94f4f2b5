//! Tests of processes that use one store at once, and of their marks.

use super::support::*;
use crate::transaction::{TransactionKey, TransactionStore};
use jiff::Timestamp;
use mgp_types::{
    context::{KeyScopes, Principal},
    transaction::{BeginTransactionParams, TransactionState},
};
use tokio::task::JoinSet;

fn begin(id: &str) -> BeginTransactionParams {
    BeginTransactionParams { transaction_id: id.to_owned(), timeout_seconds: None, description: None }
}

#[tokio::test(flavor = "multi_thread")]
async fn transactions_begun_at_once_stay_within_bounds() {
    for backend in Backend::shared().await {
        let world = World::default();
        let processes = [(); 2].map(|()| backend.open());
        let processes = futures_util::future::join_all(processes).await;
        let processes: Vec<_> = processes.into_iter().map(|store| Process::over(store, &world)).collect();
        // Each name is begun by both processes, for ann and in a chain of agents.
        let mut begun = JoinSet::new();
        for at in 0..16 {
            let transactions = processes[at % 2].transactions.clone();
            let caller = if at % 4 < 2 { ann() } else { ann().on_behalf_of(["bob"]) };
            begun.spawn(async move { transactions.begin(&caller, begin(&format!("tx-{}", at / 4))).await });
        }
        let begun = begun.join_all().await;
        assert_eq!(begun.iter().filter(|begun| begun.is_ok()).count(), 2);
        assert_eq!(backend.open_sql().await.all(99).await.unwrap().len(), 2);
    }
}

#[tokio::test]
async fn a_caller_with_many_scopes_and_a_long_chain_has_transactions() {
    for backend in Backend::each().await {
        let world = World::default();
        let process = Process::over(backend.open().await, &world).start(&world);
        let scopes: Vec<_> = (0..999).map(|number| format!("read:server-{number}")).collect();
        // Escaped, each byte of the chain becomes six.
        let chain = [(); 3].map(|()| "\u{1}".repeat(256));
        let caller = ann().narrowed_to(KeyScopes::new("ci", &scopes.join(" "))).on_behalf_of(chain);
        let other = ann().narrowed_to(KeyScopes::new("other", &scopes.join(" ")));
        let transactions = &process.transactions;
        for (caller, id) in [(&caller, "a"), (&caller, "b"), (&other, "a"), (&ann(), "a")] {
            transactions.begin(caller, begin(id)).await.unwrap();
        }
        assert_eq!(transactions.begin(&caller, begin("a")).await.unwrap_err().code, 4000);
        assert_eq!(transactions.begin(&caller, begin("c")).await.unwrap_err().code, 3001);
        let store = backend.open().await;
        let key = TransactionKey::new(&caller, "a");
        let end = |of: &mut crate::transaction::Transaction| {
            of.state = TransactionState::Committed;
            Ok(())
        };
        store.update(&key, Box::new(end)).await.unwrap().unwrap().unwrap();
        assert_eq!(store.load(&key).await.unwrap().unwrap().state, TransactionState::Committed);
        transactions.begin(&caller, begin("c")).await.unwrap();
        let due = store.due(Timestamp::MAX).await.unwrap();
        assert!(due.iter().any(|(key, _)| *key == TransactionKey::new(&caller, "c")));
    }
}

#[tokio::test]
async fn a_mark_that_was_not_renewed_for_30_s_counts_as_gone() {
    for backend in Backend::shared().await {
        let Backend::Postgres(_) = &backend else { continue };
        let store = backend.open_sql().await;
        for (seconds, is_alive) in [(20, true), (31, false)] {
            backend
                .run(&format!(
                    "INSERT INTO transaction_owners SELECT 'o{seconds}', max(seen_at) - {seconds} * 1000000 FROM transaction_owners"
                ))
                .await;
            assert_eq!(store.is_alive(&format!("o{seconds}")).await.unwrap(), is_alive, "{seconds} s");
        }
        assert!(!store.is_alive(GONE).await.unwrap() && store.is_alive(store.me()).await.unwrap());
        store.sweep(Timestamp::now()).await.unwrap();
        let left = backend.run("SELECT id FROM transaction_owners ORDER BY id").await;
        let left: Vec<_> = left.iter().map(|row| row.needed("id").unwrap()).collect();
        assert!(left.len() == 2 && left.contains(&"o20") && left.contains(&store.me()), "{left:?}");
    }
}

#[tokio::test]
async fn a_process_that_cannot_renew_its_mark_begins_nothing() {
    for backend in Backend::shared().await {
        let Backend::Postgres(_) = &backend else { continue };
        let (store, world) = (std::sync::Arc::new(backend.open_sql().await), World::default());
        let process = Process::over(store.clone(), &world);
        backend.run("ALTER TABLE transaction_owners RENAME TO lost").await;
        process.begin().await;
        store.owner.lapse();
        let refused = process.transactions.begin(&Principal::agent("bob"), begin("a")).await.unwrap_err();
        assert!(refused.code == 3001 && refused.message.contains("transaction_owners"), "{refused}");
        assert_eq!(process.step("jira", "make").await.as_error().unwrap().code, 3001);
        assert!(world.there().is_empty(), "it was not made");
        backend.run("ALTER TABLE lost RENAME TO transaction_owners").await;
        process.step("jira", "make").await;
        assert_eq!(line(&process.status().await), "active: jira ok");
    }
}
