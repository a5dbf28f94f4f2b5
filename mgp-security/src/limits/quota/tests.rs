//! Tests of quotas.

use super::*;
use crate::{
    limits::{LimitRule, LimitedParty},
    testing::TestCall,
};
use async_trait::async_trait;
use jiff::{Timestamp, civil::Date};
use mgp_store::{StoreError, sqlite::set_lock_timeout};
use mgp_transport::seam::{BoxError, CallRecord, Decision, Judge, Reply, ToolCall};
use mgp_types::{
    context::{Target, ToolId},
    error::Recovery,
    json::RawJson,
    tool_check::ToolQuota,
};
use std::{num::NonZeroU64, sync::Arc, time::Duration};
use tower::{Layer, ServiceExt, service_fn};

use xtask_testing::{SharedDatabase, databases};

pub(super) fn noon() -> Timestamp {
    "2026-03-15T12:00:00Z".parse().unwrap()
}

fn days_later() -> Timestamp {
    "2026-03-18T00:00:00Z".parse().unwrap()
}

/// Returns a day of March 2026.
fn day(number: i8) -> Date {
    Date::new(2026, 3, number).unwrap()
}

fn next_day() -> Timestamp {
    "2026-03-16T00:00:00Z".parse().unwrap()
}

fn rule(party: LimitedParty, units: u64) -> LimitRule {
    LimitRule::new(party).per_day(NonZeroU64::new(units).unwrap())
}

pub(super) fn agent(name: &str, units: u64) -> LimitRule {
    rule(LimitedParty::Agent(name.into()), units)
}

pub(super) fn call(agent: &str, tool: &str) -> ToolCall {
    let mut call = TestCall::new("{}").principal(agent);
    call.call.target = Target { tool: ToolId::new("files", tool), called_as: tool.into() }.into();
    call.identified()
}

/// Sends a call through the layer to a server that receives it. Returns the refusal.
async fn spend(quotas: &Quotas, call: &ToolCall) -> Result<(), Reply> {
    let mut call = call.clone();
    call.record = CallRecord::new();
    let server = service_fn(|call: ToolCall| async move {
        call.record.update(|record| record.attempts += 1);
        Ok::<_, BoxError>(Reply::ok(RawJson::empty_object()))
    });
    let reply = QuotaSpendingLayer::new(quotas.clone()).layer(server).oneshot(call).await.unwrap();
    if reply.as_error().is_some() { Err(reply) } else { Ok(()) }
}

async fn look(quotas: &Quotas, call: &ToolCall) -> Result<(), Reply> {
    let decided = match QuotaCheck(quotas.clone()).judge(call) {
        Decision::Allow => Ok(()),
        Decision::Refuse(refusal) => Err(refusal),
        Decision::Wait(decision) | Decision::Read(decision) => decision.await,
    };
    decided.map_err(|refusal| refusal.answer)
}

async fn passing(quotas: &Quotas, calls: usize, call: &ToolCall) -> usize {
    let mut passed = 0;
    for _ in 0..calls {
        passed += usize::from(spend(quotas, call).await.is_ok());
    }
    passed
}

/// Returns a store of each kind.
pub(super) async fn stores() -> Vec<(Option<SharedDatabase>, Arc<dyn QuotaStore>)> {
    let mut stores: Vec<(_, Arc<dyn QuotaStore>)> = vec![(None, Arc::new(SqlQuotaStore::in_memory()))];
    for database in databases(SqlQuotaStore::SCHEMA).await {
        let store = Arc::new(SqlQuotaStore::new(database.here.clone()));
        stores.push((Some(database), store));
    }
    stores
}

pub(super) fn quotas(store: Arc<dyn QuotaStore>, rules: &[LimitRule]) -> Quotas {
    let quotas = Quotas::new(store).at(noon);
    quotas.set_rules(rules, &[]);
    quotas
}

#[tokio::test]
async fn a_used_up_quota_refuses_until_the_utc_day_ends() {
    for (_database, store) in stores().await {
        let quotas = quotas(store, &[agent("*", 3)]);
        let ann = call("ann", "read");
        assert_eq!(passing(&quotas, 9, &ann).await, 3);
        for refusal in [spend(&quotas, &ann).await.unwrap_err(), look(&quotas, &ann).await.unwrap_err()] {
            let error = refusal.as_error().unwrap();
            assert_eq!(error.code, 3002);
            assert_eq!(
                error.message,
                "the quota is used up: limits.agents.\"*\".units_per_day allows agent \"ann\" 3 a day; 0 are left until 2026-03-16T00:00:00Z"
            );
            let advice = Recovery::from_error(error).unwrap();
            assert_eq!((advice.retryable, advice.retry_after_ms), (true, Some(12 * 3_600_000)));
            let report = error.clone().with_report().data.unwrap();
            assert!(report.as_str().contains(r#""category":"rate_limited""#), "{report}");
            let details = advice.details.unwrap();
            assert_eq!(details.text("resets_at").as_deref(), Some("2026-03-16T00:00:00Z"));
            assert_eq!(details.decode("remaining").unwrap(), Some(0));
        }
        assert_eq!(passing(&quotas, 9, &call("bob", "read")).await, 3, "each agent has its own");
        assert_eq!(passing(&quotas.clone().at(next_day), 9, &ann).await, 3, "a day later");
    }
}

#[tokio::test]
async fn the_wait_for_the_next_day_is_rounded_up() {
    let quotas =
        Quotas::new(Arc::new(SqlQuotaStore::in_memory())).at(|| "2026-03-15T23:59:59.9995Z".parse().unwrap());
    let export = CostRule { server: "*".into(), tool: "export".into(), units: 4 };
    quotas.set_rules(&[agent("*", 3)], &[export]);
    let error = async |tool: &str| spend(&quotas, &call("ann", tool)).await.unwrap_err();
    let never = error("export").await;
    let never = never.as_error().unwrap();
    assert_eq!(
        never.message,
        "the quota is too small: limits.agents.\"*\".units_per_day allows agent \"ann\" 3 a day, and the call needs 4"
    );
    let advice = Recovery::from_error(never).unwrap();
    assert_eq!((advice.retryable, advice.retry_after_ms), (false, None));
    let report = never.clone().with_report().data.unwrap();
    assert!(report.as_str().contains(r#""category":"permanent""#), "waiting does not help: {report}");
    assert_eq!(passing(&quotas, 9, &call("ann", "read")).await, 3);
    let later = error("read").await;
    assert_eq!(Recovery::from_error(later.as_error().unwrap()).unwrap().retry_after_ms, Some(1));
}

#[tokio::test]
async fn a_call_is_charged_to_every_quota_or_to_none() {
    for (_database, store) in stores().await {
        let server = rule(LimitedParty::Server("files".into()), 6);
        let quotas = quotas(store, &[agent("*", 100), server.clone()]);
        let costs = |tool: &str, units| CostRule { server: "*".into(), tool: tool.into(), units };
        quotas.set_rules(&[agent("*", 100), server], &[costs("*", 2), costs("free", 0), costs("export", 5)]);
        let ann = async |tool: &str, claimed: u32| {
            let mut call = call("ann", tool);
            Arc::make_mut(&mut call.profile).claimed_units = claimed;
            spend(&quotas, &call).await.is_ok()
        };
        assert!(ann("read", 0).await, "2 of 6");
        assert!(!ann("export", 0).await, "5 more are too many, and the agent's quota keeps them");
        assert!(!ann("read", 5).await, "a claim raises the cost");
        assert!(ann("read", 1).await, "and never lowers it: 4 of 6");
        assert!(ann("free", 0).await && ann("read", 0).await, "6 of 6");
        assert!(ann("free", 0).await && !ann("read", 0).await);
        let left = quotas.remaining("ann", None, &[(ToolId::new("mail", "send"), 0)]).await;
        let resets_at = next_day().to_string();
        let expected = ToolQuota { remaining: 94, limit: 100, cost: 2, resets_at };
        assert_eq!(left, [Some(expected)], "what was refused took nothing");
    }
}

#[tokio::test]
async fn a_lookup_spends_nothing_and_sees_the_tightest_quota() {
    let quotas = quotas(
        Arc::new(SqlQuotaStore::in_memory()),
        &[agent("ann", 2), rule(LimitedParty::Server("files".into()), 5)],
    );
    for _ in 0..9 {
        look(&quotas, &call("ann", "read")).await.unwrap();
    }
    let left = async |agent: &str| {
        let tools = [(ToolId::new("files", "read"), 0), (ToolId::new("mail", "send"), 0)];
        let left = quotas.remaining(agent, None, &tools).await;
        left.into_iter().map(|left| left.map(|left| left.remaining)).collect::<Vec<_>>()
    };
    assert_eq!((left("ann").await, left("bob").await), (vec![Some(2), Some(2)], vec![Some(5), None]));
    assert_eq!(passing(&quotas, 4, &call("bob", "read")).await, 4);
    assert_eq!((left("ann").await, left("bob").await), (vec![Some(1), Some(2)], vec![Some(1), None]));
}

#[tokio::test]
async fn a_dry_run_spends_nothing_and_respects_a_used_up_quota() {
    let quotas = quotas(Arc::new(SqlQuotaStore::in_memory()), &[agent("ann", 1)]);
    let mut dry = call("ann", "read");
    dry.dry_run = true;
    assert_eq!(passing(&quotas, 9, &dry).await, 9);
    look(&quotas, &dry).await.unwrap();
    assert_eq!(passing(&quotas, 9, &call("ann", "read")).await, 1);
    assert_eq!(look(&quotas, &dry).await.unwrap_err().as_error().unwrap().code, 3002);
}

#[tokio::test(flavor = "multi_thread")]
async fn exactly_the_allowed_calls_pass_among_64_concurrent_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("quota.sqlite3");
    // For the turns of all others on a busy machine.
    set_lock_timeout(Duration::from_secs(120));
    let handles: Vec<_> =
        (0..2).map(|_| quotas(Arc::new(SqlQuotaStore::open(&path).unwrap()), &[agent("*", 10)])).collect();
    let calls: Vec<_> = (0..64)
        .map(|i| {
            let quotas = handles[i % 2].clone();
            tokio::spawn(async move { spend(&quotas, &call("ann", "read")).await })
        })
        .collect();
    let (mut passed, mut refused) = (0, 0);
    for call in calls {
        match call.await.unwrap() {
            Ok(()) => passed += 1,
            Err(refusal) => {
                assert_eq!(refusal.as_error().unwrap().code, 3002, "{refusal:?}");
                refused += 1;
            }
        }
    }
    assert_eq!((passed, refused), (10, 54));
}

#[tokio::test]
async fn changed_rules_keep_today_s_use() {
    let quotas = quotas(Arc::new(SqlQuotaStore::in_memory()), &[agent("*", 3)]);
    let ann = call("ann", "read");
    assert_eq!(passing(&quotas, 9, &ann).await, 3);
    quotas.set_rules(&[agent("an*", 5)], &[]);
    assert_eq!(passing(&quotas, 9, &ann).await, 2);
    quotas.set_rules(&[], &[]);
    assert!(quotas.is_empty());
    assert_eq!(passing(&quotas, 9, &ann).await, 9);
}

#[tokio::test]
async fn the_used_units_of_a_day_are_listed_by_subject() {
    for database in databases(SqlQuotaStore::SCHEMA).await {
        let store = SqlQuotaStore::new(database.here.clone());
        let files = rule(LimitedParty::Server("files".into()), 9).per_agent();
        let quotas = quotas(Arc::new(store.clone()), &[agent("*", 9), files]);
        assert_eq!(passing(&quotas, 2, &call("ann", "read")).await, 2);
        assert_eq!(passing(&quotas.clone().at(next_day), 1, &call("bob", "read")).await, 1);
        let listed = async |number| {
            let mut used = store.used_on(day(number)).await.unwrap();
            used.sort_by(|a, b| a.key.cmp(&b.key));
            let words = used.iter().map(|UsedQuota { key, units }| {
                format!("{} {} {} {}: {units}", key.party, key.caller, key.server, key.tool)
            });
            words.collect::<Vec<_>>()
        };
        assert_eq!(listed(15).await, ["agent ann  : 2", "server ann files : 2"]);
        assert_eq!(listed(16).await, ["agent bob  : 1", "server bob files : 1"]);
        assert_eq!(listed(17).await, [""; 0]);
    }
}

#[tokio::test]
async fn units_written_by_hand_are_listed_as_used_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("quota.sqlite3");
    let store = SqlQuotaStore::open(&path).unwrap();
    let rules = [agent("*", 3)];
    assert_eq!(passing(&quotas(Arc::new(store.clone()), &rules), 1, &call("ann", "read")).await, 1);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("UPDATE quotas SET used = -5", []).unwrap();
    let copy = "INSERT INTO quotas SELECT day, 'team', caller, server, tool, 1 FROM quotas";
    connection.execute(copy, []).unwrap();
    let usage = rule_usage(&rules, store.used_on(day(15)).await.unwrap(), 9);
    let units: Vec<_> = usage[0].largest.iter().map(|used| used.units).collect();
    assert_eq!(units, [3], "and the row of an unknown kind of subject is left out");
}

/// A store whose disk is missing.
#[derive(Debug)]
struct BrokenStore;

#[async_trait]
impl QuotaStore for BrokenStore {
    async fn spend(&self, _: Date, _: Vec<QuotaShare>, _: u64) -> Result<SpendOutcome, StoreError> {
        Err(StoreError::new("disk on fire"))
    }

    async fn give_back(&self, _: Date, _: Vec<QuotaKey>, _: u64) -> Result<(), StoreError> {
        Err(StoreError::new("disk on fire"))
    }

    async fn used(&self, _: Date, _: Vec<QuotaKey>) -> Result<Vec<u64>, StoreError> {
        Err(StoreError::new("disk on fire"))
    }
}

#[tokio::test]
async fn while_units_cannot_be_counted_no_limited_call_passes() {
    let quotas = quotas(Arc::new(BrokenStore), &[agent("ann", 3)]);
    for refusal in [
        look(&quotas, &call("ann", "read")).await.unwrap_err(),
        spend(&quotas, &call("ann", "read")).await.unwrap_err(),
    ] {
        let error = refusal.as_error().unwrap();
        assert_eq!(error.code, 3001);
        assert!(error.message.contains("quotas cannot be counted") && error.message.contains("disk on fire"));
        assert!(Recovery::from_error(error).unwrap().retryable, "nothing was sent");
    }
    spend(&quotas, &call("bob", "read")).await.unwrap();
}

#[tokio::test]
async fn a_file_edited_by_hand_never_gives_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("quota.sqlite3");
    let quotas = quotas(Arc::new(SqlQuotaStore::open(&path).unwrap()), &[agent("*", 3)]);
    assert_eq!(passing(&quotas, 1, &call("ann", "read")).await, 1);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("UPDATE quotas SET used = -5", []).unwrap();
    assert_eq!(passing(&quotas, 1, &call("ann", "read")).await, 0);
}

#[tokio::test]
async fn a_clock_that_was_ahead_gives_no_units_back() {
    for (_database, store) in stores().await {
        let quotas = quotas(store, &[agent("*", 3)]);
        assert_eq!(passing(&quotas, 3, &call("ann", "read")).await, 3);
        assert_eq!(passing(&quotas.clone().at(days_later), 1, &call("bob", "read")).await, 1);
        assert_eq!(passing(&quotas, 1, &call("ann", "read")).await, 0, "it is the same day as before");
    }
}

#[tokio::test]
async fn only_the_latest_days_are_kept() {
    for (_database, store) in stores().await {
        // One that comes late, as with a clock that is behind, is kept as long as it is the current one.
        for number in [10, 11, 12, 13, 14, 9] {
            store.spend(day(number), vec![share(0)], 1).await.unwrap();
        }
        let mut used = Vec::new();
        for number in 8..=14 {
            used.extend(store.used(day(number), vec![share(0).key]).await.unwrap());
        }
        assert_eq!(used, [0, 1, 0, 0, 1, 1, 1]);
        assert_eq!(used.iter().filter(|used| **used > 0).count(), KEPT_DAYS + 1);
    }
}

#[tokio::test]
async fn a_day_forgets_nothing_of_itself() {
    for days in [[10, 11, 12, 13], [11, 12, 13, 10]] {
        for (_database, store) in stores().await {
            for number in days {
                // The second one finds a row of its own day.
                store.spend(day(number), vec![share(0)], 1).await.unwrap();
                store.spend(day(number), vec![share(1)], 1).await.unwrap();
            }
            for number in days {
                let used = store.used(day(number), vec![share(0).key, share(1).key]).await.unwrap();
                assert_eq!(used, [1, 1], "{number} of {days:?}: {store:?}");
            }
        }
    }
}

#[tokio::test]
async fn spending_waits_for_another_writer_and_sees_its_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("quota.sqlite3");
    // For the time that the other process may take on a busy machine.
    set_lock_timeout(Duration::from_secs(120));
    let store = Arc::new(SqlQuotaStore::open(&path).unwrap());
    assert_eq!(store.spend(day(15), vec![share(0)], 1).await.unwrap(), SpendOutcome::Spent);
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; UPDATE quotas SET used = 9").unwrap();
    let spending = tokio::spawn({
        let store = store.clone();
        async move { store.spend(day(15), vec![share(0)], 1).await }
    });
    // Time to begin the wait. A later wait sees what was written all the same.
    tokio::time::sleep(Duration::from_millis(100)).await;
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(spending.await.unwrap().unwrap(), SpendOutcome::Exhausted { at: 0, used: 9 });
}

/// Returns a share of one server's quota.
fn share(server: usize) -> QuotaShare {
    let server = format!("s{server}");
    QuotaShare {
        key: QuotaKey { party: "server", caller: String::new(), server, tool: String::new() },
        limit: 9,
    }
}

#[tokio::test]
async fn at_the_maximum_of_quotas_only_new_ones_are_refused() {
    // A hundred thousand statements would take minutes over a connection.
    let quick = |database: &Option<SharedDatabase>| {
        database.as_ref().is_none_or(|database| database.engine == "SQLite")
    };
    for (_database, store) in stores().await.into_iter().filter(|(database, _)| quick(database)) {
        let day = noon().to_zoned(jiff::tz::TimeZone::UTC).date();
        let full = (1..MAX_QUOTAS).map(share).collect();
        assert_eq!(store.spend(day, full, 1).await.unwrap(), SpendOutcome::Spent);
        let one_is_new = vec![share(1), share(MAX_QUOTAS)];
        assert_eq!(store.spend(day, one_is_new, 1).await.unwrap(), SpendOutcome::Spent);
        let error = store.spend(day, vec![share(1), share(0)], 1).await.unwrap_err();
        assert!(error.to_string().contains("100000 quotas are in use, which is the most"), "{error}");
        assert_eq!(store.spend(day, vec![share(1)], 1).await.unwrap(), SpendOutcome::Spent);
        assert_eq!(store.used(day, vec![share(1).key, share(0).key]).await.unwrap(), [3, 0]);
    }
}

/// A store that names a quota which no call has.
#[derive(Debug)]
struct WrongPlace;

#[async_trait]
impl QuotaStore for WrongPlace {
    async fn spend(&self, _: Date, _: Vec<QuotaShare>, _: u64) -> Result<SpendOutcome, StoreError> {
        Ok(SpendOutcome::Exhausted { at: 7, used: 1 })
    }

    async fn give_back(&self, _: Date, _: Vec<QuotaKey>, _: u64) -> Result<(), StoreError> {
        Ok(())
    }

    async fn used(&self, _: Date, keys: Vec<QuotaKey>) -> Result<Vec<u64>, StoreError> {
        Ok(vec![0; keys.len()])
    }
}

#[tokio::test]
async fn a_store_that_names_a_foreign_quota_is_refused() {
    let quotas = quotas(Arc::new(WrongPlace), &[agent("ann", 3)]);
    let refusal = spend(&quotas, &call("ann", "read")).await.unwrap_err();
    let error = refusal.as_error().unwrap();
    assert_eq!(error.code, 3001);
    assert!(error.message.contains("quota 7 as used up, of 1"), "{}", error.message);
}
