//! A callback is brought to the host of its call, as the host can be asked.

use super::support::{
    ASKS, HOST_ASKED, RESPOND, asks, callback, caller, calling, question, refusal, respond, response, setup,
    silent, worked,
};
use crate::{
    exchange::result_secrets::token,
    features::eras::{events, spec as spec_of},
    raw_host::{As, ERAS},
    raw_server::HALF,
    support::{spec, start, until_some, within},
};
use mgp_client_sdk::client::{CallbackAnswer, Client};
use mgp_discovery::config::HostFeature;
use mgp_kernel::{CallbackRequestParams, CallbackType, Era, RawJson, SecretPolicy};
use mgp_security::profile::Confirmation;
use mgp_server_sdk::{Server, Tool, ToolError, ask::Ask};
use serde_json::{Value, json};

#[tokio::test]
async fn a_host_with_callbacks_is_asked_and_the_question_recorded() {
    let server = asks("selection", json!(["a", "b"]));
    let setup = setup(&server, &HostFeature::ALL).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let call = host.send("tools/call", json!({"name": "work", "arguments": {}})).await;
    let asked = callback(&mut host).await;
    assert_eq!(asked["message"], "[srv] Go on?");
    assert_eq!((&asked["request_id"], &asked["options"]), (&json!(call), &json!(["a", "b"])));
    assert_eq!(asked["callback_id"], "cb-1");
    let unfit = respond(&mut host, &asked, json!("c")).await;
    assert!(unfit["reason"].as_str().unwrap().starts_with("invalid_response"), "{unfit}");
    host.send(RESPOND, json!({"callback_id": "cb-1", "response": "b"})).await;
    let answer = host.answer_to(call).await;
    assert_eq!(answer["result"]["content"][0]["text"], r#""b""#);
    let told = &server.read_of(RESPOND)[0]["params"];
    assert_eq!((&told["callback_id"], &told["response"]), (&json!("own-1"), &json!("b")));
    assert_eq!(events(&setup, HOST_ASKED, "method"), [format!("SUCCESS {ASKS}")]);
}

#[tokio::test]
async fn a_plain_host_is_asked_by_elicitation_in_both_eras() {
    let accept = |content: Value| json!({"action": "accept", "content": content});
    for (kind, options, answer, response) in [
        ("confirmation", Value::Null, accept(json!({})), r#""confirm""#),
        ("confirmation", json!(["keep", "delete"]), accept(json!({"answer": "delete"})), r#""delete""#),
        ("confirmation", json!(["go", "stop"]), json!({"action": "decline"}), r#""decline""#),
        ("input", Value::Null, json!({"action": "cancel"}), r#""cancel""#),
        ("selection", json!(["a", "b"]), accept(json!({"answer": "b"})), r#""b""#),
    ] {
        for era in ERAS {
            let server = asks(kind, options.clone());
            let setup = setup(&server, &HostFeature::ALL).await;
            let mut host = setup.raw_host(As::plain(era)).await;
            let answer = answer.clone();
            host.says(move |_, _| Ok(answer.clone()));
            assert_eq!(worked(&mut host).await, response, "{kind} {era:?}");
            assert_eq!((host.asked.len(), host.asked[0].0.as_str()), (1, "elicitation/create"));
            assert_eq!(host.asked[0].1["message"], "[srv] Go on?");
            assert_eq!(host.count(ASKS), 0);
        }
    }
}

#[tokio::test]
async fn a_form_answer_that_does_not_fit_the_callback_is_an_error() {
    let server = asks("selection", json!(["a", "b"]));
    let setup = setup(&server, &HostFeature::ALL).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    host.says(|_, _| Ok(json!({"action": "accept", "content": {"answer": "c"}})));
    let told = worked(&mut host).await;
    assert!(told.contains("expected one of the options"), "{told}");
}

async fn paint(ask: Ask) -> Result<String, ToolError> {
    let name = ask.input("name", "Who paints?").await?;
    let color = ask.select("color", "Which color?", ["red", "blue"]).await?;
    ask.inform("Nearly done").await?;
    Ok(format!("{name:?} {color:?} {}", ask.confirm("sure", "Sure?").await?))
}

async fn answer(asked: CallbackRequestParams) -> CallbackAnswer {
    assert!(asked.message.starts_with("[srv] "), "{}", asked.message);
    match asked.kind {
        CallbackType::Input => CallbackAnswer::text("Ada"),
        CallbackType::Selection => CallbackAnswer::text(&asked.options.unwrap()[1]),
        CallbackType::Confirmation => CallbackAnswer::confirm(),
        CallbackType::Notification => CallbackAnswer::cancel(),
    }
}

#[tokio::test]
async fn a_server_of_the_sdk_asks_hosts_of_every_kind() {
    let stack = Server::new("painter", "1").tool(Tool::new("work", "Paints", paint).read_only(true));
    let stack = stack.build().unwrap();
    // A server that is offered no forms asks by callbacks.
    for features in [&[HostFeature::Callback][..], &HostFeature::ALL] {
        let mut spec = spec_of("srv", Era::Initialize, &stack);
        spec.host_features = features.to_vec();
        spec.default_policy = mgp_types::access::DefaultPolicy::OptOut;
        let setup = start(|kernel, _| kernel.server(spec)).await;
        let expected = r#"Some("Ada") Some("blue") true"#;
        let host = setup.host_with(Client::builder("host", "1").on_callback(answer)).await;
        let painted = within(host.call_tool("work", RawJson::empty_object())).await.unwrap();
        assert_eq!(painted.content[0].as_text(), Some(expected), "{features:?}");
        for era in ERAS {
            let mut host = setup.raw_host(As::plain(era)).await;
            host.says(|_, params| {
                let content = match params["message"].as_str().unwrap() {
                    "[srv] Who paints?" => json!({"answer": "Ada"}),
                    "[srv] Which color?" => json!({"answer": "blue"}),
                    "[srv] Sure?" => json!({}),
                    other => panic!("{other}"),
                };
                Ok(json!({"action": "accept", "content": content}))
            });
            assert_eq!(worked(&mut host).await, expected, "{features:?} {era:?}");
        }
        let asked = events(&setup, HOST_ASKED, "method");
        assert_eq!(asked.len(), 9, "{asked:?}");
        let is_callback = |asked: &String| asked.contains(ASKS);
        assert!(if features.len() == 1 {
            asked.iter().all(is_callback)
        } else {
            !asked.iter().any(is_callback)
        });
    }
}

#[tokio::test]
async fn elicitation_becomes_a_callback_at_a_host_without_forms() {
    let color = json!({"type": "string", "enum": ["red", "blue"], "title": "Color"});
    let form = |properties: Value| {
        let schema = json!({"type": "object", "properties": properties});
        json!({"message": "Which?", "requestedSchema": schema})
    };
    for era in ERAS {
        let server = crate::exchange::questions::server(era, "elicitation/create", form(json!({"c": color})));
        for (response, told) in
            [("red", r#"{"action":"accept","content":{"c":"red"}}"#), ("decline", "decline")]
        {
            let setup = setup(&server, &HostFeature::ALL).await;
            let mut host = setup.raw_host(As::mgp(Era::Initialize).can(json!({}))).await;
            let call = host.send("tools/call", json!({"name": "work", "arguments": {}})).await;
            let asked = callback(&mut host).await;
            assert_eq!(asked["message"], "[srv] Which?\nColor", "{era:?}");
            assert_eq!((&asked["type"], &asked["options"]), (&json!("selection"), &json!(["red", "blue"])));
            host.send(RESPOND, json!({"callback_id": asked["callback_id"], "response": response})).await;
            let answer = host.answer_to(call).await["result"]["content"][0]["text"].take();
            assert!(answer.as_str().unwrap().contains(told), "{era:?}: {answer}");
            assert_eq!(events(&setup, HOST_ASKED, "method"), ["SUCCESS elicitation/create"]);
        }
        // A host that shows forms is shown them, also if it would answer callbacks.
        let kernel = setup(&server, &HostFeature::ALL).await;
        let mut host = kernel.raw_host(As::mgp(Era::Initialize)).await;
        host.call("work", json!({})).await;
        assert_eq!((host.asked.len(), host.count(ASKS)), (1, 0));
        // A server of a stateless revision is told of forms, which it would not ask for otherwise.
        let calls = server.read_of("tools/call");
        let profile = &calls[0]["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        assert_eq!(
            profile["elicitation"],
            if era == Era::Stateless { json!({"form": {}}) } else { Value::Null }
        );
        let two = form(json!({"a": color, "b": color}));
        let server = crate::exchange::questions::server(era, "elicitation/create", two);
        let setup = setup(&server, &HostFeature::ALL).await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize).can(json!({}))).await;
        let answer = host.ask("tools/call", json!({"name": "work", "arguments": {}})).await;
        assert!(answer.to_string().contains("-32601"), "{era:?}: {answer}");
    }
}

#[tokio::test]
async fn a_text_without_an_answer_precedes_the_answer_of_its_call() {
    for this in [As::mgp(Era::Initialize), As::plain(Era::Initialize), As::plain(Era::Stateless)] {
        let server = asks("notification", Value::Null);
        let setup = setup(&server, &HostFeature::ALL).await;
        let (is_mgp, mut host) = (this.mgp, setup.raw_host(this).await);
        host.log_level = Some("info");
        assert_eq!(worked(&mut host).await, "done");
        let (method, key) = if is_mgp { (ASKS, "message") } else { ("notifications/message", "data") };
        let told = host.heard.iter().filter(|heard| heard["method"] == method);
        let told: Vec<_> = told.map(|heard| &heard["params"][key]).collect();
        assert_eq!(told, ["[srv] Go on?"]);
        assert_eq!(events(&setup, HOST_ASKED, "method"), [""; 0]);
    }
}

#[tokio::test]
async fn texts_of_callbacks_are_searched_for_secrets() {
    let server = silent();
    let mut spec = server.spec("srv");
    spec.secrets = SecretPolicy::Mask;
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let (mut host, own, _) = caller(&setup, &server, 1).await;
    for (kind, options) in [("selection", json!([token()])), ("notification", Value::Null)] {
        let mut asked = question("a", &own);
        asked["params"]["message"] = format!("with {}", token()).into();
        (asked["params"]["type"], asked["params"]["options"]) = (kind.into(), options);
        server.say(asked);
        let asked = callback(&mut host).await;
        assert_eq!(asked["message"], "[srv] with [secret: github-pat]");
        assert!(!asked.to_string().contains(&token()), "{asked}");
    }
    let found = events(&setup, "dev.cloto.mgp.SECRET_FOUND", "method");
    assert_eq!(found, [format!("SUCCESS {ASKS}"), format!("SUCCESS {ASKS}")]);
}

#[tokio::test]
async fn half_a_character_in_a_callback_hides_nothing_else_of_it() {
    let server = silent();
    let (_setup, mut host, own, _) = calling(&server).await;
    for kind in ["input", "notification"] {
        let mut asked = question("a", &own);
        asked["params"]["message"] = format!("Go{HALF} on?").into();
        asked["params"]["type"] = kind.into();
        server.say(asked);
        assert_eq!(callback(&mut host).await["message"], "[srv] Go\u{fffd} on?", "{kind}");
    }
}

#[tokio::test]
async fn the_kernel_asks_a_host_without_forms_by_a_callback() {
    let setup = start(|kernel, signals| {
        let mut dangerous = spec("test", signals);
        dangerous.confirmation = Some(Confirmation::Always);
        kernel.server(dangerous)
    })
    .await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize).can(json!({}))).await;
    for (choice, is_made) in [("Once: only this call", true), ("No: decline", false)] {
        let call = json!({"name": "add", "arguments": {"a": 1, "b": 1}});
        let call = host.send("tools/call", call).await;
        let asked = callback(&mut host).await;
        let message = asked["message"].as_str().unwrap();
        assert!(message.starts_with("[mgp kernel] Call tool \"add\""), "{message}");
        assert_eq!(
            (&asked["type"], &asked["options"], asked.get("timeout_ms")),
            (&json!("selection"), &json!(["Once: only this call", "No: decline"]), None)
        );
        host.send(RESPOND, json!({"callback_id": asked["callback_id"], "response": choice})).await;
        let answer = host.answer_to(call).await;
        assert_eq!(answer["result"]["content"][0]["text"] == "2", is_made, "{answer}");
        assert_eq!(answer["error"]["code"] == 1000, !is_made, "{answer}");
    }
    // What is not the operator's own host is not asked.
    let mut remote = setup.raw_remote_host(As::mgp(Era::Initialize).can(json!({}))).await;
    remote.send("tools/call", json!({"name": "add", "arguments": {"a": 2, "b": 1}})).await;
    until_some(async || setup.kernel.confirmations().pending().await.unwrap().pop()).await;
    remote.settle().await;
    assert_eq!(remote.count(ASKS), 0);
}

#[tokio::test]
async fn the_callback_s_call_decides_which_of_two_hosts_is_asked() {
    let server = silent();
    let (setup, mut one, first, _) = calling(&server).await;
    let (mut other, second, _) = caller(&setup, &server, 2).await;
    server.say(question("nameless", &Value::Null));
    let told = refusal(&server, "nameless", 1).await;
    assert!(told.contains("several hosts"), "{told}");
    server.say(question("a", &second));
    let asked = callback(&mut other).await;
    one.settle().await;
    assert_eq!(one.count(ASKS), 0);
    // The id of another host's callback is none of this host's.
    let foreign = respond(&mut one, &asked, json!("confirm")).await;
    assert_eq!(foreign, json!({"accepted": false, "reason": "unknown_callback"}));
    server.say(question("b", &first));
    let own = callback(&mut one).await;
    assert_eq!(respond(&mut one, &own, json!("decline")).await, json!({"accepted": true}));
    assert_eq!(respond(&mut other, &asked, json!("confirm")).await, json!({"accepted": true}));
    assert_eq!(response(&server, "a", 1).await, "confirm");
    assert_eq!(response(&server, "b", 1).await, "decline");
    other.settle().await;
    assert_eq!(other.count(ASKS), 0);
}
