//! Tests of the bounds of transactions, and of the rights of calls that undo steps.

use super::support::*;
use crate::transaction::{
    CompensationTemplate, DeclaredCompensations, RollbackAsker, SqlTransactionStore, TransactionLayer,
    Transactions,
};
use async_trait::async_trait;
use http::HeaderMap;
use mgp_transport::seam::{
    Authenticate, Authentication, CredentialError, ResourceMetadata, Scopes, TokenGrant,
};
use mgp_types::{
    json::RawJson,
    transaction::{
        BeginTransactionParams, Compensation, RollbackTransactionParams, StepState, TransactionParams,
        TransactionState,
    },
};
use std::sync::Arc;
use tower::{Layer, ServiceExt};

fn begin(id: &str) -> BeginTransactionParams {
    BeginTransactionParams { transaction_id: id.to_owned(), timeout_seconds: None, description: None }
}

#[tokio::test]
async fn a_caller_s_ended_transactions_are_bounded_oldest_first() {
    for backend in Backend::each().await {
        let world = World::default();
        let process = Process::over(backend.open().await, &world).start(&world);
        let transactions = &process.transactions;
        let bob = mgp_types::context::Principal::agent("bob");
        for (caller, id) in [(&bob, "a"), (&ann(), "a"), (&ann(), "b"), (&ann(), "c")] {
            transactions.begin(caller, begin(id)).await.unwrap();
            let params = TransactionParams { transaction_id: id.to_owned() };
            transactions.commit(caller, params).await.unwrap();
        }
        transactions.begin(&ann(), begin("d")).await.unwrap();
        let mut kept = Vec::new();
        for id in ["a", "b", "c", "d"] {
            kept.push(transactions.status(&ann(), id).await.is_ok());
        }
        assert_eq!(kept, [false, true, true, true]);
        assert!(transactions.status(&bob, "a").await.is_ok(), "another caller's stays");
    }
}

#[tokio::test]
async fn acting_for_other_agents_gives_no_more_transactions() {
    for backend in Backend::each().await {
        let world = World::default();
        let process = Process::over(backend.open().await, &world).start(&world);
        let transactions = &process.transactions;
        let acting_for = |agent: &str| ann().on_behalf_of([agent.to_owned()]);
        for agent in ["one", "two"] {
            transactions.begin(&acting_for(agent), begin("a")).await.unwrap();
        }
        for caller in [acting_for("three"), ann()] {
            assert_eq!(transactions.begin(&caller, begin("a")).await.unwrap_err().code, 3001);
        }
        let bob = mgp_types::context::Principal::agent("bob");
        transactions.begin(&bob, begin("a")).await.unwrap();
        // The ended transactions of a caller are bounded, too.
        for agent in ["one", "two", "three", "four"] {
            let params = TransactionParams { transaction_id: "a".to_owned() };
            let begun = transactions.begin(&acting_for(agent), begin("a")).await;
            assert_eq!(begun.is_ok(), ["three", "four"].contains(&agent), "{agent}");
            transactions.commit(&acting_for(agent), params).await.unwrap();
        }
        transactions.begin(&ann(), begin("a")).await.unwrap();
        assert_eq!(transactions.status(&acting_for("one"), "a").await.unwrap_err().code, 4004);
        assert!(transactions.status(&acting_for("four"), "a").await.is_ok());
    }
}

#[tokio::test]
async fn a_server_s_output_is_stored_within_bounds() {
    let world = World::default();
    let process = Process::in_memory(&world);
    process.begin().await;
    let answer = process.step("jira", "long").await;
    let status = process.status().await;
    assert_eq!((status.steps[0].status, &status.steps[0].compensation), (StepState::Ok, &None));
    let error = &status.steps[0].error.as_ref().unwrap().message;
    assert!(error.contains("more than 4096 bytes"), "{error}");
    assert!(answer.result().is_some());
    process.step("jira", "rant").await;
    assert_eq!(process.status().await.steps[1].error.as_ref().unwrap().message.len(), 1000);
}

#[tokio::test]
async fn a_transaction_accepts_no_step_beyond_its_byte_limit() {
    let world = World::default();
    let process = Process::in_memory_with(
        &world,
        crate::transaction::TransactionSettings { transaction_bytes: 20, ..settings() },
    );
    process.begin().await;
    process.step("jira", "make").await;
    process.step("wiki", "make").await;
    let refused = process.step("chat", "make").await;
    assert_eq!(refused.as_error().unwrap().code, 3001, "{refused:?}");
    assert_eq!(world.there().len(), 2, "it was not made");
}

#[tokio::test]
async fn a_transaction_accepts_no_step_beyond_its_step_limit() {
    let world = World::default();
    let process = Process::in_memory(&world);
    process.begin().await;
    for server in ["a", "b", "c", "d"] {
        process.step(server, "make").await;
    }
    let refused = process.step("e", "make").await;
    assert_eq!(refused.as_error().unwrap().code, 3001, "{refused:?}");
    assert_eq!(world.there().len(), 4, "it was not made");
}

/// An authority that allows the tools which the scopes name.
#[derive(Debug)]
struct ByScope;

#[async_trait]
impl Authenticate for ByScope {
    async fn authenticate(&self, _: &HeaderMap, _: &str) -> Result<Authentication, CredentialError> {
        Err(CredentialError::missing())
    }

    fn check(&self, who: &Authentication, method: &str, name: Option<&str>) -> Result<(), CredentialError> {
        assert_eq!(method, "tools/call");
        if name.is_some_and(|name| who.scopes.contains(name)) {
            return Ok(());
        }
        Err(CredentialError::insufficient_scope("too little", Scopes::parse("remove")))
    }

    fn metadata(&self) -> ResourceMetadata {
        ResourceMetadata::default()
    }
}

#[tokio::test]
async fn a_compensation_outside_the_step_s_token_is_not_called() {
    for (scopes, expected) in [
        ("make", "partially_rolled_back: jira not_compensated"),
        ("remove", "partially_rolled_back: jira not_compensated"),
        ("remove jira__remove", "rolled_back: jira compensated"),
    ] {
        let world = World::default();
        let process = Process::in_memory(&world);
        process.begin().await;
        let mut call = Process::call("jira", "make");
        let who = Authentication { scopes: Scopes::parse(scopes), ..Authentication::new(ann()) };
        call.call.ext.insert(TokenGrant::new(who, Arc::new(ByScope)));
        process.sending(call).await.unwrap();
        let report = process.rollback().await;
        assert_eq!(line(&report), expected, "{scopes}");
        assert_eq!(world.removed().len(), usize::from(report.status == TransactionState::RolledBack));
    }
}

#[tokio::test]
async fn an_unanswered_compensation_is_not_repeated() {
    let world = World::default();
    world.0.lock().losing.insert("jira".into());
    let process = Process::in_memory(&world);
    process.begin().await;
    process.step("jira", "make").await;
    for _ in 0..2 {
        let report = process.rollback().await;
        assert_eq!(line(&report), "partially_rolled_back: jira compensation_failed");
        let error = &report.steps[0].error.as_ref().unwrap().message;
        assert_eq!(error, "it may have been undone: no answer");
    }
    assert_eq!(world.removed(), ["jira remove"]);
}

#[tokio::test(start_paused = true)]
async fn an_unsent_compensation_is_tried_four_times() {
    for (unsent, expected) in
        [(3, "rolled_back: jira compensated"), (4, "partially_rolled_back: jira compensation_failed")]
    {
        let world = World::default();
        world.0.lock().unsent = unsent;
        let process = Process::in_memory(&world);
        process.begin().await;
        process.step("jira", "make").await;
        assert_eq!(line(&process.rollback().await), expected);
    }
}

#[tokio::test]
async fn a_declared_compensation_does_not_undo_a_failed_step() {
    let world = World::default();
    let transactions = Transactions::new(Arc::new(SqlTransactionStore::in_memory()), settings());
    let undo =
        Compensation { tool: "remove".to_owned(), arguments: RawJson::empty_object(), description: None };
    let template = CompensationTemplate(undo);
    let layer = TransactionLayer::new(transactions.clone(), move |_| DeclaredCompensations {
        configured: Some(template.clone()),
        of_tool: Some(template.clone()),
        ..DeclaredCompensations::default()
    });
    transactions.start(Arc::new(world.clone()));
    transactions.begin(&ann(), begin("tx-1")).await.unwrap();
    layer.layer(world.clone()).oneshot(Process::call("jira", "sulk").identified()).await.unwrap();
    let params = RollbackTransactionParams { transaction_id: "tx-1".to_owned(), reason: None };
    let report = transactions.rollback(&ann(), params).await.unwrap();
    assert_eq!(line(&report), "rolled_back: jira failed");
    assert!(world.removed().is_empty());
}

#[tokio::test]
async fn a_rollback_cannot_make_a_call_that_its_caller_may_not_make() {
    let world = World::default();
    let process = Process::in_memory(&world);
    process.begin().await;
    process.step("jira", "make").await;
    let rollback = async |scopes: &str| {
        let who = Authentication { scopes: Scopes::parse(scopes), ..Authentication::new(ann()) };
        let params = RollbackTransactionParams { transaction_id: "tx-1".to_owned(), reason: None };
        let granted = Some(TokenGrant::new(who, Arc::new(ByScope)));
        let asker = RollbackAsker { granted, host: None };
        process.transactions.rollback_for(&ann(), params, asker).await
    };
    for scopes in ["make", "remove"] {
        let refused = rollback(scopes).await.unwrap_err();
        assert_eq!(refused.code, 1001, "{refused}");
        assert_eq!(process.status().await.status, TransactionState::Active, "it goes on");
    }
    assert_eq!(line(&rollback("remove jira__remove").await.unwrap()), "rolled_back: jira compensated");
}
