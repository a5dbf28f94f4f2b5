//! Both eras over HTTP, on both sides of the kernel.

use crate::{
    features::eras::{self, events, everything},
    raw_host::{ERAS, all, said},
    support::{agents, json, server_rule, start, within},
};
use mgp_client_sdk::client::Client;
use mgp_kernel::{Endpoint, Era, EraChoice, HttpClientConfig, Kernel, ServerSpec};
use mgp_server_sdk::{Server, Tool, ToolError, ask::Ask};
use mgp_transport::{
    http::server::{ApiKey, HttpServer, HttpServerConfig, RunningServer},
    seam::{BoxError, Incoming, Reply},
};
use mgp_types::{
    access::DefaultPolicy,
    context::Principal,
    json::RawJson,
    mcp::{ElicitAction, ElicitParams, ElicitResult, GetPrompt, ListPrompts, PageParams, ReadResource},
};
use parking_lot::Mutex;
use serde_json::{Value, json as value};
use std::sync::Arc;
use tokio::sync::Barrier;

pub(crate) fn url(serving: &RunningServer) -> String {
    format!("http://{}/mcp", serving.address())
}

/// A kernel's face over HTTP; each agent has its name as its key.
pub(crate) async fn face(kernel: &Kernel) -> RunningServer {
    face_with(kernel, HttpServerConfig::default()).await
}

/// The same with settings.
pub(crate) async fn face_with(kernel: &Kernel, config: HttpServerConfig) -> RunningServer {
    let mut server = kernel.http().config(config);
    for agent in ["agent.test", "agent.other"] {
        server = server.api_key(ApiKey::of(agent), Principal::agent(agent));
    }
    server.build().bind("127.0.0.1:0").await.unwrap()
}

/// A host over HTTP, and what it was asked.
async fn host(serving: &RunningServer, era: Era) -> (Client, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = asked.clone();
    let service = tower::service_fn(move |message: Incoming| {
        if message.is_notification() {
            return std::future::ready(Ok::<_, BoxError>(Reply::none()));
        }
        noted.lock().push(message.method.to_string());
        let answer = said(&message.method, &Value::Null).unwrap();
        std::future::ready(Ok(Reply::ok(RawJson::parse(answer.to_string()).unwrap())))
    });
    let builder = Client::builder("host", "1")
        .without_mgp()
        .capabilities(serde_json::from_value(all()).unwrap())
        .era(EraChoice::Known(era))
        .service(service);
    let config = HttpClientConfig { bearer: Some("agent.test".to_owned()), ..HttpClientConfig::default() };
    (within(builder.connect_http(&url(serving), config)).await.unwrap(), asked)
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_passes_between_the_eras_over_http() {
    for server_era in ERAS {
        let stack = everything();
        let behind = HttpServer::builder(move |_| (stack.service(), Some(stack.lane())));
        let behind = behind.build().bind("127.0.0.1:0").await.unwrap();
        let mut spec = eras::spec("all", server_era, &everything());
        spec.endpoint = Endpoint::Http { url: url(&behind), config: HttpClientConfig::default() };
        let setup = start(|kernel, _| kernel.server(spec)).await;
        setup.kernel.access().put(server_rule("agent.test", "all")).await.unwrap();
        let serving = face(&setup.kernel).await;
        for host_era in ERAS {
            let (host, asked) = host(&serving, host_era).await;
            let result = within(host.call_tool("ask", json("{}"))).await.unwrap();
            assert_eq!(
                result.content[0].as_text(),
                Some("Ann m file:///work Ann"),
                "{host_era:?} {server_era:?}"
            );
            assert_eq!(asked.lock().len(), 4);
            let read = value!({"uri": "mem://item/7"});
            let read =
                within(host.request::<ReadResource>(&serde_json::from_value(read).unwrap())).await.unwrap();
            assert!(serde_json::to_string(&read).unwrap().contains("item 7"));
            let got = value!({"name": "greet", "arguments": {"name": "Ann"}});
            let got = within(host.request::<GetPrompt>(&serde_json::from_value(got).unwrap())).await.unwrap();
            assert!(serde_json::to_string(&got).unwrap().contains("Greet Ann"));
            let listed = within(host.request::<ListPrompts>(&PageParams::default())).await.unwrap();
            assert_eq!(listed.prompts.len(), 2);
        }
        assert_eq!(setup.calls(), ["TOOL_EXECUTED SUCCESS all.ask"; 2]);
        assert_eq!(events(&setup, "dev.cloto.mgp.HOST_ASKED", "agent"), ["SUCCESS agent.test"; 8]);
        within(serving.shutdown()).await;
        within(setup.kernel.shutdown()).await;
        within(behind.shutdown()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_of_two_hosts_is_asked_only_about_its_own_call() {
    let both_run = Arc::new(Barrier::new(2));
    let who = move |ask: Ask| {
        let both_run = both_run.clone();
        async move {
            both_run.wait().await;
            let form = r#"{"type":"object","properties":{"name":{"type":"string"}}}"#;
            let answer = ask.elicit("who", ElicitParams::form("Who?", json(form))).await?;
            Ok::<_, ToolError>(
                answer.content.map(|content| content.to_json().to_string()).unwrap_or_default(),
            )
        }
    };
    let stack = Server::new("s", "1").tool(Tool::new("who", "Asks who calls", who)).build().unwrap();
    let behind = HttpServer::builder(move |_| (stack.service(), Some(stack.lane())));
    let behind = behind.build().bind("127.0.0.1:0").await.unwrap();
    let endpoint = Endpoint::Http { url: url(&behind), config: HttpClientConfig::default() };
    let mut spec = ServerSpec::new("s", endpoint);
    spec.era = EraChoice::Known(Era::Initialize);
    spec.default_policy = DefaultPolicy::OptOut;
    let setup = start(|kernel, _| kernel.server(spec).config(agents(["agent.other"]))).await;
    let serving = face(&setup.kernel).await;
    let call = async |agent: &'static str| {
        let builder = Client::builder("host", "1").on_elicit_form(move |_| async move {
            let name = serde_json::from_value(value!({"name": agent})).unwrap();
            ElicitResult { action: ElicitAction::Accept, content: Some(name), meta: None }
        });
        let config = HttpClientConfig { bearer: Some(agent.to_owned()), ..HttpClientConfig::default() };
        let host = builder.connect_http(&url(&serving), config).await.unwrap();
        within(host.call_tool("who", json("{}"))).await.unwrap().content[0].as_text().unwrap().to_owned()
    };
    let answers = tokio::join!(call("agent.test"), call("agent.other"));
    assert_eq!(answers, (r#"{"name":"agent.test"}"#.to_owned(), r#"{"name":"agent.other"}"#.to_owned()));
    within(serving.shutdown()).await;
}

/// One POST of the stateless era, made by hand.
async fn post(serving: &RunningServer, key: &str, method: &str, params: &Value) -> Value {
    let mut params = params.clone();
    params["_meta"] = value!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": all()});
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    let body = value!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let length = body.len();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n\
         Mcp-Name: {name}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}",
        serving.address()
    );
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = tokio::net::TcpStream::connect(serving.address()).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    within(stream.read_to_string(&mut answer)).await.unwrap();
    let json = answer.split_once("\r\n\r\n").unwrap().1;
    let json = json.trim_start_matches(|c| c != '{').trim_end_matches(|c| c != '}');
    serde_json::from_str(json).unwrap_or_else(|_| panic!("{answer}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn over_http_a_parked_call_belongs_to_the_principal_of_the_key() {
    let setup = start(|kernel, _| kernel.server(eras::spec("all", Era::Initialize, &everything()))).await;
    for agent in ["agent.test", "agent.other"] {
        setup.kernel.access().put(server_rule(agent, "all")).await.unwrap();
    }
    let serving = face(&setup.kernel).await;
    let mut call = value!({"name": "ask", "arguments": {}});
    let asked = post(&serving, "agent.test", "tools/call", &call).await["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    call["requestState"] = asked["requestState"].clone();
    for (key, question) in asked["inputRequests"].as_object().unwrap() {
        let answer = said(question["method"].as_str().unwrap(), &Value::Null).unwrap();
        call["inputResponses"][key] = answer;
    }
    let stolen = post(&serving, "agent.other", "tools/call", &call).await;
    assert_eq!(stolen["error"]["code"], -32602, "{stolen}");
    let next = post(&serving, "agent.test", "tools/call", &call).await;
    assert_eq!(next["result"]["resultType"], "input_required", "it goes on to the next question: {next}");
    // A host over HTTP is not at the operator's own machine: it is not asked to approve what it calls.
    let events = events(&setup, "dev.cloto.mgp.HOST_ASKED", "agent");
    assert_eq!(events, ["SUCCESS agent.test"; 3]);
    within(serving.shutdown()).await;
}
