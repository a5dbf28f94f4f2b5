//! The arguments that a handler may have.

use crate::support::Client;
use mgp_server_sdk::{
    Call, CancelToken, Negotiation, Peer, Principal, Server, Session, Tool, ToolError, TraceId,
    extract::{Args, Caller, FromCall, Log, Prefix, RawArgs, State, Uri},
};
use mgp_transport::{
    connection::Connection,
    memory,
    seam::{BoxError, Incoming, Reply},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

#[derive(Deserialize, JsonSchema)]
struct Word {
    word: String,
}

#[derive(Clone)]
struct Counter(Arc<str>);

fn one(tool: Tool) -> Server {
    Server::new("one", "1").tool(tool)
}

#[tokio::test]
async fn eight_arguments_each_have_their_extractor() {
    #[allow(clippy::too_many_arguments)]
    async fn all(
        State(counter): State<Counter>,
        Args(Word { word }): Args<Word>,
        RawArgs(json): RawArgs,
        Caller(caller): Caller,
        peer: Peer,
        session: Session,
        negotiated: Option<Negotiation>,
        cancel: CancelToken,
    ) -> String {
        let same = peer.session().id() == session.id();
        let (mgp, cancelled) = (negotiated.is_some(), cancel.is_cancelled());
        format!("{} {word} {json} {caller:?} {same} {mgp} {cancelled}", counter.0)
    }
    let server = || one(Tool::new("all", "", all)).state(Counter("shared".into()));
    let expected = r#"shared hi {"word":"hi"} None true true false"#;
    assert_eq!(Client::mgp(server()).await.text("all", json!({"word": "hi"})).await, expected);
    let plain = Client::plain(server()).await.text("all", json!({"word": "hi"})).await;
    assert_eq!(plain, expected.replace("true true", "true false"));
}

#[tokio::test]
async fn the_caller_is_the_authenticated_principal_of_the_session() {
    let who = async |Caller(who): Caller| who.map(|who| who.id().to_owned()).unwrap_or_default();
    let stack = one(Tool::new("who", "", who)).build().unwrap();
    let (here, there) = memory::pair();
    let session = Session::new("s");
    session.set(Principal::agent("agent.a"));
    let _server = stack.connection().session(session).over(there.0, there.1);
    let ignore = tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::none()) });
    let client = Connection::builder(ignore).over(here.0, here.1);
    let ask = |method: &'static str, params| client.peer().request_raw(method, crate::support::raw(&params));
    ask("initialize", crate::support::hello(false)).await.unwrap();
    let params = json!({"name": "who", "arguments": {"caller": "agent.b"}});
    let result = ask("tools/call", params).await.unwrap();
    assert!(result.as_str().contains("agent.a"), "{result}");
}

#[tokio::test]
async fn a_tool_that_needs_mgp_refuses_a_plain_client() {
    let tool = || Tool::new("only", "", async |mgp: Negotiation| mgp.version.to_string());
    assert_eq!(Client::mgp(one(tool())).await.text("only", json!({})).await, "0.3.0");
    let told = Client::plain(one(tool())).await.failure("only", json!({})).await;
    assert_eq!(told, "this needs a client that supports MGP");
}

#[tokio::test]
async fn a_trace_is_the_request_s_or_a_new_one() {
    let tool = Tool::new("trace", "", async |trace: TraceId| trace.as_str().to_owned());
    let client = Client::mgp(one(tool)).await;
    let params = json!({"name": "trace", "_mgp": {"trace_id": "t-1"}});
    let result = client.request("tools/call", params).await.unwrap();
    assert_eq!(result["content"][0]["text"], "t-1");
    let first = client.text("trace", json!({})).await;
    assert_eq!(first.len(), 36);
    assert_ne!(client.text("trace", json!({})).await, first);
}

#[tokio::test]
async fn a_custom_extractor_works_like_a_built_in_one() {
    struct Shout(String);
    impl FromCall for Shout {
        type Rejection = ToolError;
        async fn from_call(call: &Call) -> Result<Self, ToolError> {
            let RawArgs(json) = RawArgs::from_call(call).await?;
            let object = mgp_types::json::RawObject::from_json(&json)?;
            object.text("word").map(|word| Self(word.to_uppercase())).ok_or_else(|| "no word".into())
        }
    }
    let client = Client::plain(one(Tool::new("shout", "", async |Shout(word): Shout| word))).await;
    assert_eq!(client.text("shout", json!({"word": "hi"})).await, "HI");
    assert_eq!(client.failure("shout", json!({})).await, "no word");
}

#[tokio::test]
async fn an_extractor_of_another_method_is_an_internal_error() {
    /// An extractor that takes another without declaring it; an extractor that declares it is refused when the server is built.
    struct Quiet<T>(T);

    impl<T: FromCall> FromCall for Quiet<T> {
        type Rejection = T::Rejection;

        async fn from_call(call: &Call) -> Result<Self, T::Rejection> {
            T::from_call(call).await.map(Self)
        }
    }

    let uri = async |Quiet(Uri(uri)): Quiet<Uri>| uri.to_string();
    let prefix = async |Quiet(Prefix(text)): Quiet<Prefix>| text.to_string();
    let server = one(Tool::new("uri", "", uri)).tool(Tool::new("prefix", "", prefix));
    let client = Client::plain(server).await;
    let error = client.call("uri", json!({})).await.unwrap_err();
    assert_eq!((error.code, &*error.message), (-32603, "internal error: Uri is for handlers of resources"));
    let error = client.call("prefix", json!({})).await.unwrap_err();
    assert_eq!(error.message, "internal error: Prefix is for handlers of completions");
}

#[tokio::test]
async fn log_messages_are_sent_from_the_requested_level() {
    let chatty = async |log: Log| {
        log.debug("d").await;
        log.info("i").await;
        log.write(mgp_server_sdk::LoggingLevel::Error, &json!({"code": 7})).await;
    };
    let mut client = Client::plain(one(Tool::new("chatty", "", chatty))).await;
    assert_eq!(client.initialized["capabilities"]["logging"], json!({}));
    let message = |level: &str, data| {
        let params = json!({"level": level, "logger": "one", "data": data});
        ("notifications/message".to_owned(), params)
    };
    client.call("chatty", json!({})).await.unwrap();
    assert_eq!(client.heard().await, message("info", json!("i")));
    assert_eq!(client.heard().await, message("error", json!({"code": 7})));
    client.request("logging/setLevel", json!({"level": "debug"})).await.unwrap();
    client.call("chatty", json!({})).await.unwrap();
    assert_eq!(client.heard().await, message("debug", json!("d")));
    client.heard().await;
    client.heard().await;
    client.request("logging/setLevel", json!({"level": "critical"})).await.unwrap();
    client.call("chatty", json!({})).await.unwrap();
    client.heard_nothing_more().await;
    let error = client.request("logging/setLevel", json!({"level": "loud"})).await.unwrap_err();
    assert_eq!(error.code, -32602);
    assert!(error.message.contains("loud"), "{error}");
}
