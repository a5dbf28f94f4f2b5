//! Rounds of input, against a server by hand.

use crate::{
    scripted::{self, Lines, plain, result},
    support::{Way, builder, connect, everything, hear_progress, text, within},
};
use mgp_client_sdk::{
    CallError, Era, EraChoice, RawJson, RawObject,
    client::{Client, ClientBuilder, Limits},
    mcp::{ElicitAction, ElicitResult, FormElicitation},
};
use serde_json::{Value, json};
use std::sync::Arc;

fn question(state: Option<&str>) -> Vec<Value> {
    let asked = json!({"method": "elicitation/create", "params": {"message": "Sure?", "requestedSchema": {"type": "object"}}});
    let mut required = json!({"resultType": "input_required", "inputRequests": {"sure": asked}});
    if let Some(state) = state {
        required["requestState"] = json!(state);
    }
    result(required)
}

/// `stateful` asks once with a state, `stateless` once without, `endless` always; others answer.
fn script(line: &Value) -> Vec<Value> {
    plain(line, &json!({})).unwrap_or_else(|| {
        let params = &line["params"];
        let answered = params.get("inputResponses").is_some();
        match params["name"].as_str() {
            Some("stateful") if !answered => question(Some("s-1")),
            Some("stateless") if !answered => question(None),
            Some("endless") => question(Some("again")),
            Some("many") => {
                let asked = json!({"method": "roots/list"});
                let requests: serde_json::Map<_, _> =
                    (0..33).map(|number| (number.to_string(), asked.clone())).collect();
                result(json!({"resultType": "input_required", "inputRequests": requests}))
            }
            Some("unknown") => {
                result(json!({"resultType": "input_required", "inputRequests": {"k": {"method": "x/y"}}}))
            }
            Some("empty") => result(json!({"resultType": "input_required"})),
            _ if line["method"] == "tools/list" => question(None),
            _ => result(json!({"resultType": "complete", "content": [{"type": "text", "text": "done"}]})),
        }
    })
}

fn accepting() -> ClientBuilder {
    builder().on_elicit_form(async |_: FormElicitation| ElicitResult {
        action: ElicitAction::Accept,
        content: Some(RawObject::new()),
        meta: None,
    })
}

async fn open(builder: ClientBuilder) -> (Client, Lines) {
    let choice = EraChoice::Known(Era::Stateless);
    let (client, lines) = scripted::connect(Arc::new(script), builder, choice).await;
    (client.unwrap(), lines)
}

async fn call(client: &Client, tool: &str) -> Result<String, CallError> {
    within(client.call_tool(tool, RawJson::empty_object())).await.map(|result| text(&result).to_owned())
}

#[tokio::test]
async fn only_a_round_carries_answers_and_state_under_a_new_id() {
    let (client, lines) = open(accepting()).await;
    let (asked, beside) = tokio::join!(call(&client, "stateful"), call(&client, "beside"));
    assert_eq!((asked.unwrap(), beside.unwrap()), ("done".into(), "done".into()));
    assert_eq!(call(&client, "stateless").await.unwrap(), "done");
    let calls = lines.of("tools/call");
    let of = |tool: &str| calls.iter().filter(|call| call["params"]["name"] == tool).collect::<Vec<_>>();
    let [first, again] = of("stateful")[..] else { panic!("{calls:?}") };
    assert_ne!(first["id"], again["id"]);
    assert_eq!(again["params"]["requestState"], "s-1");
    let answer = json!({"sure": {"action": "accept", "content": {}}});
    assert_eq!(again["params"]["inputResponses"], answer);
    let [first, again] = of("stateless")[..] else { panic!("{calls:?}") };
    assert_eq!((again["params"].get("requestState"), &again["params"]["inputResponses"]), (None, &answer));
    for call in [first, of("beside")[0]] {
        assert!(
            call["params"].get("requestState").is_none() && call["params"].get("inputResponses").is_none()
        );
    }
}

#[tokio::test]
async fn endless_or_excessive_questions_are_an_error() {
    let (client, lines) = open(accepting().limits(Limits { rounds: 3, ..Limits::default() })).await;
    let error = call(&client, "endless").await.unwrap_err();
    assert!(error.to_string().contains("more than 3 times"), "{error}");
    assert_eq!(lines.of("tools/call").len(), 3);
    for (tool, expected) in [
        ("many", "a round of 33 questions, expected at most 32"),
        ("unknown", r#"the peer asked for x/y, which failed: method not found: "x/y" (-32601)"#),
        ("empty", "inputRequests or requestState"),
    ] {
        let error = call(&client, tool).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{tool}: {error}");
    }
    let error = within(client.list_tools()).await.unwrap_err();
    assert!(error.to_string().contains("input_required"), "no round stands where none may: {error}");
}

#[tokio::test]
async fn progress_is_reported_in_every_round() {
    let answer = async |_: FormElicitation| ElicitResult::decline();
    for way in Way::ALL {
        let connected = connect(*way, everything(), builder().on_elicit_form(answer)).await;
        let mut heard = 0;
        let call = hear_progress(&connected.client, "greet", |_| heard += 1);
        within(call).await.unwrap();
        assert_eq!(heard, if way.is_stateless() { 2 } else { 1 }, "{way:?}");
    }
}
