//! Tests of the units of calls that reach no server.

use super::{
    tests::{agent, call, noon, quotas, stores},
    *,
};
use crate::limits::LimitRule;
use async_trait::async_trait;
use jiff::civil::Date;
use mgp_store::StoreError;
use mgp_transport::seam::{BoxError, Record, Reply, ToolCall};
use mgp_types::{context::ToolId, error::ErrorCode, json::RawJson};
use std::{future::pending, sync::Arc};
use tokio::sync::mpsc;
use tower::{Layer, ServiceExt, service_fn};
use xtask_testing::{until_some, within};

/// Returns the remaining units of the quota of agent `ann`.
async fn left(quotas: &Quotas) -> u64 {
    let left = quotas.remaining("ann", None, &[(ToolId::new("files", "read"), 0)]).await;
    left.into_iter().flatten().next().unwrap().remaining
}

/// Sends a call of `ann` to a server that notes something and answers.
async fn send(quotas: &Quotas, note: fn(&mut Record), answer: fn() -> Result<Reply, BoxError>) {
    let server = service_fn(move |call: ToolCall| async move {
        assert!(call.waited, "rights are looked at again");
        call.record.update(note);
        answer()
    });
    let layer = QuotaSpendingLayer::new(quotas.clone());
    let answered = layer.layer(server).oneshot(call("ann", "read")).await;
    assert_eq!(answered.is_ok(), answer().is_ok());
}

fn restarting() -> Result<Reply, BoxError> {
    Ok(Reply::error(ErrorCode::ServerRestarting.error("it starts")))
}

#[tokio::test]
async fn only_a_call_that_reaches_no_server_spends_nothing() {
    for (_database, store) in stores().await {
        let quotas = quotas(store, &[agent("*", 11)]);
        let of_tool = CostRule { server: "*".into(), tool: "*".into(), units: 2 };
        quotas.set_rules(&[agent("*", 11)], &[of_tool]);
        let result = || Ok(Reply::ok(RawJson::empty_object()));
        send(&quotas, |_| {}, restarting).await;
        send(&quotas, |_| {}, || Err("no server".into())).await;
        let not_reached = |record: &mut Record| {
            (record.attempts, record.ran_nothing, record.unreached) = (2, 2, 2);
        };
        send(&quotas, not_reached, restarting).await;
        assert_eq!(left(&quotas).await, 11);
        let refused = |record: &mut Record| {
            (record.attempts, record.ran_nothing) = (1, 1);
        };
        send(&quotas, refused, restarting).await;
        assert_eq!(left(&quotas).await, 9, "the server answered");
        // The first attempt was answered, and the second reached no server.
        let lost = |record: &mut Record| {
            (record.attempts, record.ran_nothing, record.unreached) = (2, 2, 1);
        };
        send(&quotas, lost, || Err("lost".into())).await;
        assert_eq!(left(&quotas).await, 7);
        send(&quotas, |record| (record.attempts, record.answered) = (1, Some(false)), restarting).await;
        assert_eq!(left(&quotas).await, 5, "nobody knows what the server did");
        send(&quotas, |record| record.attempts = 1, result).await;
        assert_eq!(left(&quotas).await, 3);
    }
}

#[tokio::test]
async fn a_dropped_call_refunds_its_units_unless_it_was_sent() {
    let quotas = quotas(Arc::new(SqlQuotaStore::in_memory()), &[agent("*", 3)]);
    for (attempts, expected) in [(0, 3), (1, 2)] {
        let (reached, mut reaches) = mpsc::channel(1);
        let server = service_fn(move |call: ToolCall| {
            let reached = reached.clone();
            async move {
                call.record.update(|record| record.attempts = attempts);
                reached.send(()).await.unwrap();
                pending::<Result<Reply, BoxError>>().await
            }
        });
        let sent = QuotaSpendingLayer::new(quotas.clone()).layer(server).oneshot(call("ann", "read"));
        let sent = tokio::spawn(sent);
        within(reaches.recv()).await.unwrap();
        assert_eq!(left(&quotas).await, 2);
        sent.abort();
        assert!(sent.await.unwrap_err().is_cancelled());
        until_some(async || (left(&quotas).await == expected).then_some(())).await;
    }
}

#[tokio::test]
async fn an_exempt_call_passes_without_units_and_refunds_none() {
    let quotas = quotas(Arc::new(SqlQuotaStore::in_memory()), &[agent("*", 2)]);
    let layer = QuotaSpendingLayer::new(quotas.clone()).spare(|_| true);
    let pass = async |attempts| {
        let server = service_fn(move |call: ToolCall| async move {
            call.record.update(|record| record.attempts = attempts);
            Ok::<_, BoxError>(Reply::ok(RawJson::empty_object()))
        });
        let reply = layer.layer(server).oneshot(call("ann", "read")).await.unwrap();
        assert!(reply.as_error().is_none());
        left(&quotas).await
    };
    assert_eq!((pass(1).await, pass(0).await, pass(1).await), (1, 1, 0));
    assert_eq!((pass(1).await, pass(0).await), (0, 0), "it spent none");
}

/// A store whose disk fills up after the first spending.
#[derive(Debug)]
struct FullDisk(SqlQuotaStore);

#[async_trait]
impl QuotaStore for FullDisk {
    async fn spend(
        &self,
        day: Date,
        shares: Vec<QuotaShare>,
        units: u64,
    ) -> Result<SpendOutcome, StoreError> {
        self.0.spend(day, shares, units).await
    }

    async fn give_back(&self, _: Date, _: Vec<QuotaKey>, _: u64) -> Result<(), StoreError> {
        Err(StoreError::new("disk full"))
    }

    async fn used(&self, day: Date, keys: Vec<QuotaKey>) -> Result<Vec<u64>, StoreError> {
        self.0.used(day, keys).await
    }
}

#[tokio::test]
async fn units_that_cannot_be_refunded_stay_spent() {
    let quotas = quotas(Arc::new(FullDisk(SqlQuotaStore::in_memory())), &[agent("*", 3)]);
    send(&quotas, |_| {}, restarting).await;
    assert_eq!(left(&quotas).await, 2);
}

#[tokio::test]
async fn refunds_never_exceed_what_was_spent_that_day() {
    let [day, next] = [15, 16].map(|number| Date::new(2026, 3, number).unwrap());
    for (_database, store) in stores().await {
        let rules: &[LimitRule] = &[agent("ann", 3)];
        let quotas = quotas(store.clone(), rules);
        let cost = quotas.spending(&call("ann", "read")).unwrap();
        let keys = || cost.shares.iter().map(|share| share.key.clone()).collect::<Vec<_>>();
        store.spend(day, cost.shares.clone(), 2).await.unwrap();
        store.give_back(next, keys(), 1).await.unwrap();
        assert_eq!(store.used(day, keys()).await.unwrap(), [2]);
        assert_eq!(store.used(next, keys()).await.unwrap(), [0]);
        store.give_back(day, keys(), 7).await.unwrap();
        assert_eq!(store.used(day, keys()).await.unwrap(), [0]);
        assert_eq!(left(&quotas.at(noon)).await, 3);
    }
}
