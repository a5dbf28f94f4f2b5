//! Calls of the same tool that wait at the same time, which are asked about in one question.

use crate::{
    raw_host::{As, RawHost, all},
    raw_server::{RawServer, result},
    support::{Setup, pass, spec, start, until_some},
};
use mgp_kernel::{AskHost, Era, Stores};
use mgp_security::profile::Confirmation;
use serde_json::{Value, json};
use std::{collections::BTreeSet, time::Duration};

/// Starts a kernel whose tools are confirmed before every call, and a host that can ask its user.
async fn asking() -> (Setup, RawHost) {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.confirmation = Some(Confirmation::Always);
        // Only in memory is a question stored just before its call waits.
        kernel.server(spec).stores(Stores::default())
    })
    .await;
    let host = setup.raw_host(As::plain(Era::Initialize).can(all())).await;
    (setup, host)
}

/// Makes a call of `add` that waits behind the questions that are open.
async fn call(setup: &Setup, host: &mut RawHost, a: Value) -> i64 {
    waits(setup, host, json!({"name": "add", "arguments": {"a": a, "b": 1}})).await
}

/// Makes a call that waits behind the questions that are open.
async fn waits(setup: &Setup, host: &mut RawHost, call: Value) -> i64 {
    let before = setup.kernel.confirmations().pending().await.unwrap().len();
    let id = host.send("tools/call", call).await;
    let is_stored = async || setup.kernel.confirmations().pending().await.unwrap().len() > before;
    until_some(async || is_stored().await.then_some(())).await;
    pass(Duration::from_millis(1)).await;
    id
}

/// Reads one message without answering it. A tool that a call used may be listed from then on, which the host is told some time later.
async fn read(host: &mut RawHost) -> Value {
    loop {
        let message = host.message().await;
        if message["method"] != "notifications/tools/list_changed" {
            return message;
        }
    }
}

/// Reads up to the next question. Returns its id, its text, and the answers of calls that came before it.
async fn question(host: &mut RawHost) -> (Value, String, Vec<Value>) {
    let mut answers = Vec::new();
    loop {
        let message = read(host).await;
        match message["method"].as_str() {
            None => answers.push(message),
            Some("elicitation/create") => {
                let text = message["params"]["message"].as_str().unwrap().to_owned();
                return (message["id"].clone(), text, answers);
            }
            // The question of a cancelled call is withdrawn.
            Some(method) => assert_eq!(method, "notifications/cancelled", "{message}"),
        }
    }
}

async fn decide(host: &mut RawHost, question: Value, result: Value) {
    host.say(json!({"jsonrpc": "2.0", "id": question, "result": result})).await;
}

fn once() -> Value {
    json!({"action": "accept", "content": {"decision": "once"}})
}

/// Reads the answers of calls, and asserts that nothing is asked meanwhile.
async fn answers(host: &mut RawHost, count: usize) -> Vec<Value> {
    let mut answers = Vec::new();
    while answers.len() < count {
        let message = read(host).await;
        assert_eq!(message.get("method"), None, "{message}");
        answers.push(message);
    }
    answers
}

#[tokio::test]
async fn ten_concurrent_calls_need_two_questions() {
    let (setup, mut host) = asking().await;
    for a in 0..10 {
        call(&setup, &mut host, a.into()).await;
    }
    let (first, text, _) = question(&mut host).await;
    assert!(text.contains(r#"Call tool "add""#) && text.contains(r#"{"a":0,"b":1}"#), "{text}");
    decide(&mut host, first, once()).await;
    let (second, text, mut answered) = question(&mut host).await;
    assert!(text.starts_with(r#"[mgp kernel] Make 9 calls of tool "add" of server "test""#), "{text}");
    for a in 1..10 {
        assert!(text.contains(&format!(r#"{a}. {{"a":{a},"b":1}}"#)), "{text}");
    }
    assert!(text.contains("To see each by itself: `mgp approve`."), "{text}");
    decide(&mut host, second, once()).await;
    let left = 10 - answered.len();
    answered.extend(answers(&mut host, left).await);
    assert!(answered.iter().all(|answer| answer["result"]["isError"] != true), "{answered:?}");

    let confirmed = |event: &mgp_types::audit::AuditEvent| -> Option<Value> {
        let details = event.details.as_ref()?;
        Some(serde_json::from_str(details.get("confirmation")?.as_str()).unwrap())
    };
    let events = setup.sink.events();
    let confirmed: Vec<_> = events.iter().filter_map(confirmed).collect();
    let ids: BTreeSet<_> = confirmed.iter().map(|how| how["id"].as_str().unwrap()).collect();
    assert_eq!((confirmed.len(), ids.len()), (10, 10), "{confirmed:?}");
    assert!(confirmed.iter().all(|how| how["by"] == "host of agent.test" && how["term"] == "once"));
    assert_eq!(setup.kernel.confirmations().rows().await.unwrap(), []);
}

#[tokio::test]
async fn one_denial_refuses_exactly_the_calls_that_it_lists() {
    let (setup, mut host) = asking().await;
    for a in 0..4 {
        call(&setup, &mut host, a.into()).await;
    }
    let (first, ..) = question(&mut host).await;
    decide(&mut host, first, json!({"action": "decline"})).await;
    let (second, text, mut refused) = question(&mut host).await;
    assert!(text.contains("Make 3 calls"), "{text}");
    let late = call(&setup, &mut host, 77.into()).await;
    decide(&mut host, second, json!({"action": "decline"})).await;
    let (third, text, more) = question(&mut host).await;
    refused.extend(more);
    let left = 4 - refused.len();
    refused.extend(answers(&mut host, left).await);
    for answer in &refused {
        let text = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(text.contains("declined it") && answer["id"] != late, "{answer}");
    }
    assert!(text.contains(r#"{"a":77,"b":1}"#), "{text}");
    decide(&mut host, third, once()).await;
    let let_go = answers(&mut host, 1).await;
    assert_eq!((&let_go[0]["id"], &let_go[0]["result"]["content"][0]["text"]), (&json!(late), &json!("78")));
}

#[tokio::test]
async fn a_truncated_call_is_never_part_of_a_combined_question() {
    let (setup, mut host) = asking().await;
    let long: String = (0..3000).map(|i| format!("{i},")).collect();
    for a in [json!(0), json!(1), json!(long), json!(2)] {
        call(&setup, &mut host, a).await;
    }
    let (first, ..) = question(&mut host).await;
    decide(&mut host, first, once()).await;
    let (_, text, _) = question(&mut host).await;
    assert!(text.contains("Make 2 calls") && !text.contains("0,1,2,"), "{text}");
    assert!(text.contains("1 more such calls wait"), "{text}");
}

#[tokio::test]
async fn one_question_lists_no_more_calls_than_fit_on_one_screen() {
    let (setup, mut host) = asking().await;
    for letter in ["a", "ab", "cd", "ef"] {
        call(&setup, &mut host, letter.repeat(900).into()).await;
    }
    let (first, ..) = question(&mut host).await;
    decide(&mut host, first, once()).await;
    let (_, text, _) = question(&mut host).await;
    assert!(text.contains("Make 2 calls") && text.contains("1 more such calls wait"), "{text}");
    assert!(text.contains("abab") && text.contains("cdcd") && !text.contains("efef"), "{text}");
}

#[tokio::test]
async fn a_combined_question_offers_no_approval_of_other_calls() {
    let (setup, mut host) = asking().await;
    for a in 0..3 {
        call(&setup, &mut host, a.into()).await;
    }
    let (first, ..) = question(&mut host).await;
    decide(&mut host, first, once()).await;
    let asked = loop {
        let message = read(&mut host).await;
        if message["method"] == "elicitation/create" {
            break message;
        }
    };
    let offered = &asked["params"]["requestedSchema"]["properties"]["decision"];
    assert_eq!(offered["enum"], json!(["once", "later"]), "{asked}");
    let titles = json!(["Once each: only the calls that are shown", "Decide with mgp approve"]);
    assert_eq!(offered["enumNames"], titles, "{asked}");
}

#[tokio::test]
async fn undecided_calls_wait_for_the_operator_and_block_no_others() {
    let (setup, mut host) = asking().await;
    call(&setup, &mut host, 1.into()).await;
    let (first, ..) = question(&mut host).await;
    decide(&mut host, first, json!({"action": "cancel"})).await;
    call(&setup, &mut host, 2.into()).await;
    let (second, text, _) = question(&mut host).await;
    assert!(text.contains(r#"{"a":2,"b":1}"#), "{text}");
    decide(&mut host, second, once()).await;
    assert_eq!(answers(&mut host, 1).await[0]["result"]["content"][0]["text"], "3");
    assert_eq!(setup.kernel.confirmations().pending().await.unwrap().len(), 1);
}

#[tokio::test]
async fn the_next_call_asks_after_the_asking_one_is_cancelled() {
    let (setup, mut host) = asking().await;
    let first = call(&setup, &mut host, 0.into()).await;
    for a in [1, 2] {
        call(&setup, &mut host, a.into()).await;
    }
    question(&mut host).await;
    let cancelled = json!({"requestId": first});
    host.say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled})).await;
    let (second, text, _) = question(&mut host).await;
    assert!(text.contains("Make 2 calls") && !text.contains(r#"{"a":0,"b":1}"#), "{text}");
    decide(&mut host, second, once()).await;
    answers(&mut host, 2).await;
}

#[tokio::test]
async fn a_combined_question_shows_each_risk_that_differs() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let params = &message["params"];
        let answer = match params["user_confirmed"] == true {
            true => json!({"done": true}),
            false => {
                json!({"requires_confirmation": true, "confirmation_message": "Proceed?", "tool": "work",
                "risk_level": params["arguments"]["risk"], "parameters": params["arguments"]})
            }
        };
        (message["method"] == "tools/call").then(|| vec![result(message, answer)])
    });
    let setup = start(|kernel, _| kernel.server(server.spec("raw")).approver(AskHost::new())).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize).can(all())).await;
    for (number, risk) in ["reversible", "reversible", "destructive"].into_iter().enumerate() {
        let arguments = json!({"number": number, "risk": risk});
        waits(&setup, &mut host, json!({"name": "work", "arguments": arguments})).await;
    }
    let (first, _, _) = question(&mut host).await;
    decide(&mut host, first, once()).await;
    let (second, text, answered) = question(&mut host).await;
    assert!(text.contains("Make 2 calls of tool") && text.contains("(risk: moderate)"), "{text}");
    let line =
        |number: u64| text.lines().find(|line| line.contains(&format!("\"number\":{number}"))).unwrap();
    assert!(!line(1).contains("risk:") && line(2).ends_with("(risk: dangerous)"), "{text}");
    decide(&mut host, second, once()).await;
    answers(&mut host, 3 - answered.len()).await;
}
