//! The questions of a task are answered by the client's own handlers.

use super::support::{begin, by_hand, quick, shown};
use crate::{
    scripted::result,
    support::{FORM, Way, builder, connect, text, within},
};
use mgp_client_sdk::{
    CallError, Era, RawJson, RawObject,
    client::{Limits, TaskError},
    mcp::{
        ContentBlock, CreateMessageParams, CreateMessageResult, ElicitAction, ElicitParams, ElicitResult,
        FormElicitation, Role, Root, SamplingContent, tasks::TaskStatus,
    },
};
use mgp_server_sdk::{
    Server, Tool, ToolError,
    ask::Ask,
    task::{TaskLimits, TaskSupport},
};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

fn accepted(content: &str) -> ElicitResult {
    let content = Some(RawObject::parse(content.to_owned()).unwrap());
    ElicitResult { action: ElicitAction::Accept, content, meta: None }
}

/// Returns a server whose task asks every kind of question, some of them at once.
fn curious() -> Server {
    let curious = async |ask: Ask| -> Result<String, ToolError> {
        let form = || ElicitParams::form("Who?", RawJson::parse(FORM).unwrap());
        let (one, roots) = tokio::join!(ask.elicit("one", form()), ask.roots("roots"));
        let two = ask.elicit("two", form()).await?;
        let thought = ask.sample("thought", CreateMessageParams::user("Why?", 10)).await?;
        let name = |answer: ElicitResult| answer.content.and_then(|content| content.text("name"));
        let (one, two) = (name(one?).unwrap_or_default(), name(two).unwrap_or_default());
        let thought = thought.content.blocks()[0].as_text().unwrap_or_default().to_owned();
        Ok(format!("{one} {two} {} {thought}", roots?.roots[0].uri))
    };
    let limits = TaskLimits { poll_interval: Duration::from_millis(1), ..TaskLimits::default() };
    let tool = Tool::new("curious", "", curious).task(TaskSupport::Required);
    Server::new("s", "1").task_limits(limits).tool(tool)
}

#[tokio::test]
async fn a_task_s_questions_are_each_answered_once() {
    for way in Way::ALL {
        let forms = Arc::new(AtomicUsize::new(0));
        let counted = forms.clone();
        let answer = move |_: FormElicitation| {
            let count = counted.fetch_add(1, Ordering::SeqCst) + 1;
            async move { accepted(&format!(r#"{{"name":"name{count}"}}"#)) }
        };
        let think = async |_: CreateMessageParams| CreateMessageResult {
            role: Role::Assistant,
            content: SamplingContent::One(Box::new(ContentBlock::text("Because."))),
            model: "m".into(),
            stop_reason: None,
            meta: None,
            other: RawObject::new(),
        };
        let root = Root { uri: "file:///a".into(), name: None, meta: None };
        let client = quick().on_elicit_form(answer).on_sample(think).roots([root]);
        let connected = connect(*way, curious(), client).await;
        let task = begin(&connected.client, "curious").await;
        assert_eq!(text(&within(task.result()).await.unwrap()), "name1 name2 file:///a Because.", "{way:?}");
        assert_eq!(forms.load(Ordering::SeqCst), 2, "{way:?}");
    }
}

fn asks(keys: &[&str]) -> Value {
    let question = json!({
        "method": "elicitation/create", "params": {"message": "Sure?", "requestedSchema": {"type": "object"}}
    });
    let requests: serde_json::Map<_, _> =
        keys.iter().map(|key| ((*key).to_owned(), question.clone())).collect();
    shown("input_required", json!({"inputRequests": requests, "pollIntervalMs": 1}))
}

fn done() -> Value {
    shown("completed", json!({"result": {"content": [{"type": "text", "text": "done"}]}}))
}

#[tokio::test(start_paused = true)]
async fn a_question_still_shown_after_its_answer_is_not_repeated() {
    let (looks, asked) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let answer = move |method: &str, _: &Value| match method {
        "tasks/get" => result(match looks.fetch_add(1, Ordering::SeqCst) {
            0 | 1 => asks(&["a"]),
            2 | 3 => asks(&["a", "b"]),
            _ => done(),
        }),
        _ => result(json!({"resultType": "complete"})),
    };
    let counted = asked.clone();
    let handler = move |_: FormElicitation| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { accepted("{}") }
    };
    let (client, lines) = by_hand(Era::Stateless, builder().on_elicit_form(handler), answer).await;
    let task = begin(&client, "any").await;
    // Two callers that wait do not answer a question twice either.
    let (one, other) = tokio::join!(task.result(), task.result());
    assert_eq!((text(&one.unwrap()), text(&other.unwrap())), ("done", "done"));
    let updates = lines.of("tasks/update");
    let answers: Vec<_> = updates.iter().map(|line| line["params"]["inputResponses"].clone()).collect();
    let accept = json!({"action": "accept", "content": {}});
    assert_eq!(answers, [json!({"a": accept}), json!({"b": accept})]);
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    assert!(updates.iter().all(|line| line["params"]["taskId"] == "t"), "{updates:?}");
}

#[tokio::test(start_paused = true)]
async fn a_failed_handler_fails_the_wait_but_allows_a_later_answer() {
    let answered = Arc::new(AtomicBool::new(false));
    let seen = answered.clone();
    let answer = move |method: &str, _: &Value| match method {
        "tasks/get" if seen.load(Ordering::SeqCst) => result(done()),
        "tasks/get" => result(asks(&["a"])),
        _ => {
            seen.store(true, Ordering::SeqCst);
            result(json!({"resultType": "complete"}))
        }
    };
    let awake = Arc::new(AtomicBool::new(false));
    let user = awake.clone();
    let handler = move |_: FormElicitation| {
        let awake = user.load(Ordering::SeqCst);
        async move { if awake { Ok(accepted("{}")) } else { Err("the user is asleep") } }
    };
    let (client, lines) = by_hand(Era::Stateless, builder().on_elicit_form(handler), answer).await;
    let task = begin(&client, "any").await;
    match task.result().await {
        Err(TaskError::Call(CallError::Input { method, error })) => {
            assert!(method == "elicitation/create" && error.message.contains("asleep"), "{error}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(task.status(), TaskStatus::InputRequired);
    assert!(lines.of("tasks/update").is_empty());
    awake.store(true, Ordering::SeqCst);
    assert_eq!(text(&task.result().await.unwrap()), "done");
    assert_eq!(lines.of("tasks/update").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_task_s_questions_are_bounded() {
    let handler = async |_: FormElicitation| accepted("{}");
    for (limits, expected) in [
        (Limits { questions: 2, ..Limits::default() }, "tasks/get: expected at most 2 questions at once"),
        (
            Limits { task_questions: 4, ..Limits::default() },
            "tasks/get: the task asked more than 4 questions",
        ),
    ] {
        let looks = AtomicUsize::new(0);
        let answer = move |method: &str, _: &Value| match method {
            "tasks/get" => {
                let look = looks.fetch_add(1, Ordering::SeqCst);
                let keys: Vec<_> = (0..3).map(|key| format!("{look}-{key}")).collect();
                result(asks(&keys.iter().map(String::as_str).collect::<Vec<_>>()))
            }
            _ => result(json!({"resultType": "complete"})),
        };
        let client = builder().on_elicit_form(handler).limits(limits);
        let (client, lines) = by_hand(Era::Stateless, client, answer).await;
        let error = begin(&client, "any").await.result().await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(lines.of("tasks/update").len() <= 1);
    }
}

#[tokio::test(start_paused = true)]
async fn an_unreadable_or_unanswered_question_is_an_error() {
    for (question, expected) in [
        (json!({"params": {}}), "missing method"),
        (json!({"method": "x/y"}), "the peer asked for x/y"),
        (json!({"method": "elicitation/create", "params": {}}), "the peer asked for elicitation/create"),
    ] {
        let answer = move |_: &str, _: &Value| {
            result(shown("input_required", json!({"inputRequests": {"a": question.clone()}})))
        };
        let (client, _lines) = by_hand(Era::Stateless, builder(), answer).await;
        let error = begin(&client, "any").await.result().await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
