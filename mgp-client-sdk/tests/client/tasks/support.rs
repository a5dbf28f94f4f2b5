//! Servers with tasks: of our own, and by hand.

use crate::{
    scripted::{self, Lines, Script, plain, result},
    support::{ConnectedClient, Way, builder, connect, within},
};
use mgp_client_sdk::{
    Era, EraChoice,
    client::{Client, ClientBuilder, Limits, Task, TaskCall, TaskStart},
};
use mgp_server_sdk::{
    Server, Tool, ToolError,
    task::{TaskLimits, TaskSupport::Optional},
};
use mgp_types::rpc::ErrorObject;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::sync::Semaphore;

/// A door that a task waits for.
#[derive(Clone)]
pub(super) struct Door(Arc<Semaphore>);

impl Door {
    pub(super) fn closed() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }

    pub(super) fn open(&self) {
        self.0.add_permits(1);
    }

    async fn pass(self) -> &'static str {
        self.0.acquire().await.unwrap().forget();
        "through"
    }
}

/// Returns a server whose tools run as tasks: `wait` behind a door, `fail` and `break` at once; `never` does not run as a task.
pub(super) fn server(door: &Door) -> Server {
    let door = door.clone();
    let fails = async || Err::<String, _>(ToolError::new("no luck"));
    let breaks = async || Err::<String, _>(ToolError::protocol(ErrorObject::new(-32050, "no way")));
    let limits = TaskLimits { poll_interval: Duration::from_millis(1), ..TaskLimits::default() };
    Server::new("s", "1")
        .task_limits(limits)
        .tool(Tool::new("wait", "", move || door.clone().pass()).task(Optional))
        .tool(Tool::new("fail", "", fails).task(Optional))
        .tool(Tool::new("break", "", breaks).task(Optional))
        .tool(Tool::new("never", "", async || "here"))
}

/// Returns a builder with the default limits, but which polls as fast as the server likes.
pub(super) fn quick() -> ClientBuilder {
    let limits = Limits { min_task_poll_interval: Duration::from_millis(1), ..Limits::default() };
    builder().limits(limits)
}

pub(super) async fn open(way: Way, door: &Door) -> ConnectedClient {
    connect(way, server(door), quick()).await
}

pub(super) fn call(tool: &str) -> TaskCall {
    TaskCall::new(tool, ()).unwrap()
}

/// Calls a tool that becomes a task.
pub(super) async fn begin(client: &Client, tool: &str) -> Task {
    match within(client.call_tool_as_task(call(tool))).await.unwrap() {
        TaskStart::Task(task) => task,
        TaskStart::Answered(result) => panic!("{result:?}"),
    }
}

/// Returns the capabilities of a plain server with tasks.
pub(super) fn capabilities(era: Era) -> Value {
    match era {
        Era::Initialize => json!({"tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}}),
        Era::Stateless => json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}),
    }
}

/// Returns a task as a server of the stateless era shows it, with the members of `rest`.
pub(super) fn shown(status: &str, rest: Value) -> Value {
    let mut task = json!({
        "resultType": "complete", "taskId": "t", "status": status, "createdAt": "2026-01-01T00:00:00Z",
        "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttlMs": null
    });
    let Value::Object(rest) = rest else { panic!("{rest}") };
    for (key, value) in rest {
        task[key] = value;
    }
    task
}

/// Connects to a server by hand whose calls become the task `t`, and whose other answers a function writes.
pub(super) async fn by_hand(
    era: Era,
    builder: ClientBuilder,
    answer: impl Fn(&str, &Value) -> Vec<Value> + Send + Sync + 'static,
) -> (Client, Lines) {
    let script: Script = Arc::new(move |line| {
        plain(line, &capabilities(era)).unwrap_or_else(|| match (line["method"].as_str(), era) {
            (Some("tools/call"), Era::Stateless) => {
                result(shown("working", json!({"resultType": "task", "pollIntervalMs": 5000})))
            }
            (Some("tools/call"), Era::Initialize) => result(json!({"task": {
                "taskId": "t", "status": "working", "createdAt": "c", "lastUpdatedAt": "u", "ttl": 60000
            }})),
            (Some(method), _) => answer(method, &line["params"]),
            (None, _) => Vec::new(),
        })
    });
    let (client, lines) = scripted::connect(script, builder, EraChoice::Known(era)).await;
    (client.unwrap(), lines)
}
