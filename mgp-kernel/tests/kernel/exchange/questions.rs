//! Questions of servers to hosts: the features that may be asked for, the host that is asked, and the difference from the kernel's
//! own questions.

use crate::{
    exchange::result_secrets::token,
    features::eras::{self, events, everything},
    raw_host::{As, ERAS, RawHost},
    raw_server::{HALF, RawServer, result, says, text},
    support::{Setup, agents, pause_clock, server_rule, start},
};
use mgp_discovery::config::HostFeature;
use mgp_kernel::{Era, SecretPolicy};
use mgp_security::profile::Confirmation;
use mgp_types::{
    access::DefaultPolicy,
    context::{ActorType, Principal},
};
use serde_json::{Value, json};
use std::time::Duration;

const HOST_ASKED: &str = "dev.cloto.mgp.HOST_ASKED";

/// Returns a legacy server whose tool asks by a request of its own, and answers its caller with the reply.
fn asking(method: &'static str, params: Value) -> RawServer {
    let call = parking_lot::Mutex::new(Value::Null);
    RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| match message["method"].as_str() {
        Some("tools/call") => {
            *call.lock() = message.clone();
            Some(vec![says(Some(77), method, params.clone())])
        }
        None if message["id"] == 77 => Some(vec![text(&call.lock(), &message.to_string())]),
        _ => None,
    })
}

/// Returns the same kind of server in the stateless era: it asks in rounds, whatever capabilities it was told of.
fn asking_in_rounds(method: &'static str, params: Value) -> RawServer {
    RawServer::new(Era::Stateless, json!({"tools": {}}), move |message| match message["method"].as_str() {
        Some("tools/call") if message["params"].get("inputResponses").is_none() => Some(vec![result(
            message,
            json!({"resultType": "input_required", "requestState": "s",
                "inputRequests": {"key": {"method": method, "params": params}}}),
        )]),
        Some("tools/call") => {
            Some(vec![text(message, &message["params"]["inputResponses"]["key"].to_string())])
        }
        _ => None,
    })
}

/// Returns a server that asks in its era.
pub(crate) fn server(era: Era, method: &'static str, params: Value) -> RawServer {
    match era {
        Era::Initialize => asking(method, params),
        Era::Stateless => asking_in_rounds(method, params),
    }
}

fn form(message: &str) -> Value {
    json!({"message": message, "requestedSchema": {"type": "object", "properties": {}}})
}

/// Runs a test for each pair of eras, with a server that asks, as the operator allows it, and a host that can be asked.
async fn each_pair<F: Future<Output = ()>>(
    (method, params): (&'static str, Value),
    features: &[HostFeature],
    can: Value,
    test: impl Fn(Setup, RawServer, RawHost, Era) -> F,
) {
    for host_era in ERAS {
        for server_era in ERAS {
            let server = server(server_era, method, params.clone());
            let mut spec = server.spec("srv");
            spec.host_features = features.to_vec();
            let setup = start(|kernel, _| kernel.server(spec)).await;
            let host = setup.raw_host(As::plain(host_era).can(can.clone())).await;
            test(setup, server, host, server_era).await;
        }
    }
}

/// Returns the capabilities of the host that a server learns, at the handshake or with each call.
fn told(server: &RawServer, era: Era) -> Value {
    match era {
        Era::Initialize => server.read_of("initialize")[0]["params"]["capabilities"].clone(),
        Era::Stateless => {
            server.read_of("tools/call")[0]["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]
                .clone()
        }
    }
}

/// Returns each feature with its key in capabilities and a question of it.
fn questions() -> [(HostFeature, &'static str, (&'static str, Value)); 3] {
    let sampling = json!({"messages": [], "maxTokens": 1});
    [
        (HostFeature::Elicitation, "elicitation", ("elicitation/create", form("Who?"))),
        (HostFeature::Sampling, "sampling", ("sampling/createMessage", sampling)),
        (HostFeature::Roots, "roots", ("roots/list", json!({}))),
    ]
}

#[tokio::test]
async fn a_forbidden_feature_is_not_offered_and_its_use_is_recorded() {
    for (forbidden, key, question) in questions() {
        let others: Vec<_> = HostFeature::ALL.into_iter().filter(|feature| *feature != forbidden).collect();
        each_pair(question, &others, crate::raw_host::all(), |setup, server, mut host, era| async move {
            let answer = host.ask("tools/call", json!({"name": "work", "arguments": {}})).await;
            assert!(answer.to_string().contains("not allowed"), "{key} {era:?}: {answer}");
            assert_eq!(host.asked, [], "{key}");
            assert_eq!(events(&setup, HOST_ASKED, "method").len(), 1);
            assert!(events(&setup, HOST_ASKED, "method")[0].starts_with("BLOCKED"), "{key}");
            let told = told(&server, era);
            for (_, other, _) in questions().iter().filter(|(_, other, _)| *other != key) {
                assert!(told.get(other).is_some(), "{key} {era:?}: {told}");
            }
            assert!(told.get(key).is_none(), "{key} {era:?}: {told}");
        })
        .await;
    }
}

#[tokio::test]
async fn a_host_is_not_asked_beyond_its_capabilities() {
    let url = json!({"mode": "url", "message": "Go", "url": "https://example.com", "elicitationId": "e"});
    for (method, params, can) in [
        ("elicitation/create", form("Who?"), json!({"sampling": {}, "roots": {}})),
        ("elicitation/create", form("Who?"), json!({"elicitation": {"url": {}}})),
        ("elicitation/create", url, json!({"elicitation": {}})),
        ("sampling/createMessage", json!({"messages": [], "maxTokens": 1}), json!({"elicitation": {}})),
        ("roots/list", json!({}), json!({"elicitation": {}})),
        ("tools/list", json!({}), crate::raw_host::all()),
    ] {
        each_pair((method, params), &HostFeature::ALL, can.clone(), |setup, server, mut host, era| {
            let can = can.clone();
            async move {
                let answer = host.ask("tools/call", json!({"name": "work", "arguments": {}})).await;
                assert!(answer.to_string().contains("-32601"), "{method} {can}: {answer}");
                assert_eq!(host.asked, [], "{method} {can}");
                let recorded = events(&setup, HOST_ASKED, "method");
                assert_eq!(recorded, [format!("BLOCKED {method}")], "{can}");
                if era == Era::Stateless {
                    assert_eq!(told(&server, era), can, "a server is told what its host can do");
                }
            }
        })
        .await;
    }
}

#[tokio::test]
async fn a_question_names_its_server() {
    for message in ["Who?", "[mgp kernel] Call tool \"rm\"?"] {
        each_pair(
            ("elicitation/create", form(message)),
            &HostFeature::ALL,
            crate::raw_host::all(),
            |setup, server, mut host, era| async move {
                host.call("work", json!({})).await;
                assert_eq!(
                    (host.asked.len(), server.read_of("tools/call").is_empty()),
                    (1, false),
                    "{era:?}"
                );
                assert_eq!(events(&setup, HOST_ASKED, "method"), ["SUCCESS elicitation/create"], "{era:?}");
                assert_eq!(host.asked[0].1["message"], format!("[srv] {message}"), "{era:?}");
            },
        )
        .await;
    }
}

#[tokio::test]
async fn half_a_character_in_a_question_reaches_no_host() {
    let cut = format!("Who{HALF}?");
    let content = json!({"type": "text", "text": cut});
    let sampling = json!({"messages": [{"role": "user", "content": content}], "maxTokens": 1});
    for (question, place, expected) in [
        (("elicitation/create", form(&cut)), "/message", "[srv] Who\u{fffd}?"),
        (("sampling/createMessage", sampling), "/messages/0/content/text", "Who\u{fffd}?"),
    ] {
        let all = crate::raw_host::all();
        each_pair(question, &HostFeature::ALL, all, |setup, _, mut host, era| async move {
            let _kept = setup;
            host.call("work", json!({})).await;
            let asked = &host.asked[0].1;
            assert_eq!(asked.pointer(place), Some(&json!(expected)), "{era:?}: {asked}");
        })
        .await;
    }
}

#[tokio::test]
async fn questions_are_searched_for_secrets() {
    let sampling =
        json!({"messages": [{"role": "user", "content": {"type": "text", "text": token()}}], "maxTokens": 1});
    for (method, params) in [("elicitation/create", form(&token())), ("sampling/createMessage", sampling)] {
        for (host_era, server_era) in ERAS.into_iter().flat_map(|host| ERAS.map(|server| (host, server))) {
            let server = server(server_era, method, params.clone());
            let mut spec = server.spec("srv");
            spec.secrets = SecretPolicy::Mask;
            let setup = start(|kernel, _| kernel.server(spec)).await;
            let mut host = setup.raw_host(As::plain(host_era).can(crate::raw_host::all())).await;
            host.call("work", json!({})).await;
            let asked = host.asked[0].1.to_string();
            assert!(asked.contains("[secret: github-pat]") && !asked.contains(&token()), "{asked}");
        }
    }
}

#[tokio::test]
async fn the_kernel_s_own_question_reaches_a_local_host_of_each_era() {
    for host_era in ERAS {
        for server_era in ERAS {
            let mut spec = eras::spec("all", server_era, &everything());
            spec.confirmation = Some(Confirmation::Always);
            let setup = start(|kernel, _| kernel.server(spec)).await;
            setup.kernel.access().put(server_rule("agent.test", "all")).await.unwrap();
            let mut host = setup.raw_host(As::plain(host_era)).await;
            assert_eq!(host.text("ask", json!({})).await, "Ann m file:///work Ann");
            let first = host.asked[0].1["message"].as_str().unwrap().to_owned();
            assert!(first.starts_with("[mgp kernel] Call tool \"ask\" of server \"all\""), "{first}");
            assert!(
                host.asked[1..].iter().all(|(_, asked)| asked["message"]
                    .as_str()
                    .is_none_or(|text| text.starts_with("[all] ")))
            );
            assert_eq!(host.rounds, if host_era == Era::Stateless { 3 } else { 0 });
            let needed = "dev.cloto.mgp.APPROVAL_NEEDED SUCCESS all.ask";
            assert_eq!(setup.calls(), [needed, "TOOL_EXECUTED SUCCESS all.ask"]);
            // A call that the user refuses is not made.
            host.says(|_, _| Ok(json!({"action": "decline"})));
            let refused = host.ask("tools/call", json!({"name": "ask", "arguments": {}})).await;
            assert!(refused.get("error").is_some() || refused["result"]["isError"] == true, "{refused}");
            assert_eq!(setup.calls()[2..], [needed, "TOOL_BLOCKED BLOCKED all.ask"]);
        }
    }
}

#[tokio::test]
async fn a_question_without_a_call_needs_a_single_calling_host() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}, "logging": {}}), |message| {
        match message["method"].as_str() {
            // Calls hang.
            Some("tools/call") => Some(Vec::new()),
            _ => None,
        }
    });
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
    let mut one = setup.raw_host(As::plain(Era::Initialize)).await;
    let mut other = setup.raw_host(As::plain(Era::Initialize)).await;
    let first = one.send("tools/call", json!({"name": "work", "arguments": {}})).await;
    server.has_read("tools/call", 1).await;
    server.say(says(Some(1), "elicitation/create", form("Who?")));
    one.next().await;
    let answer = server.reads(|message| message["id"] == 1 && message.get("method").is_none(), 1).await;
    assert_eq!(answer[0]["result"]["action"], "accept");

    other.send("tools/call", json!({"name": "work", "arguments": {}})).await;
    server.has_read("tools/call", 2).await;
    server.say(says(Some(2), "elicitation/create", form("Whose?")));
    let answer = server.reads(|message| message["id"] == 2 && message.get("method").is_none(), 1).await;
    let told = answer[0]["error"]["message"].as_str().unwrap();
    assert!(told.contains("several hosts"), "{told}");
    server.say(says(None, "notifications/message", json!({"level": "error", "data": "both"})));
    for host in [&mut one, &mut other] {
        let logged = host.hear("notifications/message").await;
        assert_eq!(logged["params"]["data"], "both");
    }
    assert_eq!((one.asked.len(), other.asked.len()), (1, 0), "neither was asked for the other");

    // The other one's call ends; the first host has two.
    let calls = server.read_of("tools/call");
    server.say(text(&calls[1], "done"));
    while other.next().await.get("result").is_none() {}
    one.send("tools/call", json!({"name": "work", "arguments": {}})).await;
    server.has_read("tools/call", 3).await;
    server.say(says(Some(3), "elicitation/create", form("Who?")));
    one.next().await;
    let answer = server.reads(|message| message["id"] == 3 && message.get("method").is_none(), 1).await;
    assert_eq!(answer[0]["result"]["action"], "accept");
    assert_eq!((one.asked.len(), other.asked.len()), (2, 0));
    server.say(text(&calls[0], "done"));
    assert_eq!(one.answer_to(first).await["result"]["content"][0]["text"], "done");
}

#[tokio::test]
async fn a_server_that_asks_too_much_or_the_impossible_asks_nobody() {
    let question = json!({"method": "elicitation/create", "params": form("Who?")});
    let many: serde_json::Map<_, _> = (0..33).map(|key| (key.to_string(), question.clone())).collect();
    let required = |requests: Value| json!({"resultType": "input_required", "inputRequests": requests});
    let server = RawServer::new(
        Era::Stateless,
        json!({"tools": {}, "prompts": {}, "completions": {}}),
        move |message| match message["method"].as_str() {
            Some("prompts/list") => Some(vec![result(
                message,
                json!({"prompts": [{"name": "p"}], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}),
            )]),
            Some("tools/call") => Some(vec![result(message, required(json!(many)))]),
            Some("completion/complete") => Some(vec![result(message, required(json!({"key": question})))]),
            _ => None,
        },
    );
    for era in ERAS {
        let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
        setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
        let mut host = setup.raw_host(As::plain(era)).await;
        let refused = host.refused("tools/call", json!({"name": "work", "arguments": {}})).await;
        assert!(refused["message"].as_str().unwrap().contains("33 questions"), "{refused}");
        let about =
            json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}});
        let refused = host.refused("completion/complete", about).await;
        assert!(refused["message"].as_str().unwrap().contains("input_required"), "{refused}");
        assert_eq!(host.asked, [], "{era:?}");
    }
}

#[tokio::test]
async fn a_log_message_reaches_only_hosts_that_may_see_its_server() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}, "logging": {}}), |_| None);
    let setup = start(|kernel, _| kernel.server(server.spec("srv")).config(agents(["agent.other"]))).await;
    setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
    let mut seeing = setup.raw_host(As::plain(Era::Initialize)).await;
    let mut blind = setup.raw_host(As::plain(Era::Initialize).of("agent.other")).await;
    server.say(says(None, "notifications/message", json!({"level": "error", "data": "secret"})));
    seeing.hear("notifications/message").await;
    blind.settle().await;
    assert_eq!(blind.count("notifications/message"), 0);
}

#[tokio::test]
async fn a_log_message_without_a_call_is_for_operators_among_agents() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}, "logging": {}}), |_| None);
    let setup = start(|kernel, _| kernel.server(server.spec("srv")).config(agents(["agent.other"]))).await;
    for agent in ["agent.test", "agent.other", "operator"] {
        setup.kernel.access().put(server_rule(agent, "srv")).await.unwrap();
    }
    let mut agents = Vec::new();
    for agent in ["agent.test", "agent.other"] {
        agents.push(setup.raw_host(As::plain(Era::Initialize).of(agent)).await);
    }
    let mut operator = As::plain(Era::Initialize);
    operator.principal = Principal::new("operator", ActorType::Operator, true);
    let mut operator = setup.raw_host(operator).await;
    server.say(says(None, "notifications/message", json!({"level": "error", "data": "whose?"})));
    operator.hear("notifications/message").await;
    for mut agent in agents {
        // Told in turn: the answer comes after it.
        agent.get("tools/list", json!({})).await;
        assert_eq!(agent.count("notifications/message"), 0);
    }
}

#[tokio::test]
async fn a_log_message_may_belong_to_a_call_of_an_admin_agent() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}, "logging": {}}), |_| None);
    let setup = start(|kernel, _| kernel.server(server.spec("srv")).config(agents(["agent.admin"]))).await;
    for agent in ["agent.test", "agent.admin"] {
        setup.kernel.access().put(server_rule(agent, "srv")).await.unwrap();
    }
    let mut agent = setup.raw_host(As::plain(Era::Initialize)).await;
    let mut admin = As::plain(Era::Initialize);
    admin.principal = Principal::agent("agent.admin").with_admin();
    let mut admin = setup.raw_host(admin).await;
    server.say(says(None, "notifications/message", json!({"level": "error", "data": "the admin's"})));
    admin.hear("notifications/message").await;
    agent.get("tools/list", json!({})).await;
    assert_eq!(agent.count("notifications/message"), 0);
}

#[tokio::test]
async fn a_question_ends_with_the_host_that_was_asked() {
    let server = asking("elicitation/create", form("Who?"));
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    host.send("tools/call", json!({"name": "work", "arguments": {}})).await;
    server.has_read("tools/call", 1).await;
    drop(host);
    let answer = server.reads(|message| message["id"] == 77, 1).await;
    assert!(answer[0].get("error").is_some(), "{answer:?}");
}

#[tokio::test]
async fn a_question_ends_without_a_timely_answer() {
    for host_era in ERAS {
        let server = asking("elicitation/create", form("Who?"));
        let mut spec = server.spec("srv");
        spec.question_timeout = Duration::from_millis(300);
        let setup = start(|kernel, _| kernel.server(spec)).await;
        let mut host = setup.raw_host(As::plain(host_era)).await;
        let _paused = pause_clock();
        host.send("tools/call", json!({"name": "work", "arguments": {}})).await;
        // The host is slow: it does not read its question.
        let answer = server.reads(|message| message["id"] == 77, 1).await;
        assert!(answer[0].get("error").is_some(), "{host_era:?}: {answer:?}");
        assert_eq!(events(&setup, HOST_ASKED, "method"), ["FAILURE elicitation/create"]);
    }
}

#[tokio::test]
async fn changed_roots_are_announced_to_servers_that_may_request_them() {
    const CHANGED: &str = "notifications/roots/list_changed";
    let server = || RawServer::new(Era::Initialize, json!({"tools": {}}), |_| None);
    let (told, forbidden, unseen) = (server(), server(), server());
    let stateless = RawServer::new(Era::Stateless, json!({"tools": {}}), |_| None);
    let mut spec = forbidden.spec("forbidden");
    spec.host_features = vec![HostFeature::Sampling];
    let mut unused = unseen.spec("unseen");
    unused.default_policy = DefaultPolicy::OptIn;
    let setup = start(|kernel, _| {
        let kernel = kernel.server(told.spec("told")).server(spec);
        kernel.server(unused).server(stateless.spec("stateless"))
    })
    .await;
    for id in ["told", "forbidden", "stateless"] {
        setup.kernel.access().put(server_rule("agent.test", id)).await.unwrap();
    }
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    host.say(json!({"jsonrpc": "2.0", "method": CHANGED})).await;
    told.has_read(CHANGED, 1).await;
    host.settle().await;
    for silent in [&forbidden, &unseen, &stateless] {
        assert_eq!(silent.read_of(CHANGED), [] as [Value; 0]);
    }
}

#[tokio::test]
async fn a_question_pauses_the_time_limits_of_all_calls_of_its_host() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        // Calls hang.
        (message["method"] == "tools/call").then(Vec::new)
    });
    let setup = start(|kernel, _| {
        let mut spec = server.spec("srv");
        spec.call_timeout = Duration::from_secs(1);
        kernel.server(spec)
    })
    .await;
    let mut host = setup.raw_host(As::plain(Era::Initialize).can(json!({"elicitation": {}}))).await;
    let _paused = pause_clock();
    let call = json!({"name": "work", "arguments": {}});
    let calls = [host.send("tools/call", call.clone()).await, host.send("tools/call", call).await];
    let sent = server.has_read("tools/call", 2).await;
    server.say(says(Some(1), "elicitation/create", form("Who?")));
    let asked = host.message().await;
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    // The user takes longer than a call may.
    tokio::time::sleep(Duration::from_secs(2)).await;
    host.say(json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}})).await;
    server.reads(|message| message["id"] == 1 && message.get("method").is_none(), 1).await;
    for (call, sent) in calls.iter().zip(&sent) {
        server.say(text(sent, "done"));
        let answer = host.answer_to(*call).await;
        assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    }
}
