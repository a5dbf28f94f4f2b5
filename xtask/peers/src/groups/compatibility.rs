//! §1.3 The four rows of the compatibility matrix, with the Python SDK and server-everything as the plain sides.
//!
//! The messages to a plain side are recorded on the wire, and must contain nothing of MGP.

use crate::{
    install::Package,
    json::mgp_parts,
    peers::{Call, HostClient, Instance, Kernel, Reach, Scene, Upstream, server},
    rows::{Context, Row, row},
    tap::{Command, Direction, Record},
};
use mgp_client_sdk::client::Client;
use mgp_transport::seam::CallEvent;
use mgp_types::{
    discovery::{ListServers, ListServersParams},
    json::RawJson,
    lifecycle::{HealthPing, HealthPingParams},
    mcp::CallToolResult,
    negotiation::{Extension, Negotiation},
    rpc::Notice,
    stream::{StreamChunk, StreamChunkParams},
    tool_index::{DiscoverTools, DiscoverToolsParams},
};

const SUM: (&str, &str, &str) = ("get-sum", r#"{"a":7,"b":35}"#, "42");

pub(super) fn rows() -> Vec<Row> {
    vec![
        row("matrix/plain-client-our-server", &[Package::PythonSdk1], plain_client),
        row("matrix/our-client-plain-server", &[Package::Everything], plain_server),
        row("matrix/both-plain", &[Package::PythonSdk1, Package::Everything], both_plain),
        row("matrix/both-ours", &[], both_ours),
    ]
}

/// Tests the Python client, and a server made with our SDK.
async fn plain_client(context: Context) -> Result<(), String> {
    let record = context.folder.record("server");
    let reach = Reach::Command(Command::new(&context.programs.add).tapped(&context.programs, &record));
    let call = Call::new("add", r#"{"a":2,"b":3}"#);
    let played = HostClient::Python1.play(&context.folder, &reach, &[call]).await?;
    if played.tools.names()? != ["add"] {
        return Err(format!("lists {:?}, expected the one tool", played.tools.names()));
    }
    let text = played.calls.first().ok_or("the call has no answer")?.text()?;
    expect(&text, "5")?;
    is_plain(&Record::read(&record)?, Direction::ToClient, 1)
}

/// Tests our client, and server-everything. The client requests parts of the answer, which must not reach a plain server.
async fn plain_server(context: Context) -> Result<(), String> {
    let scene = Scene::prepare(&context.folder).await?;
    let Instance::Child(command) = server("everything")?.instance(&context, &scene, "plain").await? else {
        return Err("server-everything is not started over stdio".to_owned());
    };
    let client = connect(&context, &command).await?;
    if let Some(negotiated) = client.negotiated() {
        return Err(format!("negotiated {negotiated:?} with a plain server"));
    }
    client.ping().await.map_err(|error| error.to_string())?;
    let tools = client.list_tools().await.map_err(|error| error.to_string())?;
    if !tools.iter().any(|tool| tool.name == SUM.0) {
        return Err(format!("does not list {}", SUM.0));
    }
    let (result, chunks) = stream(&client, SUM.0, SUM.1).await?;
    expect(&text(&result), SUM.2)?;
    if !chunks.is_empty() {
        return Err(format!("a plain server sent {} chunks", chunks.len()));
    }
    drop(client);
    is_plain(&Record::read(&context.folder.record("plain-everything"))?, Direction::ToServer, 1)
}

/// Tests the Python client, our kernel, and server-everything.
async fn both_plain(context: Context) -> Result<(), String> {
    let scene = Scene::prepare(&context.folder).await?;
    let upstream = Upstream::of(server("everything")?, &context, &scene).await?;
    let kernel = Kernel::configure(&context, "full", &[], vec![upstream])?;
    let reach = Reach::Command(kernel.stdio(&context));
    let call = Call::new(SUM.0, SUM.1);
    let played = HostClient::Python1.play(&context.folder, &reach, &[call]).await?;
    expect(&played.calls.first().ok_or("the call has no answer")?.text()?, SUM.2)?;
    is_plain(&Record::read(&context.folder.record("host"))?, Direction::ToClient, 1)?;
    is_plain(&Record::read(&context.folder.record("kernel-everything"))?, Direction::ToServer, 1)
}

/// Tests our client, and a server made with our SDK: directly, and through the kernel.
async fn both_ours(context: Context) -> Result<(), String> {
    let server = |name: &str| {
        let record = context.folder.record(name);
        Command::new(&context.programs.everything).tapped(&context.programs, &record)
    };
    let direct = connect(&context, &server("direct")).await?;
    has(direct.negotiated(), &[Extension::Security, Extension::Lifecycle, Extension::Streaming])?;
    counts(&direct).await?;
    drop(direct);

    let upstream = Upstream::new("ours", Instance::Child(server("kernel"))).approved(&["memory.write"]);
    let kernel = Kernel::configure(&context, "full", &[], vec![upstream])?;
    let client = connect(&context, &kernel.stdio(&context)).await?;
    has(
        client.negotiated(),
        &[
            Extension::Security,
            Extension::AccessControl,
            Extension::Audit,
            Extension::Lifecycle,
            Extension::Streaming,
            Extension::Discovery,
            Extension::ToolDiscovery,
        ],
    )?;
    let failed = |error: mgp_transport::seam::CallError| error.to_string();
    let tools = client.list_tools().await.map_err(failed)?;
    if tools.is_empty() || !tools.iter().all(|tool| tool.security.is_some()) {
        return Err(format!("{} tools, some without security metadata", tools.len()));
    }
    client.request::<HealthPing>(&HealthPingParams::default()).await.map_err(failed)?;
    let servers = client.request::<ListServers>(&ListServersParams::default()).await.map_err(failed)?;
    let known = servers.servers.first().ok_or("the registry is empty")?;
    for extension in [Extension::Security, Extension::Lifecycle, Extension::Streaming] {
        if !known.extensions.iter().any(|name| name == extension.as_str()) {
            return Err(format!("the kernel and the server have {:?}, not {extension}", known.extensions));
        }
    }
    let asked = DiscoverToolsParams { query: "write a note".to_owned(), ..Default::default() };
    let found = client.request::<DiscoverTools>(&asked).await.map_err(failed)?;
    if !found.tools.iter().take(3).any(|tool| tool.name == "write") {
        return Err("a search does not find the tool that writes notes".to_owned());
    }
    let arguments = json(r#"{"name":"swan","text":"white"}"#)?;
    let written = client.call_tool("write", arguments).await.map_err(failed)?;
    expect(&text(&written), r#"{"notes":1}"#)?;
    counts(&client).await?;
    drop(client);

    let record = Record::read(&context.folder.record("kernel"))?;
    let said = record.after_handshake(Direction::ToServer)?;
    if said.iter().all(|line| mgp_parts(&line.message).is_empty()) {
        return Err("the kernel sent nothing of MGP to its MGP server".to_owned());
    }
    Ok(())
}

async fn connect(context: &Context, command: &Command) -> Result<Client, String> {
    let builder = Client::builder("peers", env!("CARGO_PKG_VERSION"));
    let connected = builder.connect_child(&command.child("peer", context.folder.path())).await;
    connected.map_err(|error| format!("failed to connect: {error}"))
}

fn has(negotiated: Option<&Negotiation>, extensions: &[Extension]) -> Result<(), String> {
    let negotiated = negotiated.ok_or("no MGP was negotiated")?;
    let missing = extensions.iter().find(|extension| !negotiated.has(**extension));
    missing.map_or(Ok(()), |extension| Err(format!("{extension} was not negotiated: {negotiated:?}")))
}

/// Tests a streamed call: every part in order, before the answer.
async fn counts(client: &Client) -> Result<(), String> {
    let (result, chunks) = stream(client, "count", r#"{"to":3}"#).await?;
    expect(&text(&result), "1 2 3")?;
    let parts: Vec<_> =
        chunks.iter().map(|chunk| (chunk.index, chunk.content.as_text().unwrap_or_default())).collect();
    if parts.iter().filter(|(_, text)| !text.is_empty()).eq(&[(0, "1 "), (1, "2 "), (2, "3 ")]) {
        return Ok(());
    }
    Err(format!("the parts are {parts:?}"))
}

/// Calls a tool and requests its answer in parts.
async fn stream(
    client: &Client,
    tool: &str,
    arguments: &str,
) -> Result<(CallToolResult, Vec<StreamChunkParams>), String> {
    let failed = |error: mgp_transport::seam::CallError| format!("{tool} failed: {error}");
    let mut call = client.start_tool(tool, json(arguments)?).await.map_err(failed)?;
    let mut chunks = Vec::new();
    loop {
        match call.next().await {
            CallEvent::Notification(notification) if notification.method == StreamChunk::METHOD => {
                chunks.push(notification.params.decode().map_err(|error| error.message)?);
            }
            CallEvent::Notification(_) => {}
            CallEvent::Reply(reply) => {
                let result = reply.map_err(failed)?.decode();
                return result.map(|result| (result, chunks)).map_err(|error| error.to_string());
            }
        }
    }
}

fn json(text: &str) -> Result<RawJson, String> {
    RawJson::parse(text.to_owned()).map_err(|error| error.to_string())
}

fn text(result: &CallToolResult) -> String {
    result.content.iter().filter_map(|block| block.as_text()).collect()
}

fn expect(text: &str, expected: &str) -> Result<(), String> {
    if text.contains(expected) {
        Ok(())
    } else {
        Err(format!("the answer is {text:?}, expected {expected:?}"))
    }
}

/// Checks that nothing of MGP was sent in a direction after the handshake, and that the number of calls is right. If the client
/// offered nothing, the answer in the handshake must contain nothing either.
fn is_plain(record: &Record, direction: Direction, calls: usize) -> Result<(), String> {
    if record.count("tools/call") != calls {
        return Err(format!("{} calls are recorded, expected {calls}", record.count("tools/call")));
    }
    let lines = match direction {
        Direction::ToClient => record.all(direction),
        Direction::ToServer => record.after_handshake(direction)?,
    };
    for line in lines {
        if let Some(part) = mgp_parts(&line.message).first() {
            let shown: String = line.text.chars().take(300).collect();
            return Err(format!("a plain peer was sent {part}: {shown}"));
        }
    }
    Ok(())
}
