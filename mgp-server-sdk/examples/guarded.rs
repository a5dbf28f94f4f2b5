//! A server behind layers, without a kernel: an event for each call, rules on who may call what, and checks of arguments.

use mgp_security::{
    access::{AccessControl, SqlAccessStore, SqlStore},
    audit::{AuditLayer, AuditSink, MemorySink},
    profile::{ConfiguredTool, ToolFacts, assess},
    unique_keys::UniqueKeys,
    validator::Validators,
};
use mgp_server_sdk::{
    Server, ServerStack, Tool,
    connection::Connection,
    extract::Args,
    schemars::{self, JsonSchema},
};
use mgp_transport::{
    seam::{BoxError, BoxPeerService, GateLayer, Incoming, ToolCall, boxed},
    stdio,
};
use mgp_types::{
    access::{AccessEntry, DefaultPolicy},
    context::{Principal, Target, ToolId, TrustLevel},
    mcp::CallTool,
    rpc::Call,
    tool_security::ToolProfile,
};
use serde::Deserialize;
use std::{collections::HashMap, sync::Arc};
use tower::{ServiceBuilder, ServiceExt, service_fn};

/// The name of the server in rules and events.
const SERVER: &str = "notes";

/// The profiles by which gates judge the tools, by name.
type Profiles = HashMap<String, Arc<ToolProfile>>;

#[derive(Deserialize, JsonSchema)]
struct Note {
    text: String,
}

fn add(Args(Note { text }): Args<Note>) -> String {
    format!("added {text:?}")
}

pub(crate) fn server() -> Server {
    Server::new(SERVER, "1.0.0").tool(Tool::new("add", "Adds a note", add)).tool(Tool::new(
        "erase",
        "Erases all notes",
        || "erased",
    ))
}

/// Returns the server with layers around its tools. Other messages go straight to the server.
pub(crate) async fn guarded(
    server: &ServerStack,
    trail: Arc<dyn AuditSink>,
) -> Result<BoxPeerService, BoxError> {
    let rules = AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await?;
    rules.set_server(SERVER, DefaultPolicy::OptIn);
    rules.put(AccessEntry::allow("owner").server(SERVER).tool("add")).await?;
    let (inner, profiles) = (server.service(), profiles(server).await?);
    let calls = ServiceBuilder::new()
        .layer(AuditLayer::new(trail))
        .layer(GateLayer::new(rules).and(UniqueKeys).and(Validators::standard()))
        // Innermost: a call that comes here is sent, and its event says so.
        .map_request(|call: ToolCall| {
            call.record.update(|record| record.attempts += 1);
            call.into_message()
        })
        .service(inner.clone());
    let calls: BoxPeerService<ToolCall> = boxed(calls);
    Ok(boxed(service_fn(move |message: Incoming| {
        let call = call_of(&message, &profiles);
        let (calls, inner) = (calls.clone(), inner.clone());
        async move {
            match call {
                Some(call) => calls.oneshot(call).await,
                None => inner.oneshot(message).await,
            }
        }
    })))
}

/// Returns the call of a tool that a message is, or `None` for any other message.
fn call_of(message: &Incoming, profiles: &Profiles) -> Option<ToolCall> {
    if message.method != CallTool::METHOD {
        return None;
    }
    let name = message.params.object().ok()?.text("name")?;
    let profile = profiles.get(&name)?.clone();
    let target = Target { tool: ToolId::new(SERVER, name.as_str()), called_as: name.as_str().into() };
    let mut call = ToolCall::new(message.id.clone()?, message.params.clone(), target, profile);
    call.ext = message.ext.clone();
    // On stdio, whoever started this program. Over HTTP, the session has the holder of the key.
    Some(call.identified(Principal::agent("owner")))
}

/// Reads the definitions of the tools once, as a client does.
async fn profiles(server: &ServerStack) -> Result<Arc<Profiles>, BoxError> {
    let configured = ConfiguredTool::default();
    let tools = server.test_client().await?.list_tools().await?;
    let profiles = tools.iter().map(|tool| {
        let facts = ToolFacts::new(tool, TrustLevel::Standard, &[], &configured);
        (tool.name.clone(), Arc::new(assess(&facts)))
    });
    Ok(Arc::new(profiles.collect()))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let (stack, trail) = (server().build()?, MemorySink::new(1000));
    let guarded = guarded(&stack, Arc::new(trail.clone())).await?;
    let connection = Connection::builder(guarded).lane(stack.lane()).config(stdio::config());
    stack.serve(stdio::connect(connection)).await?;
    for event in trail.events() {
        eprintln!("{}", serde_json::to_string(&event)?);
    }
    Ok(())
}
