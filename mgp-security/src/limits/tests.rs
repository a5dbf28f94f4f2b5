//! Tests of limits.

use super::{buckets::MAX_BUCKETS, *};
use crate::testing::TestCall;
use mgp_transport::seam::{Decision, Judge, Refusal, RefusalKind, ToolCall};
use mgp_types::{
    context::{Target, ToolId},
    error::Recovery,
};
use std::{num::NonZeroU32, time::Duration};
use tokio::time::advance;

pub(super) fn number(value: u32) -> NonZeroU32 {
    NonZeroU32::new(value).unwrap()
}

pub(super) fn agent(name: &str, per_minute: u32) -> LimitRule {
    LimitRule::new(LimitedParty::Agent(name.into())).per_minute(number(per_minute))
}

pub(super) fn server(name: &str, per_minute: u32) -> LimitRule {
    LimitRule::new(LimitedParty::Server(name.into())).per_minute(number(per_minute))
}

pub(super) fn tool(server: &str, tool: &str, per_minute: u32) -> LimitRule {
    let party = LimitedParty::Tool { server: server.into(), tool: tool.into() };
    LimitRule::new(party).per_minute(number(per_minute))
}

/// Returns a call of a tool by an agent.
pub(super) fn call(agent: &str, server: &str, tool: &str) -> ToolCall {
    let mut call = TestCall::new("{}").principal(agent);
    call.call.target = Target { tool: ToolId::new(server, tool), called_as: tool.into() }.into();
    call.identified()
}

/// Judges a call by both gates.
fn judge(limits: &Limits, call: &ToolCall) -> Result<(), Refusal> {
    for decision in [CallerLimits(limits.clone()).judge(call), TargetLimits(limits.clone()).judge(call)] {
        match decision {
            Decision::Allow => {}
            Decision::Refuse(refusal) => return Err(refusal),
            other => panic!("{other:?}"),
        }
    }
    Ok(())
}

/// Returns the number of calls, of so many, that pass.
fn passing(limits: &Limits, calls: usize, call: &ToolCall) -> usize {
    (0..calls).filter(|_| judge(limits, call).is_ok()).count()
}

pub(super) fn wait_of(refusal: &Refusal) -> Duration {
    let advice = Recovery::from_error(refusal.answer.as_error().unwrap()).unwrap();
    Duration::from_millis(advice.retry_after_ms.unwrap())
}

#[tokio::test(start_paused = true)]
async fn of_two_limits_the_longer_wait_counts() {
    let limits = Limits::new(&[tool("s", "t", 1).burst(number(2)), server("s", 6).burst(number(1))]);
    let call = call("ann", "s", "t");
    assert!(judge(&limits, &call).is_ok());
    let wait = wait_of(&judge(&limits, &call).unwrap_err());
    assert_eq!(wait, Duration::from_secs(10));
    advance(wait).await;
    assert!(judge(&limits, &call).is_ok(), "the second call of the tool's burst is still there");
    advance(wait).await;
    let wait = wait_of(&judge(&limits, &call).unwrap_err());
    assert_eq!(wait, Duration::from_secs(40), "of the tool's limit, not of the server's");
    advance(wait).await;
    assert!(judge(&limits, &call).is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_call_over_the_limit_learns_when_to_return() {
    let limits = Limits::new(&[agent("ann", 2)]);
    let ann = call("ann", "files", "read");
    assert_eq!(passing(&limits, 2, &ann), 2);
    advance(Duration::from_micros(12_345_600)).await;
    let refusal = judge(&limits, &ann).unwrap_err();
    let error = refusal.answer.as_error().unwrap();
    assert_eq!((refusal.kind, error.code), (RefusalKind::RateLimit, 3000));
    // A call each 30 seconds: 17.6544 seconds are left of the first 30.
    assert_eq!(wait_of(&refusal), Duration::from_millis(17_655));
    assert_eq!(
        error.message,
        "too many calls: limits.agents.ann.requests_per_minute allows agent \"ann\" 2 requests a minute; call again in 17.7 s"
    );
    let advice = Recovery::from_error(error).unwrap();
    assert!(advice.retryable);
    let details = advice.details.unwrap();
    assert_eq!(details.text("limit").as_deref(), Some("limits.agents.ann.requests_per_minute"));
    assert_eq!(details.decode("requests_per_minute").unwrap(), Some(2));
    // Neither a moment too early nor a refused call between costs anything.
    advance(wait_of(&refusal) - Duration::from_millis(1)).await;
    assert_eq!(wait_of(&judge(&limits, &ann).unwrap_err()), Duration::from_millis(1));
    advance(Duration::from_millis(1)).await;
    assert_eq!(passing(&limits, 2, &ann), 1);
}

#[tokio::test(start_paused = true)]
async fn a_burst_bounds_concurrent_calls_and_the_minute_later_ones() {
    let limits = Limits::new(&[agent("ann", 60).burst(number(3))]);
    let ann = call("ann", "files", "read");
    assert_eq!(passing(&limits, 9, &ann), 3);
    advance(Duration::from_secs(1)).await;
    assert_eq!(passing(&limits, 9, &ann), 1);
    advance(Duration::from_secs(60)).await;
    assert_eq!(passing(&limits, 9, &ann), 3, "what is not used is not saved up");
}

#[tokio::test(start_paused = true)]
async fn the_most_precise_rule_counts_each_match_separately() {
    let limits = Limits::new(&[agent("*", 1), agent("ci-*", 2), agent("ci-big", 5)]);
    for (name, allowed) in [("ann", 1), ("bob", 1), ("ci-1", 2), ("ci-2", 2), ("ci-big", 5)] {
        assert_eq!(passing(&limits, 9, &call(name, "files", "read")), allowed, "{name}");
    }
    let limits = Limits::new(&[tool("*", "*", 9), tool("f*", "read", 1), tool("files", "r*", 2)]);
    for (server, name, allowed) in
        [("files", "read", 1), ("files", "rm", 2), ("files", "ls", 9), ("g", "read", 9)]
    {
        assert_eq!(passing(&limits, 20, &call("ann", server, name)), allowed, "{server} {name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_limit_counts_all_agents_together_unless_per_agent() {
    let limits = Limits::new(&[server("files", 3)]);
    assert_eq!(passing(&limits, 2, &call("ann", "files", "read")), 2);
    assert_eq!(passing(&limits, 2, &call("bob", "files", "write")), 1);
    assert_eq!(passing(&limits, 2, &call("bob", "mail", "send")), 2, "another server");
    let limits = Limits::new(&[server("*", 2).per_agent(), tool("files", "read", 1).per_agent()]);
    for name in ["ann", "bob"] {
        assert_eq!(passing(&limits, 9, &call(name, "files", "read")), 1, "{name}");
        assert_eq!(passing(&limits, 9, &call(name, "files", "write")), 1, "{name}");
    }
    let refusal = judge(&limits, &call("bob", "files", "read")).unwrap_err();
    assert!(refusal.reason.contains(r#"limits.tools.files__read.requests_per_minute allows tool "read" of server "files" for agent "bob" 1 request a minute"#), "{}", refusal.reason);
}

#[tokio::test(start_paused = true)]
async fn only_the_caller_spends_and_not_its_principals() {
    let limits = Limits::new(&[agent("*", 1)]);
    let mut for_ann = call("bob", "files", "read");
    for_ann.principal = for_ann.principal.on_behalf_of(["ann"]);
    assert_eq!(passing(&limits, 3, &for_ann), 1);
    assert_eq!(passing(&limits, 3, &call("ann", "files", "read")), 1);
}

#[tokio::test(start_paused = true)]
async fn unchanged_rules_keep_their_state_and_changed_ones_start_full() {
    let limits = Limits::new(&[agent("ann", 2), agent("bob", 1)]);
    let (ann, bob) = (call("ann", "files", "read"), call("bob", "files", "read"));
    assert_eq!((passing(&limits, 9, &ann), passing(&limits, 9, &bob)), (2, 1));
    limits.set_rules(&[server("mail", 1), agent("ann", 2), agent("bob", 4)]);
    assert_eq!((passing(&limits, 9, &ann), passing(&limits, 9, &bob)), (0, 4));
    limits.set_rules(&[]);
    assert!(limits.is_empty());
    assert_eq!(passing(&limits, 9, &ann), 9);
}

#[tokio::test(start_paused = true)]
async fn full_buckets_are_dropped_and_excess_callers_share_one() {
    let limits = Limits::new(&[agent("*", 1)]);
    let crowd = |from: usize, to: usize| {
        (from..to).filter(|i| judge(&limits, &call(&format!("a{i}"), "files", "read")).is_ok()).count()
    };
    assert_eq!(crowd(0, MAX_BUCKETS), MAX_BUCKETS);
    assert_eq!(crowd(MAX_BUCKETS, MAX_BUCKETS + 50), 1);
    assert_eq!(limits.buckets(), MAX_BUCKETS + 1);
    assert_eq!(crowd(0, 10), 0, "those that have a bucket keep it");
    // Full again after a minute, and dropped after another.
    advance(Duration::from_secs(121)).await;
    assert_eq!(crowd(0, 10), 10);
    assert_eq!(limits.buckets(), 10);
}

#[test]
fn a_rule_s_key_is_written_as_in_the_configuration() {
    assert_eq!(agent("ci-1", 1).key(), "limits.agents.ci-1");
    assert_eq!(tool("files", "read*", 1).key(), "limits.tools.\"files__read*\"");
    assert_eq!(LimitRule::new(LimitedParty::Key("my \"key\"".into())).key(), r#"limits.keys."my \"key\"""#);
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_takes_nothing_and_is_refused_like_a_call() {
    let limits = Limits::new(&[agent("a", 1), server("s", 1)]);
    let mut dry = call("a", "s", "t");
    dry.dry_run = true;
    assert_eq!(passing(&limits, 5, &dry), 5);
    assert_eq!(passing(&limits, 5, &call("a", "s", "t")), 1);
    assert_eq!(passing(&limits, 5, &dry), 0);
}
