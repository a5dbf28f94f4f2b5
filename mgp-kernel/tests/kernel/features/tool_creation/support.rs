//! Kernels that make tools of code, and hosts that hand in code.

use crate::{
    raw_host::{As, RawHost},
    support::{Setup, agents, spec, spec_of_sessions, start},
};
use mgp_discovery::config::{PermissionsConfig, ToolCreationConfig};
use mgp_kernel::Era;
use mgp_toolindex::exposure::Exposure;
use mgp_types::permission::PermissionPolicy;
use serde_json::{Value, json};

/// A function that no server has.
pub(super) const WORDS: &str = "import re\n\ndef word_lengths(text: str, least: int = 1) -> dict:\n    \"\"\"Counts the words of each length.\"\"\"\n    \
    print('not a part of the result')\n    found = {}\n    for word in re.findall(r'\\w+', text):\n        if len(word) >= least:\n            \
    found[str(len(word))] = found.get(str(len(word)), 0) + 1\n    return found\n";

pub(super) fn settings() -> ToolCreationConfig {
    let agents = vec!["agent.test".to_owned(), "agent.other".to_owned()];
    ToolCreationConfig { agents, timeout_ms: 60_000, ..ToolCreationConfig::default() }
}

pub(super) async fn kernel(policy: PermissionPolicy, creation: ToolCreationConfig) -> Setup {
    kernel_with(PermissionsConfig { policy: Some(policy), ..PermissionsConfig::default() }, creation).await
}

pub(super) async fn kernel_with(permissions: PermissionsConfig, creation: ToolCreationConfig) -> Setup {
    start(move |kernel, signals| {
        let kernel = kernel.server(spec("test", signals)).config(agents(["agent.other", "agent.guest"]));
        kernel.config(|config| {
            config.permissions = permissions;
            config.tool_creation = creation;
        })
    })
    .await
}

pub(super) async fn open() -> Setup {
    kernel(PermissionPolicy::AutoApprove, settings()).await
}

/// Opens a kernel that tells its hosts of every change of what is shown.
pub(super) async fn open_in_full() -> Setup {
    start(|kernel, signals| {
        let server = spec_of_sessions("test", signals);
        let kernel = kernel.server(server).config(|config| {
            config.agents.push("agent.other".into());
            config.kernel.exposure = Exposure::Full;
        });
        kernel.config(|config| {
            config.permissions.policy = Some(PermissionPolicy::AutoApprove);
            config.tool_creation = settings();
        })
    })
    .await
}

/// Returns the events of a type, as their details.
pub(super) fn events(setup: &Setup, kind: &str) -> Vec<String> {
    let events = setup.sink.events();
    let of_kind = events.iter().filter(|event| event.event_type.to_string().ends_with(kind));
    of_kind
        .map(|event| format!("{} {}", event.result, serde_json::to_string(&event.details).unwrap()))
        .collect()
}

/// Returns code of a function with this name and body.
pub(super) fn function(name: &str, body: &str) -> String {
    format!("def {name}(given: str = '') -> str:\n    {body}\n")
}

/// A host in one session, whichever way its era names it.
pub(super) struct InSession {
    pub(super) host: RawHost,
    pub(super) session: Option<String>,
}

impl InSession {
    pub(super) async fn new(setup: &Setup, era: Era) -> Self {
        Self::of(setup, era, "agent.test").await
    }

    pub(super) async fn of(setup: &Setup, era: Era, agent: &str) -> Self {
        Self { host: setup.raw_host(As::mgp(era).of(agent)).await, session: None }
    }

    pub(super) async fn ask(&mut self, method: &str, mut params: Value) -> Value {
        if let Some(session) = &self.session {
            params["_mgp"]["session"] = json!(session);
        }
        let answer = self.host.ask(method, params).await;
        let given = answer["result"]["_mgp"]["session"].as_str();
        self.session = given.map(str::to_owned).or(self.session.take());
        answer
    }

    pub(super) async fn request(&mut self, capability: &str, code: Option<&str>) -> Value {
        let mut params = json!({"requirements": {"capabilities": [capability]}});
        if let Some(code) = code {
            params["creation"] = json!({"language": "python", "code": code});
        }
        self.ask("mgp/tools/request", params).await
    }

    /// Has a tool made, and returns its name.
    pub(super) async fn make(&mut self, capability: &str, code: &str) -> String {
        let answer = self.request(capability, Some(code)).await;
        assert_eq!(answer["result"]["status"], "fulfilled", "{answer}");
        answer["result"]["tools_loaded"][0]["name"].as_str().unwrap().to_owned()
    }

    pub(super) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await;
        if answer["error"].is_null() { answer["result"].clone() } else { answer["error"].clone() }
    }

    pub(super) async fn finds(&mut self, query: &str) -> Vec<String> {
        let answer = self.ask("mgp/tools/discover", json!({"query": query})).await;
        let tools = answer["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }
}
