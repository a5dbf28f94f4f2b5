//! Tests of §5: the gate, the rules, the methods, the stores.

use super::*;
use crate::{
    audit::{AuditError, AuditSink, MemorySink, StoreFuture},
    testing::{Inner, TestCall, code},
};
use AccessDecision::{Allow, Deny};
use jiff::{SignedDuration, Timestamp};
use mgp_transport::seam::{GateLayer, Incoming, RefusalKind, Reply, Visibility};
use mgp_types::{
    access::{
        AccessChange, AccessDecision, AccessEntry, AccessSource, DefaultPolicy, EntryType, GrantAccess,
        QueryAccess, RevokeAccess,
    },
    audit::{AuditEvent, AuditEventType},
    context::{Principal, ToolId},
    json::{Nullable, RawJson},
    rpc::{Call, RawParams},
};
use std::{collections::BTreeSet, sync::Arc};
use tower::{Layer, ServiceExt};

pub(super) fn rule(agent: &str, tool: Option<&str>, permission: AccessDecision) -> AccessEntry {
    AccessEntry {
        entry_type: if tool.is_some() { EntryType::ToolGrant } else { EntryType::ServerGrant },
        agent_id: agent.into(),
        server_id: "s".into(),
        tool_name: Nullable::from(tool.map(str::to_owned)),
        permission: Some(permission),
        granted_by: Nullable::Value("admin".into()),
        granted_at: Nullable::Null,
        expires_at: Nullable::Null,
        justification: Nullable::Absent,
    }
}

pub(super) fn in_seconds(seconds: i64) -> Nullable<String> {
    Nullable::Value((Timestamp::now() + SignedDuration::from_secs(seconds)).to_string())
}

async fn control(policy: DefaultPolicy, rules: impl IntoIterator<Item = AccessEntry>) -> AccessControl {
    let control = AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await.unwrap();
    control.set_server("s", policy);
    for rule in rules {
        control.put(rule).await.unwrap();
    }
    control
}

fn judged(control: &AccessControl, agent: &str) -> (AccessDecision, AccessSource) {
    let judgement = control.check(&Principal::agent(agent), &ToolId::new("s", "t"));
    (judgement.decision, judgement.source)
}

#[tokio::test]
async fn a_tool_rule_overrides_the_server_s_and_that_the_default() {
    for (first, second) in [(Allow, Deny), (Deny, Allow)] {
        let both = [rule("a", Some("t"), first), rule("a", None, second)];
        assert_eq!(judged(&control(DefaultPolicy::OptIn, both).await, "a"), (first, AccessSource::ToolGrant));
        for policy in [DefaultPolicy::OptIn, DefaultPolicy::OptOut] {
            let server = control(policy, [rule("a", None, first)]).await;
            assert_eq!(judged(&server, "a"), (first, AccessSource::ServerGrant));
            let default = control(policy, [rule("a", Some("other"), first)]).await;
            default.add_agent("a");
            assert_eq!(judged(&default, "a"), (policy.decision(), AccessSource::DefaultPolicy));
        }
    }
}

#[tokio::test]
async fn expired_rules_do_not_count() {
    let expiring = |tool, permission, seconds| {
        let mut entry = rule("a", tool, permission);
        entry.expires_at = in_seconds(seconds);
        entry
    };
    let over = control(DefaultPolicy::OptIn, [expiring(Some("t"), Allow, -1), rule("a", None, Deny)]).await;
    assert_eq!(judged(&over, "a"), (Deny, AccessSource::ServerGrant));
    let over = control(DefaultPolicy::OptIn, [expiring(None, Allow, -1)]).await;
    assert_eq!(judged(&over, "a"), (Deny, AccessSource::DefaultPolicy));
    let holds = control(DefaultPolicy::OptIn, [expiring(Some("t"), Allow, 60)]).await;
    assert_eq!(judged(&holds, "a"), (Allow, AccessSource::ToolGrant));
}

#[tokio::test]
async fn a_rule_ends_at_its_time() {
    let end: Timestamp = "2026-03-01T00:00:00Z".parse().unwrap();
    let mut entry = rule("a", None, Allow);
    entry.expires_at = Nullable::Value(end.to_string());
    let snapshot = control(DefaultPolicy::OptIn, [entry]).await.snapshot();
    let allowed = |now: Timestamp| snapshot.judge("a", "s", None, || now).allows();
    assert!(allowed(end - SignedDuration::from_nanos(1)));
    assert!(!allowed(end));
    assert!(snapshot.knows("a", || end - SignedDuration::from_nanos(1)));
    assert!(!snapshot.knows("a", || end), "an ended rule makes nobody known");
}

#[tokio::test]
async fn a_rule_with_an_unreadable_end_never_allows() {
    for (permission, expected) in
        [(Allow, (Deny, AccessSource::DefaultPolicy)), (Deny, (Deny, AccessSource::ToolGrant))]
    {
        let mut entry = rule("a", Some("t"), permission);
        entry.expires_at = Nullable::Value("soon".into());
        assert_eq!(judged(&control(DefaultPolicy::OptIn, [entry]).await, "a"), expected);
    }
}

#[tokio::test]
async fn unknown_agents_and_servers_are_denied_by_any_default() {
    let control = control(DefaultPolicy::OptOut, [rule("a", Some("other"), Allow)]).await;
    assert_eq!(judged(&control, "a").0, Allow, "a rule lets it do something");
    assert_eq!(judged(&control, "b").0, Deny);
    control.add_agent("b");
    assert_eq!(judged(&control, "b").0, Allow, "the configuration names it");
    control.put(rule("a", None, Allow)).await.unwrap();
    control.remove_server("s");
    assert_eq!(judged(&control, "a").0, Deny);
}

#[tokio::test]
async fn a_denying_or_expired_rule_does_not_make_an_agent_known() {
    let on_another_server = |permission, expires_at| AccessEntry {
        server_id: "other".into(),
        expires_at,
        ..rule("a", None, permission)
    };
    for (permission, expires_at, expected) in [
        (Deny, Nullable::Null, Deny),
        (Deny, in_seconds(60), Deny),
        (Allow, in_seconds(-1), Deny),
        (Allow, Nullable::Value("soon".into()), Deny),
        (Allow, in_seconds(60), Allow),
        (Allow, Nullable::Null, Allow),
    ] {
        let control =
            control(DefaultPolicy::OptOut, [on_another_server(permission, expires_at.clone())]).await;
        assert_eq!(judged(&control, "a").0, expected, "{permission:?} until {expires_at:?}");
        let view = control.view(&Principal::agent("a"));
        assert_eq!(view.sees_all_tools("s"), Some(expected == Allow));
        control.put(rule("a", Some("x"), Deny)).await.unwrap();
        assert_eq!(judged(&control, "a").0, expected, "a denial changes nothing for other tools");
        control.add_agent("a");
        assert_eq!(judged(&control, "a").0, Allow, "the configuration names it");
    }
}

#[tokio::test]
async fn a_chain_sees_only_what_all_of_it_see() {
    let control = control(
        DefaultPolicy::OptIn,
        [rule("a", None, Allow), rule("b", None, Allow), rule("c", Some("t"), Allow)],
    )
    .await;
    let view = |chain: &[&str]| control.view(&Principal::agent("a").on_behalf_of(chain.iter().copied()));
    for (chain, sees, sees_server, all) in [
        (&[][..], true, true, Some(true)),
        (&["b"], true, true, Some(true)),
        (&["b", "c"], true, false, None),
        (&["c", "nobody"], false, false, Some(false)),
    ] {
        let view = view(chain);
        let seen = (view.sees(&ToolId::new("s", "t")), view.sees_server("s"), view.sees_all_tools("s"));
        assert_eq!(seen, (sees, sees_server, all), "{chain:?}");
    }
}

async fn called(control: &AccessControl, call: TestCall) -> (Option<i64>, usize) {
    let inner = Inner::new();
    let reply =
        GateLayer::new(control.clone()).layer(inner.clone()).oneshot(call.identified()).await.unwrap();
    (code(&reply), inner.reached())
}

#[tokio::test]
async fn only_granted_calls_pass_the_gate() {
    let control = control(DefaultPolicy::OptIn, [rule("a", Some("t"), Allow)]).await;
    assert_eq!(called(&control, TestCall::new("{}").principal("a")).await, (None, 1));
    let call = TestCall::new("{}").principal("b");
    let record = call.record.clone();
    assert_eq!(called(&control, call).await, (Some(1001), 0));
    assert_eq!(record.read().refusal.unwrap().kind, RefusalKind::Access);
    let refusal = control.authorize(&Principal::agent("b"), &ToolId::new("s", "t")).unwrap_err();
    let refusal = refusal.of_call("s__t");
    for named in ["agent \"b\"", "tool \"s__t\"", "default_policy"] {
        assert!(refusal.contains(named), "{named}: {refusal}");
    }
}

#[tokio::test]
async fn a_delegated_call_needs_the_rights_of_everybody_in_the_chain() {
    let control = control(DefaultPolicy::OptIn, [rule("a", None, Allow), rule("b", None, Allow)]).await;
    let delegated = |caller: &str, chain: &[&str]| {
        let principal = Principal::agent(caller).on_behalf_of(chain.iter().copied());
        TestCall { principal, ..TestCall::new("{}") }
    };
    assert_eq!(called(&control, delegated("a", &["b"])).await, (None, 1));
    assert_eq!(called(&control, delegated("a", &["b", "c"])).await, (Some(1001), 0));
    assert_eq!(called(&control, delegated("c", &["a", "b"])).await, (Some(1001), 0));
}

#[tokio::test]
async fn a_view_shows_tools_that_may_be_called() {
    let control = control(DefaultPolicy::OptOut, [rule("a", None, Allow), rule("b", Some("t"), Deny)]).await;
    control.add_agent("b");
    let (a, b) = (control.view(&Principal::agent("a")), control.view(&Principal::agent("b")));
    assert!(a.sees(&ToolId::new("s", "t")) && a.sees_server("s"));
    assert!(!b.sees(&ToolId::new("s", "t")) && b.sees(&ToolId::new("s", "u")) && !b.sees_server("s"));
    assert!(!a.sees(&ToolId::new("x", "t")) && !a.sees_server("x"));
    control.remove(AccessKey::from(&rule("a", None, Allow))).await.unwrap();
    assert!(a.sees_server("s"), "a view is of one moment");
}

#[tokio::test]
async fn an_agent_may_use_a_server_by_a_rule_for_it_or_its_tool() {
    let over = AccessEntry { expires_at: in_seconds(-1), ..rule("late", Some("t"), Allow) };
    let rules = [
        rule("all", None, Allow),
        rule("one", Some("t"), Allow),
        rule("one", Some("u"), Deny),
        rule("none", Some("t"), Deny),
        over,
    ];
    let control = control(DefaultPolicy::OptIn, rules).await;
    let allows = |agent: &str| control.allows_some(&Principal::agent(agent), "s");
    assert!(allows("all") && allows("one"));
    for agent in ["none", "late", "stranger"] {
        assert!(!allows(agent), "{agent}");
    }
    assert!(!control.allows_some(&Principal::agent("all"), "another"));
}

#[tokio::test]
async fn a_view_answers_for_a_server_only_if_its_tools_are_alike() {
    let expired = AccessEntry { expires_at: in_seconds(-1), ..rule("a", None, Allow) };
    for (policy, rules, expected) in [
        (DefaultPolicy::OptIn, vec![rule("a", None, Allow)], Some(true)),
        (DefaultPolicy::OptOut, vec![rule("a", None, Deny)], Some(false)),
        (DefaultPolicy::OptIn, vec![expired], Some(false)),
        (DefaultPolicy::OptIn, vec![rule("a", None, Allow), rule("a", Some("t"), Deny)], None),
        (DefaultPolicy::OptIn, vec![rule("a", Some("t"), Allow)], None),
        (DefaultPolicy::OptIn, vec![rule("b", Some("t"), Allow)], Some(false)),
        (DefaultPolicy::OptOut, vec![rule("b", Some("t"), Deny)], Some(true)),
    ] {
        let control = control(policy, rules).await;
        control.add_agent("a");
        let view = control.view(&Principal::agent("a"));
        assert_eq!(view.sees_all_tools("s"), expected);
        if let Some(all) = expected {
            assert!(["t", "u"].iter().all(|tool| view.sees(&ToolId::new("s", *tool)) == all));
        }
        assert_eq!(view.sees_all_tools("unknown"), Some(false));
    }
}

fn params(json: &str) -> RawParams {
    RawParams::from(RawJson::parse(json.to_owned()).unwrap())
}

const GRANT: &str = r#"{"entry_type":"tool_grant","agent_id":"a","server_id":"s","tool_name":"t","permission":"allow","granted_by":"mallory","justification":"work"}"#;
const REVOKE: &str = r#"{"entry_type":"tool_grant","agent_id":"a","server_id":"s","tool_name":"t"}"#;
const METHODS: [&str; 3] = [QueryAccess::METHOD, GrantAccess::METHOD, RevokeAccess::METHOD];
const QUERY: &str = r#"{"agent_id":"a","server_id":"s","tool_name":"t"}"#;

async fn answer(
    methods: &AccessMethods,
    caller: &Principal,
    method: &'static str,
    params: RawParams,
) -> Reply {
    let mut message = Incoming::request(1, method, params);
    message.ext.insert(caller.clone());
    AccessMethods::routes().with_state(methods.clone()).oneshot(message).await.unwrap()
}

#[tokio::test]
async fn grant_query_and_revoke_take_effect_and_are_audited() {
    let control = control(DefaultPolicy::OptIn, []).await;
    let sink = MemorySink::new(10);
    let methods = AccessMethods::new(control.clone(), Arc::new(sink.clone()));
    let admin = Principal::operator("root");
    let answer = async |method: &'static str, json: &str| {
        answer(&methods, &admin, method, params(json)).await.result().unwrap().as_str().to_owned()
    };
    let granted: AccessChange = serde_json::from_str(&answer("mgp/access/grant", GRANT).await).unwrap();
    assert_eq!(granted.entry.granted_by, Nullable::Value("root".into()), "the caller, not the request");
    assert_eq!(judged(&control, "a"), (Allow, AccessSource::ToolGrant));
    let queried = answer("mgp/access/query", QUERY).await;
    assert!(
        queried.starts_with(r#"{"permission":"allow","source":"tool_grant","granted_by":"root","#),
        "{queried}"
    );
    assert!(answer("mgp/access/revoke", REVOKE).await.starts_with(r#"{"status":"revoked","#));
    assert!(answer("mgp/access/revoke", REVOKE).await.starts_with(r#"{"status":"not_found","#));
    assert_eq!(judged(&control, "a").0, Deny);
    let types: Vec<_> = sink.events().into_iter().map(|event| (event.event_type, event.actor.id)).collect();
    let expected = [
        AuditEventType::from("dev.cloto.mgp.CHANGE_INTENDED"),
        AuditEventType::AccessGranted,
        AuditEventType::AccessRevoked,
    ];
    assert_eq!(types, expected.map(|event_type| (event_type, "root".to_owned())));
}

#[tokio::test]
async fn a_denying_rule_is_recorded_as_revoked_access() {
    let sink = MemorySink::new(10);
    let methods = AccessMethods::new(control(DefaultPolicy::OptOut, []).await, Arc::new(sink.clone()));
    for permission in ["allow", "deny"] {
        let params = format!(
            r#"{{"entry_type":"server_grant","agent_id":"a","server_id":"s","permission":"{permission}"}}"#
        );
        methods.grant(&Principal::operator("root"), serde_json::from_str(&params).unwrap()).await.unwrap();
    }
    let mut events = sink.events();
    events.retain(|event| event.event_type.as_str() != "dev.cloto.mgp.CHANGE_INTENDED");
    let told: Vec<_> = events
        .into_iter()
        .map(|event| (event.event_type, event.details.unwrap().text("permission").unwrap()))
        .collect();
    let expected = [
        (AuditEventType::AccessGranted, "allow".to_owned()),
        (AuditEventType::AccessRevoked, "deny".to_owned()),
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_second_grant_replaces_the_first() {
    let control =
        control(DefaultPolicy::OptIn, [rule("a", Some("t"), Allow), rule("a", Some("t"), Deny)]).await;
    assert_eq!(judged(&control, "a"), (Deny, AccessSource::ToolGrant));
    assert_eq!(control.entries().await.unwrap().len(), 1);
}

#[tokio::test]
async fn only_admins_are_answered() {
    let sink = MemorySink::new(10);
    let control = control(DefaultPolicy::OptIn, []).await;
    let methods = AccessMethods::new(control.clone(), Arc::new(sink.clone()));
    for (method, json) in METHODS.into_iter().zip([QUERY, GRANT, REVOKE]) {
        let reply = answer(&methods, &Principal::agent("a"), method, params(json)).await;
        assert_eq!(code(&reply), Some(1000), "{method}");
    }
    assert_eq!((sink.events().len(), control.entries().await.unwrap().len()), (0, 0));
}

#[tokio::test]
async fn an_invalid_rule_is_refused_by_its_field() {
    let methods = AccessMethods::new(control(DefaultPolicy::OptIn, []).await, Arc::new(MemorySink::new(1)));
    let long = "x".repeat(300);
    for (from, to, expected, named) in [
        (r#""t""#, "null", 4000, "tool_name"),
        (r#","tool_name":"t""#, "", 4000, "tool_name"),
        (r#""a""#, r#""""#, 4000, "agent_id"),
        (r#""s""#, &format!("{long:?}"), 4000, "server_id"),
        (r#""work""#, r#""x","expires_at":"soon""#, 4000, "expires_at"),
        (r#""work""#, r#""x","expires_at":"2001-01-01T00:00:00Z""#, 4000, "expires_at"),
        (r#""allow""#, r#""maybe""#, -32602, "maybe"),
        (r#""tool_grant""#, r#""all_grant""#, -32602, "all_grant"),
    ] {
        let grant = params(&GRANT.replacen(from, to, 1));
        let reply = answer(&methods, &Principal::operator("root"), "mgp/access/grant", grant).await;
        let error = reply.as_error().unwrap();
        assert!(error.code == expected && error.message.contains(named), "{to}: {error}");
    }
}

#[tokio::test]
async fn names_and_justifications_have_a_maximum_length() {
    let methods = AccessMethods::new(control(DefaultPolicy::OptIn, []).await, Arc::new(MemorySink::new(10)));
    for (from, longest) in [(r#""a""#, 256), (r#""s""#, 256), (r#""t""#, 256), (r#""work""#, 4096)] {
        for (length, expected) in [(longest, None), (longest + 1, Some(4000))] {
            let grant = GRANT.replacen(from, &format!("{:?}", "x".repeat(length)), 1);
            let reply =
                answer(&methods, &Principal::operator("root"), "mgp/access/grant", params(&grant)).await;
            assert_eq!(code(&reply), expected, "{from} of {length} bytes");
        }
    }
}

#[derive(Debug)]
struct FullDisk;

impl AuditSink for FullDisk {
    fn record(&self, _: AuditEvent) -> StoreFuture {
        StoreFuture::ready(Err(AuditError::new("disk full")))
    }
}

#[tokio::test]
async fn a_grant_needs_its_audit_event_and_a_revocation_does_not() {
    let control = control(DefaultPolicy::OptIn, []).await;
    let methods = AccessMethods::new(control.clone(), Arc::new(FullDisk));
    let admin = Principal::operator("root");
    assert_eq!(code(&answer(&methods, &admin, "mgp/access/grant", params(GRANT)).await), Some(-32603));
    assert_eq!(judged(&control, "a").0, Deny);
    control.put(rule("a", Some("t"), Allow)).await.unwrap();
    assert_eq!(code(&answer(&methods, &admin, "mgp/access/revoke", params(REVOKE)).await), Some(-32603));
    assert_eq!(judged(&control, "a").0, Deny);
}

#[tokio::test]
async fn only_changed_rules_are_notified() {
    let control = control(DefaultPolicy::OptIn, []).await;
    let mut told = control.changes();
    let mut news = || {
        let news = told.has_changed().unwrap();
        told.mark_unchanged();
        news
    };
    control.put(rule("a", None, Allow)).await.unwrap();
    assert!(news());
    control.put(rule("a", None, Allow)).await.unwrap();
    assert!(!news());
    control.remove(AccessKey::from(&rule("a", None, Allow))).await.unwrap();
    assert!(news());
}

#[tokio::test]
async fn a_memory_store_never_repeats_a_version() {
    let store = SqlAccessStore::in_memory();
    let mut versions = BTreeSet::from([store.version().await.unwrap()]);
    for _ in 0..2 {
        store.put(rule("a", None, Allow)).await.unwrap();
        assert!(versions.insert(store.version().await.unwrap()));
        store.remove(AccessKey::from(&rule("a", None, Allow))).await.unwrap();
        assert!(versions.insert(store.version().await.unwrap()));
    }
}

#[tokio::test(start_paused = true)]
async fn another_process_s_grant_applies_within_a_moment() {
    let store = Arc::new(SqlAccessStore::in_memory());
    let (here, there) = (
        AccessControl::open(store.clone()).await.unwrap(),
        AccessControl::open(store.clone()).await.unwrap(),
    );
    here.set_server("s", DefaultPolicy::OptIn);
    tokio::time::sleep(std::time::Duration::from_millis(250)).await;
    there.put(rule("a", Some("t"), Allow)).await.unwrap();
    assert_eq!(judged(&here, "a").0, Deny);
    tokio::time::sleep(std::time::Duration::from_millis(150)).await;
    assert_eq!(judged(&here, "a").0, Allow);
    drop((here, there));
    tokio::time::sleep(std::time::Duration::from_millis(150)).await;
    assert_eq!(Arc::strong_count(&store), 1);
}
