//! A server with something of every area, and the ways to connect to it.

use mgp_client_sdk::{
    CallError, CallToolResult, Era, EraChoice,
    client::{Client, ClientBuilder, ToolEvent},
    mcp::ProgressParams,
};
use mgp_server_sdk::{
    Progress, Prompt, Resource, ResourceTemplate, Server, ServerStack, Tool, ToolError,
    ask::Ask,
    extract::{Args, Log, Prefix, RawArgs, Uri},
};
use mgp_types::{
    json::RawJson,
    mcp::{CreateMessageParams, ElicitParams},
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::task::Poll;
pub(crate) use xtask_testing::{json, until, within};

/// A way to connect to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Over byte streams.
    Stream(Era),
    /// Over HTTP.
    #[cfg(feature = "http")]
    Http(Era),
}

impl Way {
    pub(crate) const ALL: &[Self] = &[
        Self::Stream(Era::Initialize),
        Self::Stream(Era::Stateless),
        #[cfg(feature = "http")]
        Self::Http(Era::Initialize),
        #[cfg(feature = "http")]
        Self::Http(Era::Stateless),
    ];

    pub(crate) fn era(self) -> Era {
        match self {
            Self::Stream(era) => era,
            #[cfg(feature = "http")]
            Self::Http(era) => era,
        }
    }

    pub(crate) fn is_stateless(self) -> bool {
        self.era() == Era::Stateless
    }
}

/// A client and what keeps its server alive.
pub(crate) struct ConnectedClient {
    pub(crate) client: Client,
    pub(crate) stack: ServerStack,
    #[cfg(feature = "http")]
    _serving: Option<mgp_transport::http::server::RunningServer>,
}

/// Connects a client of its own to a server.
pub(crate) async fn connect(way: Way, server: Server, builder: ClientBuilder) -> ConnectedClient {
    let stack = server.build().unwrap();
    let builder = builder.era(EraChoice::Known(way.era()));
    let connected = match way {
        Way::Stream(_) => {
            let (input, output) = stack.in_process();
            let client = within(builder.connect(input, output)).await.unwrap();
            ConnectedClient {
                client,
                stack,
                #[cfg(feature = "http")]
                _serving: None,
            }
        }
        #[cfg(feature = "http")]
        Way::Http(_) => {
            let serving = serve(&stack).await;
            let url = format!("http://{}/mcp", serving.address());
            let client = within(builder.connect_http(&url, mgp_client_sdk::HttpClientConfig::default()));
            ConnectedClient { client: client.await.unwrap(), stack, _serving: Some(serving) }
        }
    };
    assert_eq!(connected.client.greeting().era(), way.era());
    connected
}

/// Serves over HTTP on a port of its own.
#[cfg(feature = "http")]
pub(crate) async fn serve(stack: &ServerStack) -> mgp_transport::http::server::RunningServer {
    serve_at(stack, "127.0.0.1:0").await
}

/// Serves over HTTP.
#[cfg(feature = "http")]
pub(crate) async fn serve_at(
    stack: &ServerStack,
    address: &str,
) -> mgp_transport::http::server::RunningServer {
    let stack = stack.clone();
    let server =
        mgp_transport::http::server::HttpServer::builder(move |_| (stack.service(), Some(stack.lane())));
    server.build().bind(address).await.unwrap()
}

/// Waits for a future while the clock stands still, so that no time limit passes.
pub(crate) async fn timeless<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    tokio::time::pause();
    loop {
        if let Poll::Ready(output) = futures_util::poll!(future.as_mut()) {
            tokio::time::resume();
            return output;
        }
        // The clock advances by itself only when no task is ready.
        tokio::task::yield_now().await;
    }
}

/// A client without handlers.
pub(crate) fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0")
}

/// A client of the server with everything.
pub(crate) async fn open(way: Way) -> ConnectedClient {
    connect(way, everything(), builder()).await
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Review {
    language: String,
}

#[derive(Deserialize, JsonSchema)]
struct Note {
    id: u32,
}

async fn add(Args(Add { a, b }): Args<Add>) -> String {
    (a + b).to_string()
}

async fn fail() -> Result<String, ToolError> {
    Err(ToolError::new("no such luck"))
}

async fn work(mut progress: Progress) -> &'static str {
    for step in 1..=3 {
        let _ = progress.report(f64::from(step), Some(3.0), None).await;
    }
    "done"
}

async fn speak(log: Log) -> &'static str {
    let _ = log.debug("whispered").await;
    let _ = log.error("shouted").await;
    "said"
}

/// The form of `greet`.
pub(crate) const FORM: &str =
    r#"{"type":"object","properties":{"name":{"type":"string"},"title":{"type":"string","default":"Dr."}}}"#;

async fn greet(ask: Ask, mut progress: Progress) -> Result<String, ToolError> {
    let _ = progress.report(1.0, None, None).await;
    let answer = ask.elicit("who", ElicitParams::form("Who are you?", RawJson::parse(FORM)?)).await?;
    let content = answer.content.unwrap_or_default();
    let text = |key| content.text(key).unwrap_or_else(|| "?".into());
    Ok(format!("{} {} {}", answer.action, text("title"), text("name")))
}

async fn think(ask: Ask) -> Result<String, ToolError> {
    let answer = ask.sample("thought", CreateMessageParams::user("Why?", 10)).await?;
    Ok(answer.content.blocks()[0].as_text().unwrap_or_default().to_owned())
}

async fn roots(ask: Ask) -> Result<String, ToolError> {
    let uris: Vec<_> = ask.roots("roots").await?.roots.into_iter().map(|root| root.uri).collect();
    Ok(uris.join(" "))
}

async fn complete(Prefix(typed): Prefix, RawArgs(filled): RawArgs) -> Vec<String> {
    vec![format!("{typed}st"), filled.to_string()]
}

/// A server with something of every area, in pages of two.
pub(crate) fn everything() -> Server {
    Server::new("everything", "1.0.0")
        .page_size(2)
        .tool(Tool::new("add", "Adds two numbers", add))
        .tool(Tool::new("fail", "Fails", fail))
        .tool(Tool::new("work", "Works", work))
        .tool(Tool::new("speak", "Speaks", speak))
        .tool(Tool::new("greet", "Greets its user", greet))
        .tool(Tool::new("think", "Asks a model", think))
        .tool(Tool::new("roots", "Says where it may look", roots))
        .resource(Resource::text("memo:1", "first", async || "buy milk"))
        .resource(Resource::text("memo:2", "second", async || "sell milk"))
        .resource(Resource::text("memo:3", "third", async |ask: Ask| -> Result<String, ToolError> {
            Ok(format!("{} roots", ask.roots("roots").await?.roots.len()))
        }))
        .resource_template(ResourceTemplate::text(
            "note://{id}",
            "notes",
            async |Uri(uri): Uri, Args(Note { id }): Args<Note>| format!("{uri} is {id}"),
        ))
        .prompt(
            Prompt::new("review", "Reviews", async |Args(Review { language }): Args<Review>| language)
                .complete("language", complete),
        )
        .prompt(Prompt::new("roots", "Names roots", async |ask: Ask| -> Result<String, ToolError> {
            Ok(format!("{} roots", ask.roots("roots").await?.roots.len()))
        }))
}

/// The first text of a result.
pub(crate) fn text(result: &CallToolResult) -> &str {
    result.content[0].as_text().unwrap()
}

/// Calls a tool without arguments, and hears its progress.
pub(crate) async fn hear_progress(
    client: &Client,
    tool: &str,
    mut hear: impl FnMut(ProgressParams),
) -> Result<CallToolResult, CallError> {
    let mut call = client.stream(tool, ());
    while let Some(event) = call.next().await {
        if let ToolEvent::Progress(step) = event {
            hear(step);
        }
    }
    call.raw_result().await
}
