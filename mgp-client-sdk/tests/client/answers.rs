//! The answers of a client to questions of its server.

use crate::support::{Way, builder, connect, everything, text, within};
use mgp_client_sdk::{
    CallError, RawJson, RawObject,
    client::ClientBuilder,
    mcp::{
        ContentBlock, CreateMessageParams, CreateMessageResult, ElicitAction, ElicitParams, ElicitResult,
        FormElicitation, Role, Root, SamplingContent,
    },
};
use mgp_types::rpc::ErrorObject;
use std::sync::atomic::{AtomicUsize, Ordering};

fn accept(members: &str) -> ElicitResult {
    let content = Some(RawObject::parse(members.to_owned()).unwrap());
    ElicitResult { action: ElicitAction::Accept, content, meta: None }
}

/// Checks the text of a tool's result in every way in which a client is asked.
async fn check(tool: &str, build: impl Fn() -> ClientBuilder, expected: &str) {
    for way in Way::ALL {
        let connected = connect(*way, everything(), build()).await;
        let called = within(connected.client.call_tool(tool, RawJson::empty_object()));
        assert_eq!(text(&called.await.unwrap()), expected, "{way:?}");
    }
}

#[tokio::test]
async fn a_form_answer_gets_defaults_for_missing_fields() {
    let answer = async |params: ElicitParams| accept(&format!(r#"{{"name":{:?}}}"#, params.message()));
    check("greet", || builder().on_elicit(answer), "accept Dr. Who are you?").await;
    let answer = async |_: FormElicitation| accept(r#"{"name":"Ada","title":"Ms."}"#);
    check("greet", || builder().on_elicit_form(answer), "accept Ms. Ada").await;
    let decline = async |_: FormElicitation| ElicitResult::decline();
    check("greet", || builder().on_elicit_form(decline), "decline ? ?").await;
}

#[tokio::test]
async fn sampling_and_roots_are_answered() {
    let think = async |params: CreateMessageParams| -> Result<CreateMessageResult, ErrorObject> {
        let asked = params.messages[0].content.blocks()[0].as_text().unwrap_or_default().to_owned();
        Ok(CreateMessageResult {
            role: Role::Assistant,
            content: SamplingContent::One(Box::new(ContentBlock::text(format!("{asked} Because.")))),
            model: "m".into(),
            stop_reason: None,
            meta: None,
            other: RawObject::new(),
        })
    };
    check("think", || builder().on_sample(think), "Why? Because.").await;
    let root = |uri: &str| Root { uri: uri.into(), name: None, meta: None };
    check("roots", || builder().roots([root("file:///a"), root("file:///b")]), "file:///a file:///b").await;
    let asked = AtomicUsize::new(0);
    let asked: &'static AtomicUsize = Box::leak(Box::new(asked));
    let roots =
        move || async move { vec![root(&format!("file:///{}", asked.fetch_add(1, Ordering::Relaxed)))] };
    for (count, way) in Way::ALL.iter().enumerate() {
        let connected = connect(*way, everything(), builder().on_roots(roots)).await;
        let result = within(connected.client.call_tool("roots", RawJson::empty_object())).await.unwrap();
        assert_eq!(text(&result), format!("file:///{count}"));
        within(connected.client.roots_changed()).await.unwrap();
    }
}

#[tokio::test]
async fn a_failing_handler_is_named_in_the_error() {
    let fails = async |_: FormElicitation| Err::<ElicitResult, _>("the user is asleep");
    let own = async |_: FormElicitation| Err::<ElicitResult, _>(ErrorObject::new(-1, "not now"));
    let panics = async |_: FormElicitation| -> ElicitResult { panic!("the screen is gone") };
    let cases: [(ClientBuilder, i64, &str); 3] = [
        (builder().on_elicit_form(fails), -32603, "failed to answer elicitation/create: the user is asleep"),
        (builder().on_elicit_form(own), -1, "not now"),
        (
            builder().on_elicit_form(panics),
            -32603,
            "failed to answer elicitation/create: the handler panicked",
        ),
    ];
    for way in Way::ALL {
        for (builder, code, message) in &cases {
            let connected = connect(*way, everything(), builder.clone()).await;
            let client = &connected.client;
            match within(client.call_tool("greet", RawJson::empty_object())).await {
                // The server asked by a request, got the error, and says so in its result.
                Ok(result) => {
                    assert!(!way.is_stateless() && result.failed());
                    assert!(text(&result).contains(&format!("{message} ({code})")), "{}", text(&result));
                }
                Err(CallError::Input { method, error }) => {
                    assert!(way.is_stateless() && method == "elicitation/create");
                    assert_eq!((error.code, error.message.as_str()), (*code, *message));
                }
                Err(other) => panic!("{way:?}: {other}"),
            }
            within(client.ping()).await.unwrap();
        }
    }
}

#[tokio::test]
async fn capabilities_follow_the_handlers_unless_overridden() {
    use mgp_client_sdk::mcp::ClientCapabilities;
    let elicit = async |_: ElicitParams| accept("{}");
    let form = async |_: FormElicitation| accept("{}");
    let sample = async |_: CreateMessageParams| Err::<CreateMessageResult, _>("no");
    let by_hand = ClientCapabilities(RawObject::parse(r#"{"sampling":{"tools":{}},"x":{}}"#).unwrap());
    for (builder, expected) in [
        (builder(), "{}"),
        (builder().on_elicit(elicit), r#"{"elicitation":{"form":{},"url":{}}}"#),
        (builder().on_elicit(elicit).on_elicit_form(form), r#"{"elicitation":{"form":{}}}"#),
        (builder().roots([]).on_sample(sample), r#"{"roots":{},"sampling":{}}"#),
        (builder().on_roots(async || Vec::<Root>::new()), r#"{"roots":{"listChanged":true}}"#),
        (
            builder().capabilities(by_hand).on_sample(sample).on_elicit_form(form),
            r#"{"sampling":{"tools":{}},"x":{},"elicitation":{"form":{}}}"#,
        ),
    ] {
        for way in [Way::ALL[0], Way::ALL[1]] {
            let said = crate::plain::said_capabilities(builder.clone().without_mgp(), way.era()).await;
            assert_eq!(said, serde_json::from_str::<serde_json::Value>(expected).unwrap(), "{way:?}");
        }
    }
}
