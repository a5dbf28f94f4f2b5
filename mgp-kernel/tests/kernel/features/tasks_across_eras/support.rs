//! A server whose tools become tasks, and hosts of both eras that take them.

use crate::{
    features::eras,
    raw_host::{As, ERAS, RawHost, all},
    support::{Setup, agents, start, until_some},
};
use mgp_kernel::{Era, ServerSpec};
use mgp_server_sdk::{
    Server, ServerStack, Tool, ToolError,
    ask::Ask,
    task::{
        StartTask,
        TaskSupport::{self, Optional, Required},
    },
};
use mgp_types::{access::DefaultPolicy, json::RawJson, mcp::ElicitParams, rpc::ErrorObject};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::Semaphore;

pub(super) const RELATED: &str = "io.modelcontextprotocol/related-task";
pub(super) const EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// A door that calls wait behind, which counts the calls inside.
#[derive(Clone, Default)]
pub(super) struct Door {
    inside: Arc<AtomicUsize>,
    open: Option<Arc<Semaphore>>,
}

/// A guard that counts a call out, however the call ends.
struct Inside(Arc<AtomicUsize>);

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Door {
    pub(super) fn closed() -> Self {
        Self { open: Some(Arc::new(Semaphore::new(0))), ..Self::default() }
    }

    pub(super) fn open(&self) {
        self.open.as_ref().unwrap().add_permits(1);
    }

    pub(super) fn inside(&self) -> usize {
        self.inside.load(Ordering::SeqCst)
    }

    async fn pass(self) -> &'static str {
        self.inside.fetch_add(1, Ordering::SeqCst);
        let _inside = Inside(self.inside.clone());
        self.open.unwrap().acquire().await.unwrap().forget();
        "through"
    }

    fn tool(&self, name: &str, support: TaskSupport) -> Tool {
        let door = self.clone();
        Tool::new(name, "Waits", move || door.clone().pass()).task(support).read_only(true)
    }

    /// Returns a server of such tools, and of tools that ask, fail, and answer at once.
    pub(super) fn server(&self) -> ServerStack {
        let curious = async |ask: Ask| {
            let (one, two) = tokio::join!(name(&ask, "one"), name(&ask, "two"));
            let three = name(&ask, "three").await?;
            Ok::<_, ToolError>(format!("{} {} {three}", one?, two?))
        };
        let fails = async || Err::<String, _>(ToolError::new("it is broken"));
        let late = async |start: StartTask| {
            start.begin().await;
            let advice = RawJson::parse(r#"{"_mgp":{"category":"external","fallback_tool":"spare"}}"#)?;
            Err::<String, _>(ToolError::protocol(ErrorObject::new(-7, "out of order").with_data(advice)))
        };
        Server::new("tasks", "1")
            .tool(self.tool("wait", Optional))
            .tool(self.tool("must", Required))
            .tool(Tool::new("curious", "Asks", curious).task(Required).read_only(true))
            .tool(Tool::new("fails", "Fails", fails).task(Optional).read_only(true))
            .tool(Tool::new("late", "Fails for good", late).task(Required).read_only(true))
            .tool(Tool::new("plain", "Answers", async || "at once").read_only(true))
            .build()
            .unwrap()
    }
}

async fn name(ask: &Ask, key: &str) -> Result<String, ToolError> {
    let form = RawJson::parse(r#"{"type":"object","properties":{"name":{"type":"string"}}}"#)?;
    let answer = ask.elicit(key, ElicitParams::form(format!("Name {key}?"), form)).await?;
    Ok(answer.content.and_then(|content| content.text("name")).unwrap_or_default())
}

/// Returns the spec of such a server in an era, which everybody may use.
pub(super) fn spec(era: Era, door: &Door) -> ServerSpec {
    let mut spec = eras::spec("srv", era, &door.server());
    spec.default_policy = DefaultPolicy::OptOut;
    spec
}

pub(super) async fn kernel(era: Era, door: &Door) -> Setup {
    start(|kernel, _| kernel.server(spec(era, door)).config(agents(["agent.other"]))).await
}

/// Returns the capabilities of a host that takes tasks in the form of the stateless revisions, which have no meaning in the others.
pub(super) fn takes() -> Value {
    let mut capabilities = all();
    capabilities["extensions"] = json!({EXTENSION: {}});
    capabilities
}

pub(super) async fn host(setup: &Setup, era: Era) -> RawHost {
    setup.raw_host(As::plain(era).can(takes())).await
}

pub(super) async fn other(setup: &Setup, era: Era) -> RawHost {
    setup.raw_host(As::plain(era).can(takes()).of("agent.other")).await
}

/// Returns each pair of eras: of a host, and of a server.
pub(super) fn each_era_pair() -> impl Iterator<Item = (Era, Era)> {
    ERAS.into_iter().flat_map(|host| ERAS.map(|server| (host, server)))
}

/// Runs a test for each pair of eras: of a host, and of a server.
pub(super) async fn each_pair<F: Future<Output = ()>>(test: impl Fn(Setup, RawHost, (Era, Era), Door) -> F) {
    for (host_era, server_era) in each_era_pair() {
        let door = Door::closed();
        let setup = kernel(server_era, &door).await;
        let host = host(&setup, host_era).await;
        // A test that does not look at it drops it.
        let _running = setup.kernel.clone();
        test(setup, host, (host_era, server_era), door).await;
    }
}

/// Returns the params of a call that is to become a task, in the form of a host of an era.
pub(super) fn call(era: Era, tool: &str) -> Value {
    match era {
        Era::Initialize => json!({"name": tool, "arguments": {}, "task": {}}),
        Era::Stateless => json!({"name": tool, "arguments": {}}),
    }
}

/// Calls a tool, which becomes a task. Returns the task.
pub(super) async fn begin(host: &mut RawHost, era: Era, tool: &str) -> Value {
    let result = host.get("tools/call", call(era, tool)).await;
    let task = match era {
        Era::Initialize => {
            assert_eq!((result.get("resultType"), result.get("taskId")), (None, None), "{result}");
            result["task"].clone()
        }
        Era::Stateless => {
            assert_eq!((&result["resultType"], result.get("task")), (&json!("task"), None), "{result}");
            result
        }
    };
    assert!(task["taskId"].as_str().is_some_and(|id| id.len() == 32), "{task}");
    task
}

pub(super) fn about(task: &Value) -> Value {
    json!({"taskId": task["taskId"]})
}

pub(super) async fn look(host: &mut RawHost, task: &Value) -> Value {
    host.get("tasks/get", about(task)).await
}

/// Polls a task until it has a status.
pub(super) async fn look_until(host: &mut RawHost, task: &Value, status: &str) -> Value {
    until_some(async || Some(look(host, task).await).filter(|seen| seen["status"] == status)).await
}

/// Returns the result of a task that has ended, fetched in the form of its host.
pub(super) async fn outcome(host: &mut RawHost, era: Era, task: &Value) -> Value {
    match era {
        Era::Initialize => host.get("tasks/result", about(task)).await,
        Era::Stateless => look(host, task).await["result"].clone(),
    }
}
