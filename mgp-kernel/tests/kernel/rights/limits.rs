//! Limits on how often agents, keys, servers and tools are called.

use crate::{
    raw_host::{As, ERAS, RawHost, all},
    support::{Setup, code, full, json, number, pause_clock, rule, spec, start, within},
};
use mgp_client_sdk::client::{CallOptions, Client, RetryPolicy};
use mgp_discovery::config::Config;
use mgp_kernel::{Era, Stores};
use mgp_security::limits::lease::{LeaseStore, SqlLeaseStore, SqlStore as _};
use mgp_transport::{
    http::{client::HttpClientConfig, server::ApiKey},
    seam::CallError,
};
use mgp_types::{
    access::{AccessDecision, DefaultPolicy},
    context::Principal,
    error::{ErrorCode, Recovery},
    idempotency::IdempotencyKey,
    json::RawJson,
    tool_security::Confirmation,
};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

/// The time in which a limit of two calls a minute gives one back.
const HALF_A_MINUTE: Duration = Duration::from_secs(30);

fn config(text: &str) -> Config {
    Config::parse("mgp.toml".as_ref(), text.as_bytes(), &|_| None).unwrap()
}

fn one() -> RawJson {
    json(r#"{"a":1,"b":1}"#)
}

#[tokio::test]
async fn the_third_call_with_two_a_minute_is_refused_by_every_way() {
    let configured = config("[limits.agents.\"agent.*\"]\nrequests_per_minute = 2");
    let setup =
        start(|kernel, signals| kernel.configure(&configured).unwrap().server(spec("test", signals))).await;
    let host = setup.host().await;
    let _paused = pause_clock();
    within(host.call_tool("add", one())).await.unwrap();
    within(host.call_tool("add", one())).await.unwrap();
    let through = json(r#"{"name":"add","arguments":{"a":1,"b":1}}"#);
    for (name, arguments) in [("add", one()), ("test__add", one()), ("mgp_tools_call", through)] {
        let error = within(host.call_tool(name, arguments)).await.unwrap_err();
        assert_eq!(code(&error), number(ErrorCode::RateLimited), "{name}: {error}");
        assert!(error.to_string().contains("limits.agents.\"agent.*\".requests_per_minute"), "{error}");
    }
    let mut plain = setup.raw_host(As::plain(Era::Initialize)).await;
    let refused = plain.once("tools/call", serde_json::json!({"name": "add", "arguments": {}})).await;
    let data = &refused["error"]["data"];
    assert_eq!(
        (&data["error_type"], &data["retryable"]),
        (&"ApiLimitExceeded".into(), &true.into()),
        "{refused}"
    );
    assert!((25..=30).contains(&data["retry_after_seconds"].as_u64().unwrap()), "{refused}");
    let blocked = "TOOL_BLOCKED BLOCKED test.add";
    let ran = "TOOL_EXECUTED SUCCESS test.add";
    assert_eq!(setup.calls(), [ran, ran, blocked, blocked, blocked, blocked]);
}

/// Returns the `retry_after_ms` of a refusal by a limit.
fn retry_after(error: &CallError) -> Duration {
    assert_eq!(code(error), number(ErrorCode::RateLimited), "{error}");
    let CallError::Peer(error) = error else { panic!("{error}") };
    Duration::from_millis(Recovery::from_error(error).unwrap().retry_after_ms.unwrap())
}

#[tokio::test]
async fn the_refused_third_call_gets_the_wait_within_50_ms() {
    let configured = config("[limits.agents.\"*\"]\nrequests_per_minute = 2");
    let setup =
        start(|kernel, signals| kernel.configure(&configured).unwrap().server(spec("test", signals))).await;
    let host = setup.host().await;
    tokio::time::pause();
    // The time at which a call was counted lies between the moments before and after it.
    let call = async || {
        let before = Instant::now();
        let answer = host.call_tool("add", one()).await;
        (answer, before, Instant::now())
    };
    let (first, from, to) = call().await;
    first.unwrap();
    call().await.0.unwrap();
    for pause in [Duration::ZERO, Duration::from_millis(1), Duration::from_millis(12_345)] {
        tokio::time::advance(pause).await;
        let (refused, before, after) = call().await;
        let told = retry_after(&refused.unwrap_err());
        let (earliest, latest) = (from + HALF_A_MINUTE - after, to + HALF_A_MINUTE - before);
        let slack = Duration::from_millis(50);
        assert!(earliest <= told + slack && told <= latest + slack, "{told:?}: {earliest:?} to {latest:?}");
        assert!(latest - earliest < Duration::from_secs(1), "the clock stands still while a call is made");
    }
    let (refused, ..) = call().await;
    tokio::time::advance(retry_after(&refused.unwrap_err())).await;
    call().await.0.unwrap();
    retry_after(&call().await.0.unwrap_err());
}

#[tokio::test]
async fn a_hidden_tool_answers_like_an_absent_one_whatever_its_limits() {
    for era in ERAS {
        let setup = start(|kernel, signals| {
            let mut spec = spec("test", signals);
            spec.default_policy = DefaultPolicy::OptIn;
            kernel
                .server(spec)
                .configure(&config(
                    "[limits.servers.\"*\"]\nrequests_per_minute = 1\n[access]\nconceal = true",
                ))
                .unwrap()
        })
        .await;
        setup.kernel.access().put(rule("test", Some("add"), AccessDecision::Allow)).await.unwrap();
        let mut host = setup.raw_host(As::plain(era)).await;
        let mut answers = async |name: &str| {
            let mut answer = host
                .once("tools/call", serde_json::json!({"name": name, "arguments": {"a": 1, "b": 1}}))
                .await;
            answer.as_object_mut().unwrap().remove("id");
            answer["error"]["data"].as_object_mut().map(|data| data.remove("trace_id"));
            answer.to_string().replace(name, "TOOL")
        };
        let before = (answers("count").await, answers("absent").await);
        assert!(answers("add").await.contains("result"));
        assert!(answers("add").await.contains("ApiLimitExceeded"));
        assert_eq!((answers("count").await, answers("absent").await), before);
        assert_eq!(before.0, before.1);
    }
}

#[tokio::test]
async fn each_named_key_of_one_agent_has_its_own_limit() {
    let setup = start(|kernel, signals| {
        let limited = config("[limits.keys.\"*\"]\nrequests_per_minute = 1");
        kernel.server(spec("test", signals)).configure(&limited).unwrap()
    })
    .await;
    let keys: Vec<_> = (0..2).map(|_| ApiKey::generate().unwrap()).collect();
    let builder = keys.iter().zip(["one", "two"]).fold(setup.kernel.http(), |builder, ((_, key), name)| {
        builder.named_api_key(name, key.clone(), Principal::agent("agent.test"))
    });
    let serving = builder.build().bind("127.0.0.1:0").await.unwrap();
    let url = serving.url();
    for ((text, _), name) in keys.iter().zip(["one", "two"]) {
        let config = HttpClientConfig { bearer: Some(text.clone()), ..HttpClientConfig::default() };
        let host =
            within(Client::builder("host", "1").retries(RetryPolicy::never()).connect_http(&url, config))
                .await
                .unwrap();
        within(host.call_tool("add", one())).await.unwrap();
        let error = within(host.call_tool("add", one())).await.unwrap_err();
        assert_eq!(code(&error), number(ErrorCode::RateLimited));
        assert!(
            error.to_string().contains(&format!("allows the API key \"{name}\" 1 request a minute")),
            "{error}"
        );
    }
    serving.shutdown().await;
}

#[tokio::test]
async fn a_reload_adds_and_removes_limits_and_keeps_used_units() {
    let limited =
        |per_minute: u32| config(&format!("[limits.tools.\"te*__add\"]\nrequests_per_minute = {per_minute}"));
    let setup =
        start(|kernel, signals| kernel.configure(&config("")).unwrap().server(spec("test", signals))).await;
    let host = setup.host().await;
    let passes = async |calls: usize| {
        let mut passed = 0;
        for _ in 0..calls {
            passed += usize::from(within(host.call_tool("add", one())).await.is_ok());
        }
        passed
    };
    let reload = async |config: &Config| {
        within(setup.kernel.reconfigure(config, &Principal::operator("ann"))).await.unwrap().applied
    };
    assert_eq!(passes(4).await, 4);
    let applied = reload(&limited(2)).await;
    assert_eq!(applied, ["limits.tools.te*__add.per_agent", "limits.tools.te*__add.requests_per_minute"]);
    assert_eq!(passes(4).await, 2);
    let mut other = limited(2);
    other.limits.agents = config("[limits.agents.x]\nrequests_per_minute = 1").limits.agents;
    reload(&other).await;
    assert_eq!(passes(4).await, 0, "another limit refilled this one");
    reload(&limited(3)).await;
    assert_eq!(passes(4).await, 3);
    reload(&config("")).await;
    assert_eq!(passes(4).await, 4);
}

/// Makes 64 calls at once through two kernels that share their state. Returns the number of those that pass; the others get the error.
async fn passing_of_64(configured: &Config, refused: ErrorCode) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let state = crate::engine::state(folder.path()).await;
    // With SQLite, each kernel would count for itself.
    let shared: Arc<dyn LeaseStore> = match state.limits() {
        Some(store) => Arc::new(store),
        None => Arc::new(SqlLeaseStore::in_memory()),
    };
    let mut kernels = Vec::new();
    for _ in 0..2 {
        let stores = Stores { limits: Some(shared.clone()), ..state.stores().await.unwrap() };
        kernels.push(
            start(|kernel, signals| {
                kernel.configure(configured).unwrap().stores(stores).server(spec("test", signals))
            })
            .await,
        );
    }
    let hosts = [Arc::new(kernels[0].host().await), Arc::new(kernels[1].host().await)];
    let calls: Vec<_> = (0..64)
        .map(|i| {
            let host = hosts[i % 2].clone();
            tokio::spawn(
                async move { within(host.call_tool("add", one())).await.map_err(|error| code(&error)) },
            )
        })
        .collect();
    let mut outcomes = Vec::new();
    for call in calls {
        outcomes.push(call.await.unwrap().map(drop));
    }
    let passed = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert!(
        outcomes.iter().all(|outcome| outcome.is_ok() || *outcome == Err(number(refused))),
        "{outcomes:?}"
    );
    let ran = |setup: &Setup| setup.calls().iter().filter(|call| call.starts_with("TOOL_EXECUTED")).count();
    assert_eq!(kernels.iter().map(ran).sum::<usize>(), passed);
    passed
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_of_64_calls_through_two_kernels_pass_a_limit_of_ten() {
    let a_day = config("[limits.agents.\"*\"]\nunits_per_day = 10");
    assert_eq!(passing_of_64(&a_day, ErrorCode::QuotaExceeded).await, 10);
    let a_minute = config("[limits.agents.\"*\"]\nrequests_per_minute = 1\nburst = 10");
    let began = Instant::now();
    let passed = passing_of_64(&a_minute, ErrorCode::RateLimited).await;
    let minutes = usize::try_from(began.elapsed().as_secs() / 60).unwrap();
    assert!((10..=10 + minutes).contains(&passed), "{passed} passed in {minutes} min");
}

#[tokio::test]
async fn nobody_is_asked_about_a_call_without_quota_and_lists_show_it() {
    let configured = config(
        "[limits.tools.\"te*__add\"]\nunits_per_day = 3\n[limits.costs]\n\"te*__a*\" = 2\n[limits.servers.\"x*\"]\nunits_per_day = 1",
    );
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.confirmation = Some(Confirmation::Always);
        kernel.configure(&configured).unwrap().config(full).server(spec)
    })
    .await;
    let mut host = setup.raw_host(As::plain(Era::Initialize).can(all())).await;
    host.says(|_, _| Ok(serde_json::json!({"action": "accept", "content": {"decision": "once"}})));
    let left = async |host: &mut RawHost| {
        let listed = host.get("tools/list", serde_json::json!({})).await;
        let quota = |name: &str| {
            let tool = listed["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap();
            tool["_meta"]["dev.cloto/tool"]["quota"].clone()
        };
        assert!(quota("count").is_null(), "{listed}");
        assert!(quota("add")["resets_at"].as_str().unwrap().ends_with("T00:00:00Z"), "{listed}");
        assert_eq!((&quota("add")["limit"], &quota("add")["cost"]), (&3.into(), &2.into()), "{listed}");
        let asked = serde_json::json!({"name": "add", "arguments": {"a": 1, "b": 1}, "dry_run": true});
        let judged =
            host.get("tools/call", serde_json::json!({"name": "mgp_tools_call", "arguments": asked})).await;
        let of_dry_run = &judged["structuredContent"]["quota"];
        if judged["structuredContent"]["allowed"] == true {
            assert_eq!(*of_dry_run, quota("add"), "{judged}");
        }
        quota("add")["remaining"].as_u64().unwrap()
    };
    let call = || serde_json::json!({"name": "add", "arguments": {"a": 1, "b": 1}});
    assert_eq!(left(&mut host).await, 3);
    assert_eq!(host.ask("tools/call", call()).await["result"]["content"][0]["text"], "2");
    assert_eq!((left(&mut host).await, host.asked.len()), (1, 1));
    let question = host.asked[0].1.to_string();
    assert!(question.contains("It uses 2 of the 3 units that are left until"), "{question}");
    let refused = host.refused("tools/call", call()).await;
    let told = refused["message"].as_str().unwrap();
    assert!(told.contains("1 are left") && told.contains("the call needs 2"), "{refused}");
    assert_eq!(refused["data"]["error_type"], "ApiLimitExceeded");
    assert_eq!((left(&mut host).await, host.asked.len()), (1, 1));
}

#[tokio::test]
async fn a_call_that_its_server_does_not_accept_returns_its_units() {
    let configured = config("[limits.tools.\"te*__add\"]\nunits_per_day = 1");
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        (spec.max_concurrent, spec.call_timeout) = (1, Duration::from_secs(60));
        spec.queue_timeout = Duration::from_secs(3);
        kernel.configure(&configured).unwrap().server(spec)
    })
    .await;
    let host = setup.host().await;
    let running = host.start_tool("hang", json("{}")).await.unwrap();
    within(setup.signals.started.notified()).await;
    // From here on a minute takes no time.
    tokio::time::pause();
    // With a key, the call goes on in a task of its own.
    let keyed = CallOptions::new().idempotency_key(&IdempotencyKey::new("k").unwrap());
    for options in [CallOptions::new(), keyed.clone()] {
        let error = host.call_tool_with("add", one(), options).await.unwrap_err();
        assert_eq!(code(&error), number(ErrorCode::ResourceExhausted), "{error}");
    }
    running.reply().await.unwrap_err();
    host.call_tool_with("add", one(), keyed).await.unwrap();
    let error = host.call_tool("add", one()).await.unwrap_err();
    assert_eq!(code(&error), number(ErrorCode::QuotaExceeded), "{error}");
}

#[tokio::test]
async fn dry_runs_and_replayed_answers_spend_nothing() {
    let configured = config("[limits.agents.\"*\"]\nunits_per_day = 2\nrequests_per_minute = 5");
    let setup =
        start(|kernel, signals| kernel.configure(&configured).unwrap().server(spec("test", signals))).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let _paused = pause_clock();
    let keyed = |key: &str| serde_json::json!({"name": "add", "arguments": {"a": 1, "b": 1}, "_meta": {"idempotency_key": key}});
    for _ in 0..6 {
        let judged = host.get("mgp/tools/check", keyed("one")).await;
        assert_eq!(
            (&judged["allowed"], &judged["quota"]["remaining"]),
            (&true.into(), &2.into()),
            "{judged}"
        );
    }
    for (key, replay) in [("one", false), ("one", true), ("one", true), ("two", false)] {
        let answer = host.get("tools/call", keyed(key)).await;
        assert_eq!(answer["_meta"]["was_replay"], replay, "{key} {answer}");
    }
    let judged = host.get("mgp/tools/check", keyed("three")).await;
    assert_eq!(judged["error"]["code"], number(ErrorCode::QuotaExceeded), "{judged}");
    let refused = host.refused("tools/call", keyed("three")).await;
    assert_eq!(refused["code"], number(ErrorCode::QuotaExceeded), "{refused}");
    let judged = host.get("mgp/tools/check", keyed("three")).await;
    assert_eq!(judged["error"]["code"], number(ErrorCode::RateLimited), "{judged}");
}
