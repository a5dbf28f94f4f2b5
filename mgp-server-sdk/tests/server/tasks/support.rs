//! Clients of both eras, line by line, on connections whose principal is known.

use crate::support::hello;
use mgp_server_sdk::{Principal, Server, ServerStack, Session, Tool, ask::Ask, task::TaskSupport};
use mgp_transport::memory;
use mgp_types::{json::RawJson, mcp::ElicitParams};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::Semaphore;
use xtask_testing::{RawPeer, until_some};

pub(super) const RELATED: &str = "io.modelcontextprotocol/related-task";

/// Connects as a principal, or without authentication.
pub(super) fn connect(stack: &ServerStack, principal: Option<&str>) -> RawPeer {
    static SESSIONS: AtomicUsize = AtomicUsize::new(0);
    let session = Session::new(&format!("session.{}", SESSIONS.fetch_add(1, Ordering::Relaxed)));
    if let Some(principal) = principal {
        session.set(Principal::agent(principal));
    }
    let (client, server) = memory::pair();
    let connection = stack.connection().session(session).over(server.0, server.1);
    let stack = stack.clone();
    tokio::spawn(async move { stack.serve(connection).await.unwrap() });
    RawPeer::new(client)
}

/// Connects a client of the revision 2025-11-25.
pub(super) async fn core(stack: &ServerStack, principal: Option<&str>) -> RawPeer {
    let mut client = connect(stack, principal);
    let mut hello = hello(false);
    hello["capabilities"] = json!({"elicitation": {}});
    client.ask(0, "initialize", hello).await;
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    client
}

/// Returns params of a stateless revision whose client supports tasks.
pub(super) fn takes_tasks(params: Value) -> Value {
    let extensions = json!({"io.modelcontextprotocol/tasks": {}});
    says(params, &json!({"elicitation": {}, "extensions": extensions}))
}

/// Returns params of a stateless revision whose client does not support tasks.
pub(super) fn takes_none(params: Value) -> Value {
    says(params, &json!({"elicitation": {}}))
}

fn says(mut params: Value, capabilities: &Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    params
}

/// Requests about tasks, and waits for their status.
pub(super) trait TaskClient {
    /// Calls a tool as a client that supports tasks, and returns the id of the task.
    async fn begin(&mut self, id: i64, tool: &str) -> Value;

    /// Returns the answer of `tasks/get` about a task, for a client of the stateless revision.
    async fn look(&mut self, id: i64, task: &Value) -> Value;

    /// Looks at a task until it has a status.
    async fn until(&mut self, task: &Value, status: &str) -> Value;

    /// Calls a tool as a task of the core form, and returns the task's id.
    async fn begin_core(&mut self, id: i64, tool: &str) -> Value;

    /// Looks at a task of the core form until it has a status.
    async fn until_core(&mut self, task: &Value, status: &str) -> Value;
}

impl TaskClient for RawPeer {
    async fn begin(&mut self, id: i64, tool: &str) -> Value {
        let answer = self.ask(id, "tools/call", takes_tasks(json!({"name": tool}))).await;
        assert_eq!(answer["result"]["resultType"], "task", "{answer}");
        answer["result"]["taskId"].clone()
    }

    async fn look(&mut self, id: i64, task: &Value) -> Value {
        self.ask(id, "tasks/get", takes_tasks(json!({"taskId": task}))).await
    }

    async fn until(&mut self, task: &Value, status: &str) -> Value {
        until_some(async || {
            let seen = self.look(1_000, task).await["result"].take();
            (seen["status"] == status).then_some(seen)
        })
        .await
    }

    async fn begin_core(&mut self, id: i64, tool: &str) -> Value {
        let answer = self.ask(id, "tools/call", json!({"name": tool, "task": {}})).await;
        assert_eq!(answer["result"]["task"]["status"], "working", "{answer}");
        answer["result"]["task"]["taskId"].clone()
    }

    async fn until_core(&mut self, task: &Value, status: &str) -> Value {
        until_some(async || {
            let seen = self.ask(1_000, "tasks/get", json!({"taskId": task})).await["result"].take();
            (seen["status"] == status).then_some(seen)
        })
        .await
    }
}

/// A door that handlers wait behind, with a count of those inside.
#[derive(Debug, Clone)]
pub(super) struct Door {
    pub(super) open: Arc<Semaphore>,
    pub(super) inside: Arc<AtomicUsize>,
}

/// A count of handlers, which a handler leaves on drop.
struct Inside(Arc<AtomicUsize>);

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Door {
    pub(super) fn closed() -> Self {
        Self { open: Arc::new(Semaphore::new(0)), inside: Arc::default() }
    }

    pub(super) fn inside(&self) -> usize {
        self.inside.load(Ordering::SeqCst)
    }

    async fn pass(self) -> &'static str {
        self.inside.fetch_add(1, Ordering::SeqCst);
        let _inside = Inside(self.inside.clone());
        self.open.acquire().await.unwrap().forget();
        "through"
    }

    /// Returns a tool that waits behind the door.
    pub(super) fn tool(&self, support: TaskSupport) -> Tool {
        let door = self.clone();
        Tool::new("wait", "Waits", move || door.clone().pass()).task(support)
    }

    /// Returns a server with that tool.
    pub(super) fn server(&self) -> Server {
        Server::new("s", "1").tool(self.tool(TaskSupport::Optional))
    }
}

/// Asks for a name.
pub(super) async fn name(ask: &Ask, key: &str) -> Result<String, mgp_server_sdk::ToolError> {
    let form = RawJson::parse(r#"{"type":"object","properties":{"name":{"type":"string"}}}"#)?;
    let answer = ask.elicit(key, ElicitParams::form("Who are you?", form)).await?;
    Ok(answer.content.and_then(|content| content.text("name")).unwrap_or_default())
}

/// Returns the answer to the question for a name.
pub(super) fn named(name: &str) -> Value {
    json!({"action": "accept", "content": {"name": name}})
}
