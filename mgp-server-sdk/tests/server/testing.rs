//! The test client: calls, progress, chunks, questions, tasks, notifications.

use mgp_server_sdk::{
    CallToolResult, ContentBlock, Error, ErrorType, Json, Notifier, Progress, Prompt, Resource, Server,
    StreamContent, StreamSink, Tool, ToolError,
    ask::Ask,
    extract::{Args, PartialResult, Prefix},
    mcp::{CompletionReference, CreateMessage, Elicit, ElicitResult},
    task::TaskSupport,
    testing::{CallUpdate, TestError},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Sum {
    a: i64,
    b: i64,
}

fn add(Args(Sum { a, b }): Args<Sum>) -> String {
    (a + b).to_string()
}

async fn steps(mut progress: Progress, mut sink: StreamSink) -> Result<StreamContent, ToolError> {
    for step in 1..=2 {
        progress.report(step.into(), Some(2.0), Some("working")).await?;
        sink.send_text(&step.to_string()).await?;
    }
    Ok(sink.finish())
}

#[derive(Deserialize, JsonSchema)]
struct User {
    name: String,
}

async fn greet(ask: Ask) -> Result<String, ToolError> {
    let Some(User { name }) = ask.form("name", "Who are you?").await? else { return Ok("hello".into()) };
    Ok(match ask.confirm("sure", "Really?").await? {
        true => format!("hello, {name}"),
        false => "hello, stranger".into(),
    })
}

async fn change(notifier: Notifier) {
    notifier.tools_changed().await;
}

fn server() -> Server {
    Server::new("s", "1")
        .page_size(2)
        .tool(Tool::new("add", "", add))
        .tool(Tool::new("swap", "", |Args(Sum { a, b }): Args<Sum>| Json(Sum { a: b, b: a })))
        .tool(Tool::new("steps", "", steps))
        .tool(Tool::new("greet", "", greet))
        .tool(Tool::new("fail", "", || Err::<(), _>("out of order")))
        .tool(Tool::new("work", "", async || "done").task(TaskSupport::Required))
        .tool(Tool::new("change", "", change))
        .resource(Resource::text("x://a", "a", || "text"))
        .prompt(Prompt::new("ask", "", || "What?"))
}

#[tokio::test]
async fn a_call_returns_the_requested_type_or_the_tool_s_error() {
    let client = server().test_client().await.unwrap();
    let sum: i64 = client.call("add", &Sum { a: 1, b: 2 }).await.unwrap();
    assert_eq!(sum, 3);
    assert_eq!(client.call::<String>("add", json!({"a": 1, "b": 2})).await.unwrap(), "3");
    assert_eq!(client.call::<Sum>("swap", &Sum { a: 1, b: 2 }).await.unwrap(), Sum { a: 2, b: 1 });
    let error = client.call::<()>("fail", ()).await.unwrap_err();
    assert!(matches!(&error, TestError::Tool(result) if result.failed()));
    assert_eq!(error.to_string(), "out of order");
    assert_eq!(error.detail().unwrap().error_type, ErrorType::ToolExecutionError);
    let result: CallToolResult = client.call_tool("fail", ()).await.unwrap();
    assert!(result.failed());
    let error = client.call::<i64>("add", json!({"a": "one", "b": 2})).await.unwrap_err();
    assert!(error.to_string().starts_with("invalid arguments: "), "{error}");
    let error = client.call::<i64>("nothing", ()).await.unwrap_err();
    assert!(matches!(&error, TestError::Call(_)), "{error}");
    let error = client.call::<bool>("add", &Sum { a: 1, b: 2 }).await.unwrap_err();
    assert!(matches!(&error, TestError::Result { result, .. } if result == "3"), "{error}");
}

#[tokio::test]
async fn tools_resources_and_prompts_can_be_listed_and_read() {
    let client = server().test_client().await.unwrap();
    assert_eq!(client.list_tools().await.unwrap().len(), 7);
    assert_eq!(client.read_resource("x://a").await.unwrap().text(), Some("text"));
    let prompt = client.get_prompt("ask", ()).await.unwrap();
    assert_eq!(prompt.messages[0].content.as_text(), Some("What?"));
}

#[tokio::test]
async fn progress_and_chunks_precede_the_result() {
    let client = server().test_client().await.unwrap();
    let mut call = client.stream("steps", ());
    for step in 1..=2 {
        let message = Some("working".to_owned());
        let progress = CallUpdate::Progress { progress: f64::from(step), total: Some(2.0), message };
        assert_eq!(call.next().await, Some(progress));
        assert_eq!(call.next().await, Some(CallUpdate::Chunk(ContentBlock::text(step.to_string()))));
    }
    assert_eq!(call.next().await, None);
    assert_eq!(call.result::<String>().await.unwrap(), "12");
    // A caller that does not read the updates gets the result all the same.
    assert_eq!(client.stream("steps", ()).result::<String>().await.unwrap(), "12");
    // A plain client gets progress, and no chunks.
    let plain = server().build().unwrap().plain_test_client().await.unwrap();
    let mut call = plain.stream("steps", ());
    while let Some(update) = call.next().await {
        assert!(matches!(update, CallUpdate::Progress { .. }));
    }
    assert_eq!(call.result::<String>().await.unwrap(), "12");
}

#[tokio::test]
async fn a_cancelled_call_returns_its_partial_result() {
    let search = async |partial: PartialResult, mut progress: Progress| -> Result<String, ToolError> {
        partial.set("searched the attic")?;
        progress.report(1.0, None, None).await?;
        std::future::pending().await
    };
    let server = || server().tool(Tool::new("search", "", search));
    let client = server().test_client().await.unwrap();
    let mut call = client.stream("search", ());
    assert!(matches!(call.next().await, Some(CallUpdate::Progress { .. })));
    assert_eq!(call.cancel().await.unwrap().joined_text(), "searched the attic");
    // A call that has ended returns its result.
    let mut call = client.stream("steps", ());
    while call.next().await.is_some() {}
    assert_eq!(call.cancel().await.unwrap().joined_text(), "12");
}

#[tokio::test]
async fn completions_get_the_prefix_and_the_other_arguments() {
    #[derive(Deserialize, JsonSchema)]
    struct Review {
        language: String,
    }
    let review = Prompt::new("review", "", |Args(Review { language }): Args<Review>| language)
        .complete("language", |Prefix(typed): Prefix| vec![format!("{typed}st")]);
    let client = Server::new("s", "1").prompt(review).test_client().await.unwrap();
    let reference = || CompletionReference::Prompt { name: "review".into(), title: None };
    for filled in [&[][..], &[("style", "short")]] {
        assert_eq!(client.complete(reference(), ("language", "ru"), filled).await.unwrap().values, ["rust"]);
    }
    let unknown = CompletionReference::Prompt { name: "other".into(), title: None };
    assert!(client.complete(unknown, ("language", "ru"), &[]).await.is_err());
}

#[tokio::test]
async fn structured_content_may_have_an_image_behind_it() {
    let chart = || (Json(Sum { a: 1, b: 2 }), vec![ContentBlock::image([1, 2, 3], "image/png")]);
    let client = Server::new("s", "1").tool(Tool::new("chart", "", chart)).test_client().await.unwrap();
    let result = client.call_tool("chart", ()).await.unwrap();
    assert_eq!(result.structured_content.as_ref().unwrap().as_str(), r#"{"a":1,"b":2}"#);
    let [ContentBlock::Text(text), ContentBlock::Image(image)] = &result.content[..] else {
        panic!("{result:?}")
    };
    assert_eq!((&*text.text, &*image.mime_type), (r#"{"a":1,"b":2}"#, "image/png"));
    assert!(client.list_tools().await.unwrap()[0].output_schema.is_some());
    assert_eq!(client.call::<Sum>("chart", ()).await.unwrap(), Sum { a: 1, b: 2 });
}

#[tokio::test]
async fn questions_are_answered_as_scripted() {
    let client = server().test_client().await.unwrap();
    let error = client.call::<String>("greet", ()).await.unwrap_err();
    assert!(error.to_string().contains("the test has no answer to elicitation/create"), "{error}");
    client.fill_forms(&json!({"name": "Ada"})).unwrap();
    assert_eq!(client.call::<String>("greet", ()).await.unwrap(), "hello, Ada");
    client.fill_forms(&json!({"name": 7})).unwrap();
    let error = client.call::<String>("greet", ()).await.unwrap_err();
    assert!(error.to_string().starts_with("failed to read the form: "), "{error}");
    client.answer::<Elicit>(|_| ElicitResult::decline());
    assert_eq!(client.call::<String>("greet", ()).await.unwrap(), "hello");
    assert!(client.fill_forms(&"Ada").is_err());
    client.answer::<CreateMessage>(|_| unreachable!("nobody asks for it"));
}

#[tokio::test]
async fn a_task_can_be_awaited_and_notifications_received() {
    let client = server().test_client().await.unwrap();
    assert_eq!(client.call_as_task::<String>("work", ()).await.unwrap(), "done");
    client.call::<()>("change", ()).await.unwrap();
    loop {
        let heard = client.notification().await.unwrap();
        if heard.method == *"notifications/tools/list_changed" {
            break;
        }
    }
}

#[tokio::test]
async fn an_invalid_server_is_the_error_of_its_client() {
    let error = Server::new("s", "1").tool(Tool::new("a b", "", || "")).test_client().await.unwrap_err();
    assert!(matches!(error, TestError::Build(Error::ToolName(name)) if name == "a b"));
}
