//! Everything that MCP has, through the kernel, for each pair of eras.

use crate::{
    raw_host::{As, ERAS, RawHost},
    support::{Setup, server_rule, start},
};
use mgp_kernel::{Endpoint, Era, EraChoice, InProcess, KernelBuilder, ServerSpec};
use mgp_server_sdk::{
    Progress, Prompt, Resource, ResourceTemplate, Server, ServerStack, Tool, ToolError,
    ask::Ask,
    extract::{Args, Log, Prefix},
};
use mgp_types::{
    audit::AuditEvent,
    json::RawJson,
    mcp::{CreateMessageParams, ElicitParams},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
struct NameArguments {
    name: String,
}

fn form(message: &str) -> ElicitParams {
    ElicitParams::form(message, RawJson::parse(r#"{"type":"object","properties":{}}"#).unwrap())
}

fn sampling() -> CreateMessageParams {
    let text = r#"{"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":5}"#;
    serde_json::from_str(text).unwrap()
}

/// Asks three things together and one after the other, and says what it hears.
async fn ask(ask: Ask) -> Result<String, ToolError> {
    let (who, said, roots) =
        tokio::join!(ask.elicit("who", form("Who?")), ask.sample("model", sampling()), ask.roots("roots"));
    let name = |content: Option<mgp_types::json::RawObject>| content.and_then(|given| given.text("name"));
    let who = name(who?.content).unwrap_or_default();
    let again = name(ask.elicit("again", form("Again?")).await?.content).unwrap_or_default();
    Ok(format!("{who} {} {} {again}", said?.model, roots?.roots[0].uri))
}

async fn talk(log: Log, mut progress: Progress) -> &'static str {
    log.debug("unheard").await;
    log.warning("heard").await;
    let _ = progress.report(1.0, Some(2.0), Some("half")).await;
    let _ = progress.report(2.0, Some(2.0), None).await;
    "talked"
}

async fn item(Args(NameArguments { name }): Args<NameArguments>) -> String {
    format!("item {name}")
}

async fn names(Prefix(typed): Prefix) -> Vec<String> {
    ["ann", "anna", "bob"].into_iter().filter(|name| name.starts_with(&*typed)).map(str::to_owned).collect()
}

/// A server with one of each.
pub(crate) fn everything() -> ServerStack {
    Server::new("everything", "1.0.0")
        .tool(Tool::new("ask", "Asks", ask).read_only(true))
        .tool(Tool::new("talk", "Talks", talk).read_only(true))
        .resource(Resource::text("mem://note", "note", async || "a note"))
        .resource_template(ResourceTemplate::text("mem://item/{name}", "item", item).complete("name", names))
        .prompt(
            Prompt::new("greet", "Greets", async |Args(NameArguments { name }): Args<NameArguments>| {
                format!("Greet {name}")
            })
            .complete("name", names),
        )
        .prompt(Prompt::new("asks", "Asks", async |ask: Ask| {
            Ok::<_, ToolError>(ask.elicit("who", form("Who?")).await?.action.to_string())
        }))
        .build()
        .unwrap()
}

/// Its spec, in an era.
pub(crate) fn spec(id: &str, era: Era, stack: &ServerStack) -> ServerSpec {
    let stack = stack.clone();
    let endpoint = Endpoint::InProcess(InProcess::new(move || stack.in_process()));
    let mut spec = ServerSpec::new(id, endpoint);
    spec.era = EraChoice::Known(era);
    spec
}

async fn kernel(era: Era) -> Setup {
    let build = |kernel: KernelBuilder| kernel.server(spec("all", era, &everything()));
    let setup = start(|kernel, _| build(kernel)).await;
    setup.kernel.access().put(server_rule("agent.test", "all")).await.unwrap();
    setup
}

/// Runs a test for each pair of eras.
async fn each_pair<F: Future<Output = ()>>(test: impl Fn(Setup, RawHost, (Era, Era)) -> F) {
    for host_era in ERAS {
        for server_era in ERAS {
            let setup = kernel(server_era).await;
            let host = setup.raw_host(As::plain(host_era)).await;
            test(setup, host, (host_era, server_era)).await;
        }
    }
}

/// The events of a type, each with a detail.
pub(crate) fn events(setup: &Setup, kind: &str, detail: &str) -> Vec<String> {
    let line = |event: &AuditEvent| {
        let told = event.details.as_ref().and_then(|details| details.text(detail)).unwrap_or_default();
        format!("{} {told}", event.result)
    };
    let all = setup.sink.events();
    all.iter().filter(|event| event.event_type.to_string() == kind).map(line).collect()
}

const REQUEST_FORWARDED: &str = "dev.cloto.mgp.REQUEST_FORWARDED";
const HOST_ASKED: &str = "dev.cloto.mgp.HOST_ASKED";

fn field(list: &Value, key: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|entry| entry[key].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn resources_prompts_and_completions_pass_between_the_eras() {
    each_pair(|setup, mut host, eras| async move {
        let listed = host.get("resources/list", json!({})).await;
        assert_eq!(field(&listed["resources"], "uri"), ["mem://note", "mgp://manifest"], "{eras:?}");
        let listed = host.get("resources/templates/list", json!({})).await;
        assert_eq!(field(&listed["resourceTemplates"], "uriTemplate"), ["mem://item/{name}"]);
        let listed = host.get("prompts/list", json!({})).await;
        assert_eq!(field(&listed["prompts"], "name"), ["greet", "asks"]);
        assert_eq!(events(&setup, REQUEST_FORWARDED, "method"), [""; 0], "lists are the kernel's own answer");

        let read = host.get("resources/read", json!({"uri": "mem://note"})).await;
        assert_eq!(read["contents"][0]["text"], "a note");
        let read = host.get("resources/read", json!({"uri": "mem://item/7"})).await;
        assert_eq!(read["contents"][0]["text"], "item 7");
        let got = host.get("prompts/get", json!({"name": "greet", "arguments": {"name": "Ann"}})).await;
        assert_eq!(got["messages"][0]["content"]["text"], "Greet Ann");
        for reference in [
            json!({"type": "ref/prompt", "name": "greet"}),
            json!({"type": "ref/resource", "uri": "mem://item/{name}"}),
        ] {
            let params = json!({"ref": reference, "argument": {"name": "name", "value": "an"}});
            let completed = host.get("completion/complete", params).await;
            assert_eq!(completed["completion"]["values"], json!(["ann", "anna"]), "{eras:?} {reference}");
        }
        let failed = host.refused("prompts/get", json!({"name": "greet"})).await;
        assert_eq!(failed["code"], -32602, "{failed}");
        assert_eq!(
            events(&setup, REQUEST_FORWARDED, "method"),
            [
                "SUCCESS resources/read",
                "SUCCESS resources/read",
                "SUCCESS prompts/get",
                "SUCCESS completion/complete",
                "SUCCESS completion/complete",
                "FAILURE prompts/get"
            ]
        );
        assert_eq!(
            events(&setup, REQUEST_FORWARDED, "subject")[..3],
            ["SUCCESS mem://note", "SUCCESS mem://item/7", "SUCCESS greet"]
        );
    })
    .await;
}

#[tokio::test]
async fn questions_at_once_or_in_turn_belong_to_one_event() {
    each_pair(|setup, mut host, eras| async move {
        assert_eq!(host.text("ask", json!({})).await, "Ann m file:///work Ann", "{eras:?}");
        let mut asked: Vec<_> = host.asked.iter().map(|(method, _)| method.as_str()).collect();
        assert_eq!(asked.pop(), Some("elicitation/create"), "{eras:?}");
        asked.sort_unstable();
        assert_eq!(asked, ["elicitation/create", "roots/list", "sampling/createMessage"], "{eras:?}");
        assert_eq!(host.rounds, if eras.0 == Era::Stateless { 2 } else { 0 }, "{eras:?}");
        assert_eq!(setup.calls(), ["TOOL_EXECUTED SUCCESS all.ask"], "{eras:?}");
        let mut recorded = events(&setup, HOST_ASKED, "method");
        recorded.sort_unstable();
        assert_eq!(
            recorded,
            [
                "SUCCESS elicitation/create",
                "SUCCESS elicitation/create",
                "SUCCESS roots/list",
                "SUCCESS sampling/createMessage"
            ],
            "{eras:?}"
        );
        // The questions come before the call that they belong to.
        let kinds: Vec<_> = setup.sink.events().iter().map(|event| event.event_type.to_string()).collect();
        assert_eq!(kinds.last().map(String::as_str), Some("TOOL_EXECUTED"), "{eras:?}");
    })
    .await;
}

#[tokio::test]
async fn a_prompt_can_ask_its_host_too() {
    each_pair(|setup, mut host, eras| async move {
        let got = host.get("prompts/get", json!({"name": "asks"})).await;
        assert_eq!(got["messages"][0]["content"]["text"], "accept", "{eras:?}");
        assert_eq!(events(&setup, HOST_ASKED, "agent"), ["SUCCESS agent.test"]);
        assert_eq!(events(&setup, REQUEST_FORWARDED, "subject"), ["SUCCESS asks"]);
    })
    .await;
}

/// Returns whether a message is one that a call brings before its answer.
fn is_of_call(message: &Value) -> bool {
    matches!(message["method"].as_str(), Some("notifications/message" | "notifications/progress"))
}

#[tokio::test]
async fn log_messages_and_progress_precede_the_answer() {
    each_pair(|setup, mut host, eras| async move {
        host.log_level = Some("warning");
        if eras.0 == Era::Initialize {
            host.get("logging/setLevel", json!({"level": "warning"})).await;
        }
        let call = json!({"name": "talk", "arguments": {}, "_meta": {"progressToken": "mine"}});
        let answer = host.get("tools/call", call).await;
        assert_eq!(answer["content"][0]["text"], "talked");
        let logged = host.hear("notifications/message").await;
        assert_eq!(
            (&logged["params"]["level"], &logged["params"]["data"]),
            (&json!("warning"), &json!("heard")),
            "{eras:?}"
        );
        // What servers that start late change is told besides.
        let progress = host.heard.iter().filter(|heard| heard["method"] == "notifications/progress");
        let progress: Vec<_> = progress.map(|heard| heard["params"].clone()).collect();
        let expected = json!([
            {"progressToken": "mine", "progress": 1, "total": 2, "message": "half"},
            {"progressToken": "mine", "progress": 2, "total": 2}
        ]);
        assert_eq!(json!(progress), expected, "{eras:?}");
        let of_call = |message: &&Value| message.get("result").is_some() || is_of_call(message);
        let last = host.read.iter().rfind(of_call).unwrap();
        assert!(last.get("result").is_some(), "the answer is the last message: {last}");
        // Who asks for neither gets neither.
        host.log_level = None;
        if eras.0 == Era::Initialize {
            host.get("logging/setLevel", json!({"level": "error"})).await;
        }
        host.heard.clear();
        host.call("talk", json!({})).await;
        assert!(!host.heard.iter().any(is_of_call), "{eras:?}: {:?}", host.heard);
        assert_eq!(setup.calls().len(), 2);
    })
    .await;
}
