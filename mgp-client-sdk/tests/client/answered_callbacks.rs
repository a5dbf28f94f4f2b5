//! §13.4 A client with a handler for callbacks offers and answers them, and no handler holds up a call.

use crate::{
    scripted::{self, Lines, Script},
    support::{Way, builder, connect, until, within},
};
use mgp_client_sdk::{
    CallbackRequestParams, CallbackType, Era, EraChoice, ErrorObject, RawJson,
    client::{CallbackAnswer, Client, ClientBuilder},
};
use mgp_server_sdk::{Server, Tool, ToolError, ask::Ask};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::Semaphore;

const RESPOND: &str = "mgp/callback/respond";

/// A server that asks by callbacks, and answers a call to `end`, but none to `stay`.
async fn asked(callbacks: Vec<Value>, builder: ClientBuilder) -> (Client, Lines) {
    let script: Script = Arc::new(move |line| {
        let mgp = json!({"version": "0.3.0", "extensions": ["callbacks"]});
        if let Some(answer) = scripted::plain(line, &json!({"tools": {}, "mgp": mgp})) {
            return answer;
        }
        match line["method"].as_str() {
            Some("tools/call") => {
                let mut said: Vec<_> = callbacks
                    .iter()
                    .map(|params| {
                        let mut params = params.clone();
                        if params["request_id"] == "call" {
                            params["request_id"] = line["id"].clone();
                        }
                        json!({"method": "notifications/mgp.callback.request", "params": params})
                    })
                    .collect();
                if line["params"]["name"] == "end" {
                    said.push(json!({"result": {"content": []}}));
                }
                said
            }
            Some(RESPOND) => vec![json!({"result": {"accepted": true}})],
            Some("ping") => vec![json!({"result": {}})],
            _ => Vec::new(),
        }
    });
    let (client, lines) = scripted::connect(script, builder, EraChoice::Known(Era::Initialize)).await;
    (client.unwrap(), lines)
}

fn callback(id: &str) -> Value {
    json!({"callback_id": id, "type": "confirmation", "message": "Go on?"})
}

async fn call(client: &Client, tool: &str) {
    within(client.call_tool(tool, RawJson::empty_object())).await.unwrap();
}

/// The count of a handler's futures that are alive, raised for one of them.
struct Alive(Arc<AtomicUsize>);

impl Alive {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count.clone())
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_client_with_a_handler_offers_and_answers_callbacks() {
    for way in Way::ALL.iter().copied().filter(|way| !way.is_stateless()) {
        let paint = async |ask: Ask| {
            let name = ask.input("name", "Who paints?").await?;
            let color = ask.select("color", "Which color?", ["red", "blue"]).await?;
            let told = ask.inform("Nearly done").await?;
            Ok::<_, ToolError>(format!("{name:?} {color:?} {told} {}", ask.confirm("sure", "Sure?").await?))
        };
        let builder = builder().on_callback(async |callback: CallbackRequestParams| match callback.kind {
            CallbackType::Input => CallbackAnswer::text("Ada"),
            CallbackType::Selection => CallbackAnswer::text(&callback.options.unwrap()[1]),
            CallbackType::Confirmation => CallbackAnswer::confirm(),
            CallbackType::Notification => CallbackAnswer::cancel(),
        });
        let server = Server::new("painter", "1").tool(Tool::new("paint", "Paints", paint));
        let connected = connect(way, server, builder).await;
        let painted = within(connected.client.call_tool("paint", RawJson::empty_object())).await.unwrap();
        let text = painted.content[0].as_text();
        assert_eq!(text, Some(r#"Some("Ada") Some("blue") true true"#), "{way:?}");
    }
}

#[tokio::test]
async fn a_hanging_handler_blocks_no_calls_or_callbacks() {
    let builder = builder().on_callback(async |callback: CallbackRequestParams| {
        if callback.callback_id == "slow" {
            std::future::pending::<()>().await;
        }
        CallbackAnswer::decline()
    });
    let (client, lines) = asked(vec![callback("slow"), callback("quick")], builder).await;
    call(&client, "end").await;
    let answers = lines.wait_for(RESPOND, 1).await;
    assert_eq!(answers[0]["params"], json!({"callback_id": "quick", "response": "decline"}));
    within(client.ping()).await.unwrap();
    assert_eq!(lines.of(RESPOND).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn answering_a_callback_does_not_count_as_call_time() {
    let slow = async |ask: Ask| Ok::<_, ToolError>(ask.confirm("sure", "Sure?").await?.to_string());
    let builder = builder().request_timeout(Duration::from_secs(2)).on_callback(async |_| {
        tokio::time::sleep(Duration::from_secs(4)).await;
        CallbackAnswer::confirm()
    });
    let server = Server::new("slow", "1").tool(Tool::new("slow", "Asks", slow));
    let connected = connect(Way::Stream(Era::Initialize), server, builder).await;
    let answer = within(connected.client.call_tool("slow", RawJson::empty_object())).await.unwrap();
    assert_eq!(answer.content[0].as_text(), Some("true"));
}

/// Connects a client whose handler never ends. Returns the number of its handlers that run, and the signal that one began.
async fn never_answering(callback: Value) -> (Client, Lines, Arc<AtomicUsize>, Arc<tokio::sync::Notify>) {
    let (alive, begun) = (Arc::new(AtomicUsize::new(0)), Arc::new(tokio::sync::Notify::new()));
    let (count, notify) = (alive.clone(), begun.clone());
    let builder = builder().on_callback(move |_| {
        let (alive, begun) = (Alive::new(&count), notify.clone());
        async move {
            let _alive = alive;
            begun.notify_one();
            std::future::pending::<CallbackAnswer>().await
        }
    });
    let (client, lines) = asked(vec![callback], builder).await;
    (client, lines, alive, begun)
}

/// Returns the message of the error in an answer to a callback.
fn error_of(answer: &Value) -> &str {
    answer["params"]["response"]["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

async fn ended(alive: &AtomicUsize) {
    until(|| alive.load(Ordering::SeqCst) == 0).await;
}

#[tokio::test]
async fn a_handler_ends_with_the_call_of_its_callback() {
    let mut of_call = callback("a");
    of_call["request_id"] = json!("call");
    let (client, lines, alive, begun) = never_answering(of_call).await;
    tokio::select! {
        _ = client.call_tool("stay", RawJson::empty_object()) => panic!("the call is not answered"),
        () = within(begun.notified()) => assert_eq!(alive.load(Ordering::SeqCst), 1),
    }
    ended(&alive).await;
    within(client.ping()).await.unwrap();
    assert_eq!(lines.of(RESPOND), [] as [Value; 0]);
}

#[tokio::test]
async fn a_handler_ends_when_its_callback_times_out() {
    let mut short = callback("b");
    short["timeout_ms"] = json!(20);
    let (client, lines, alive, begun) = never_answering(short).await;
    call(&client, "end").await;
    within(begun.notified()).await;
    ended(&alive).await;
    within(client.ping()).await.unwrap();
    assert_eq!(lines.of(RESPOND), [] as [Value; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_handler_timeout_is_reported_and_text_has_a_minute() {
    let mut patient = callback("b");
    patient["timeout_ms"] = json!(3_600_001);
    let text = json!({"callback_id": "n", "type": "notification", "message": "Nearly done"});
    for (callback, minutes, told) in [(callback("a"), 60, true), (patient, 60, true), (text, 1, false)] {
        let (client, lines, alive, begun) = never_answering(callback).await;
        call(&client, "end").await;
        within(begun.notified()).await;
        tokio::time::sleep(Duration::from_secs(minutes * 60 - 1)).await;
        assert_eq!(alive.load(Ordering::SeqCst), 1);
        tokio::time::sleep(Duration::from_secs(2)).await;
        ended(&alive).await;
        if told {
            let answers = lines.wait_for(RESPOND, 1).await;
            assert_eq!(error_of(&answers[0]), "nobody answered the callback within 3600s");
        } else {
            within(client.ping()).await.unwrap();
            assert_eq!(lines.of(RESPOND), [] as [Value; 0]);
        }
    }
}

#[tokio::test]
async fn a_refused_answer_is_followed_by_one_error() {
    let paint = async |ask: Ask| {
        let answer = ask.select("color", "Which color?", ["red", "blue"]).await;
        Ok::<_, ToolError>(answer.map_or_else(|error| error.message(), Option::unwrap_or_default))
    };
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let builder = builder().on_callback(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        async { CallbackAnswer::text("green") }
    });
    let server = Server::new("painter", "1").tool(Tool::new("paint", "Paints", paint));
    let connected = connect(Way::Stream(Era::Initialize), server, builder).await;
    let painted = within(connected.client.call_tool("paint", RawJson::empty_object())).await.unwrap();
    let text = painted.content[0].as_text().unwrap();
    assert!(text.contains("expected one of the options"), "{text}");
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_question_outside_a_running_call_is_an_error() {
    for request_id in [json!(4711), json!("seven")] {
        let mut foreign = callback("f");
        foreign["request_id"] = request_id.clone();
        let builder = builder().on_callback(async |_| CallbackAnswer::confirm());
        let (client, lines) = asked(vec![foreign], builder).await;
        call(&client, "end").await;
        let answers = lines.wait_for(RESPOND, 1).await;
        let expected =
            format!("invalid request_id: expected the id of a request in flight, found {request_id}");
        assert_eq!(error_of(&answers[0]), expected);
    }
}

#[tokio::test]
async fn a_text_just_before_the_end_of_its_call_reaches_the_handler() {
    for _ in 0..20 {
        let (hear, mut heard) = tokio::sync::mpsc::unbounded_channel();
        let builder = builder().on_callback(move |callback: CallbackRequestParams| {
            let hear = hear.clone();
            async move {
                tokio::task::yield_now().await;
                hear.send(callback.message).unwrap();
                CallbackAnswer::confirm()
            }
        });
        let told = json!({"callback_id": "n", "request_id": "call", "type": "notification", "message": "Nearly done"});
        let (client, _lines) = asked(vec![told], builder).await;
        call(&client, "end").await;
        assert_eq!(within(heard.recv()).await.unwrap(), "Nearly done");
    }
}

#[tokio::test]
async fn a_handler_s_error_or_panic_becomes_an_error_answer() {
    let builder = builder().on_callback(async |callback: CallbackRequestParams| {
        assert_ne!(callback.callback_id, "panics");
        if callback.callback_id == "own" {
            return Err(ErrorObject::invalid_request("not now").into());
        }
        Err::<CallbackAnswer, mgp_client_sdk::BoxError>("no user".into())
    });
    let unreadable = json!({"callback_id": "unreadable", "type": "riddle", "message": "?"});
    let callbacks = vec![callback("fails"), callback("own"), callback("panics"), unreadable];
    let (client, lines) = asked(callbacks, builder).await;
    call(&client, "end").await;
    let answers = lines.wait_for(RESPOND, 4).await;
    for (id, problem) in [
        ("fails", "failed to answer the callback: no user"),
        ("own", "not now"),
        ("panics", "the handler panicked"),
        ("unreadable", "type"),
    ] {
        let answer = answers.iter().find(|answer| answer["params"]["callback_id"] == id).unwrap();
        let message = error_of(answer);
        assert!(message.contains(problem), "{id}: {message}");
    }
}

#[tokio::test]
async fn a_repeated_id_is_answered_once_and_at_most_64_handlers_run() {
    let alive = Arc::new(AtomicUsize::new(0));
    let count = alive.clone();
    let builder = builder().on_callback(move |_| {
        let alive = Alive::new(&count);
        async move {
            let _alive = alive;
            std::future::pending::<CallbackAnswer>().await
        }
    });
    let mut callbacks = vec![callback("cb-0"), callback("cb-0")];
    callbacks.extend((1..70).map(|number| callback(&format!("cb-{number}"))));
    let (client, lines) = asked(callbacks, builder).await;
    call(&client, "end").await;
    let refused = lines.wait_for(RESPOND, 6).await;
    for answer in &refused {
        let message = error_of(answer);
        assert_eq!(message, "too many callbacks at once: at most 64 are answered");
    }
    within(client.ping()).await.unwrap();
    assert_eq!((alive.load(Ordering::SeqCst), lines.of(RESPOND).len()), (64, 6));

    let (handled, open) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
    let (count, door) = (handled.clone(), open.clone());
    let builder = super::support::builder().on_callback(move |callback: CallbackRequestParams| {
        count.fetch_add(1, Ordering::SeqCst);
        let door = door.clone();
        async move {
            if callback.callback_id == "a" {
                door.acquire().await.unwrap().forget();
            }
            CallbackAnswer::confirm()
        }
    });
    let (client, lines) = asked(vec![callback("a"), callback("a"), callback("b")], builder).await;
    call(&client, "end").await;
    // The answer to `b` says that both before it were read.
    assert_eq!(lines.wait_for(RESPOND, 1).await[0]["params"]["callback_id"], "b");
    open.add_permits(2);
    lines.wait_for(RESPOND, 2).await;
    within(client.ping()).await.unwrap();
    assert_eq!((handled.load(Ordering::SeqCst), lines.of(RESPOND).len()), (2, 2));
}

#[tokio::test]
async fn a_notification_reaches_the_handler_and_is_not_answered() {
    let (hear, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let builder = builder().on_callback(move |callback: CallbackRequestParams| {
        hear.send(callback.message).unwrap();
        async { CallbackAnswer::confirm() }
    });
    let told = json!({"callback_id": "n", "type": "notification", "message": "Nearly done"});
    let (client, lines) = asked(vec![told, callback("c")], builder).await;
    call(&client, "end").await;
    assert_eq!(within(heard.recv()).await.unwrap(), "Nearly done");
    let answers = lines.wait_for(RESPOND, 1).await;
    assert_eq!(answers[0]["params"]["callback_id"], "c");
    within(client.ping()).await.unwrap();
    assert_eq!(lines.of(RESPOND).len(), 1);
}
