//! §16.6 Tools that are made of an agent's code, with a real Python, in both eras.

use crate::{
    raw_host::{As, ERAS, RawHost},
    support::{Setup, server_rule, spec, start, within},
};
use mgp_client_sdk::{
    Era,
    client::{Client, CreateToolError},
};
use mgp_discovery::config::ToolCreationConfig;
use mgp_security::permission::PermissionRules;
use mgp_toolindex::exposure::Exposure;
use mgp_types::{
    context::Principal,
    negotiation::{Extension, ExtensionSet},
    permission::{Permission, PermissionPolicy, StandardPermission},
    tool_index::{RequestStatus, ToolCreation},
};
use serde_json::{Value, json};
use std::time::Duration;

/// A function that no server has.
const WORDS: &str = "import re\n\ndef word_lengths(text: str, least: int = 1) -> dict:\n    \"\"\"Counts the words of each length.\"\"\"\n    \
    print('not a part of the result')\n    found = {}\n    for word in re.findall(r'\\w+', text):\n        if len(word) >= least:\n            \
    found[str(len(word))] = found.get(str(len(word)), 0) + 1\n    return found\n";

fn settings() -> ToolCreationConfig {
    let agents = vec!["agent.test".to_owned(), "agent.other".to_owned()];
    ToolCreationConfig { agents, ..ToolCreationConfig::default() }
}

async fn kernel(rules: PermissionRules, creation: ToolCreationConfig) -> Setup {
    start(move |kernel, signals| {
        let kernel = kernel.server(spec("test", signals)).agent("agent.other").agent("agent.guest");
        kernel.permission_rules(rules).tool_creation(creation)
    })
    .await
}

async fn open() -> Setup {
    kernel(PermissionRules::new(PermissionPolicy::AutoApprove), settings()).await
}

/// Opens a kernel that tells its hosts of every change of what is shown.
async fn open_in_full() -> Setup {
    start(|kernel, signals| {
        let kernel = kernel.server(spec("test", signals)).agent("agent.other").exposure(Exposure::Full);
        let rules = PermissionRules::new(PermissionPolicy::AutoApprove);
        kernel.permission_rules(rules).tool_creation(settings())
    })
    .await
}

/// Returns the events of a type, as their details.
fn events(setup: &Setup, kind: &str) -> Vec<String> {
    let events = setup.sink.events();
    let of_kind = events.iter().filter(|event| event.event_type.to_string().ends_with(kind));
    of_kind
        .map(|event| format!("{} {}", event.result, serde_json::to_string(&event.details).unwrap()))
        .collect()
}

/// Returns code of a function with this name and body.
fn function(name: &str, body: &str) -> String {
    format!("def {name}(given: str = '') -> str:\n    {body}\n")
}

/// A host in one session, whichever way its era names it.
struct InSession {
    host: RawHost,
    session: Option<String>,
}

impl InSession {
    async fn new(setup: &Setup, era: Era) -> Self {
        Self::of(setup, era, "agent.test").await
    }

    async fn of(setup: &Setup, era: Era, agent: &str) -> Self {
        Self { host: setup.raw_host(As::mgp(era).of(agent)).await, session: None }
    }

    async fn ask(&mut self, method: &str, mut params: Value) -> Value {
        if let Some(session) = &self.session {
            params["_mgp"]["session"] = json!(session);
        }
        let answer = self.host.ask(method, params).await;
        let given = answer["result"]["_mgp"]["session"].as_str();
        self.session = given.map(str::to_owned).or(self.session.take());
        answer
    }

    async fn request(&mut self, capability: &str, code: Option<&str>) -> Value {
        let mut params = json!({"requirements": {"capabilities": [capability]}});
        if let Some(code) = code {
            params["creation"] = json!({"language": "python", "code": code});
        }
        self.ask("mgp/tools/request", params).await
    }

    /// Has a tool made, and returns its name.
    async fn make(&mut self, capability: &str, code: &str) -> String {
        let answer = self.request(capability, Some(code)).await;
        assert_eq!(answer["result"]["status"], "fulfilled", "{answer}");
        answer["result"]["tools_loaded"][0]["name"].as_str().unwrap().to_owned()
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await;
        if answer["error"].is_null() { answer["result"].clone() } else { answer["error"].clone() }
    }

    async fn finds(&mut self, query: &str) -> Vec<String> {
        let answer = self.ask("mgp/tools/discover", json!({"query": query})).await;
        let tools = answer["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }
}

#[tokio::test]
async fn code_becomes_a_tool_that_is_listed_found_called_and_recorded() {
    for era in ERAS {
        let setup = open().await;
        let mut agent = InSession::new(&setup, era).await;
        let answer = agent.request("histogram_of_word_lengths", None).await["result"].clone();
        assert_eq!(answer["status"], "creating", "{answer}");
        let terms = &answer["_mgp"]["creation"];
        assert_eq!((&terms["languages"], &terms["level"]), (&json!(["python"]), &json!("strict")));
        assert!(terms["allowed_imports"].as_array().unwrap().contains(&json!("re")), "{terms}");

        let name = agent.make("histogram_of_word_lengths", WORDS).await;
        assert!(name.starts_with("made_word_lengths_"), "{name}");
        let result = agent.call(&name, json!({"text": "a bc de", "least": 2})).await;
        assert_eq!(result["structuredContent"], json!({"2": 2}), "{result}");
        assert!(agent.finds("histogram of word lengths").await.contains(&name));
        let again = agent.request("histogram_of_word_lengths", None).await;
        assert_eq!(again["result"]["tools_loaded"][0]["name"], name, "{again}");

        let wrong = agent.call(&name, json!({"words": 1})).await;
        assert!(wrong.to_string().contains("text"), "{wrong}");
        let session = agent.ask("mgp/tools/session", json!({})).await;
        assert!(session["result"]["cached"].as_array().unwrap().contains(&json!(name)), "{session}");
        if era == Era::Initialize {
            within(agent.host.hear("notifications/tools/list_changed")).await;
            let list = agent.host.get("tools/list", json!({})).await;
            let listed = list["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == name.as_str());
            assert_eq!(listed.unwrap()["inputSchema"]["required"], json!(["text"]), "{list}");
        } else {
            agent.host.settle().await;
            assert_eq!(agent.host.count("notifications/tools/list_changed"), 0, "its list has no such tool");
        }
        let events: Vec<_> = setup.sink.events().iter().map(|event| event.event_type.to_string()).collect();
        let position = |name: &str| {
            events.iter().position(|event| event == name).unwrap_or_else(|| panic!("{name}: {events:?}"))
        };
        assert!(position("PERMISSION_GRANTED") < position("dev.cloto.mgp.TOOL_CREATED"));
        assert!(position("dev.cloto.mgp.TOOL_CREATED") < position("dev.cloto.mgp.TOOL_DISPATCHED"));
        assert!(position("dev.cloto.mgp.TOOL_DISPATCHED") < position("TOOL_EXECUTED"));
        let created = &setup.sink.events()[position("dev.cloto.mgp.TOOL_CREATED")];
        let details = created.details.clone().unwrap();
        assert_eq!(details.text("code_sha256").unwrap().len(), 64);
        assert!(!details.to_json().as_str().contains("word lengths of"), "{details:?}");
    }
}

#[tokio::test]
async fn no_tool_is_made_unless_every_condition_holds() {
    let code_execution = Permission::Standard(StandardPermission::CodeExecution);
    let auto = || PermissionRules::new(PermissionPolicy::AutoApprove);
    for (rules, agent, missing) in [
        (PermissionRules::new(PermissionPolicy::Interactive), "agent.test", "permissions.policy"),
        (PermissionRules::new(PermissionPolicy::DenyAll), "agent.test", "permissions.policy"),
        (auto().except(code_execution), "agent.test", "without code_execution among permissions.exceptions"),
        (auto(), "agent.guest", "tool_creation.agents"),
    ] {
        for era in ERAS {
            let setup = kernel(rules.clone(), settings()).await;
            let mut agent = InSession::of(&setup, era, agent).await;
            assert_eq!(agent.request("word_lengths", None).await["result"]["status"], "unavailable");
            let refused = agent.request("word_lengths", Some(WORDS)).await;
            assert_eq!(refused["error"]["code"], 1000, "{refused}");
            assert!(refused["error"]["message"].as_str().unwrap().contains(missing), "{refused}");
            assert!(events(&setup, "TOOL_CREATED")[0].starts_with("BLOCKED"));
        }
    }
    // Denied by the operator, whatever the policy says.
    let setup = open().await;
    let code_execution = Permission::Standard(StandardPermission::CodeExecution);
    setup
        .kernel
        .permissions()
        .deny("tool_creation", &code_execution, &Principal::operator("ann"))
        .await
        .unwrap();
    let mut agent = InSession::new(&setup, Era::Initialize).await;
    assert_eq!(agent.request("word_lengths", None).await["result"]["status"], "unavailable");
    // The caller answers for its own session alone.
    let setup = open().await;
    let mut agent = InSession::new(&setup, Era::Initialize).await;
    let params = json!({
        "requirements": {"capabilities": ["word_lengths"]},
        "creation": {"language": "python", "code": WORDS},
        "_mgp": {"delegation": ["agent.other"]},
    });
    let refused = agent.ask("mgp/tools/request", params).await;
    assert!(refused["result"].is_null(), "{refused}");
}

#[tokio::test]
async fn the_extension_is_offered_only_where_tools_are_made_and_used_only_where_it_was_negotiated() {
    let creation =
        || ToolCreation { language: "python".into(), code: WORDS.into(), ..ToolCreation::default() };
    let setup = open().await;
    let without: ExtensionSet =
        ExtensionSet::ALL.iter().filter(|one| *one != Extension::ToolCreation).collect();
    let host = setup.host_that(without, Principal::agent("agent.test")).await;
    let refused = host.create_tool("word_lengths", creation()).await.unwrap_err();
    assert!(refused.to_string().contains("negotiated the extension tool_creation"), "{refused}");
    let has =
        |host: &Client| host.negotiated().is_some_and(|negotiated| negotiated.has(Extension::ToolCreation));
    assert!(!has(&setup.host().await), "a client offers it only if it is told to");
    let off =
        kernel(PermissionRules::new(PermissionPolicy::AutoApprove), ToolCreationConfig::default()).await;
    assert!(!has(&off.host_with(Client::builder("host", "1").tool_creation()).await));
    let mut agent = InSession::new(&off, Era::Initialize).await;
    assert_eq!(agent.request("word_lengths", None).await["result"]["status"], "unavailable");

    let host = setup.host_with(Client::builder("host", "1").tool_creation()).await;
    assert!(has(&host));
    let tool = host.create_tool("word_lengths", creation()).await.unwrap();
    let result = host.call_created(&tool, &json!({"text": "to be"})).await.unwrap();
    assert_eq!(result.structured_content.unwrap().as_str(), r#"{"2": 2}"#);
    let unsafe_code = ToolCreation { code: function("f", "import socket"), ..creation() };
    let error = host.create_tool("reach_hosts", unsafe_code).await.unwrap_err();
    let CreateToolError::Rejected(rejection) = error else { panic!("{error}") };
    assert!(rejection.violations[0].contains("'socket'") && rejection.hints.is_some(), "{rejection:?}");
    let needless = host.create_tool("add", creation()).await.unwrap_err();
    assert!(matches!(needless, CreateToolError::NotNeeded(RequestStatus::Fulfilled)), "{needless}");
}

#[tokio::test]
async fn code_that_is_refused_says_why_and_how_it_would_pass() {
    let long = function("f", &"x = 1; ".repeat(4000));
    for era in ERAS {
        let setup = open().await;
        let mut agent = InSession::new(&setup, era).await;
        for (code, violation) in [
            ("import subprocess\ndef f(): return 1".to_owned(), "Blocked import: 'subprocess'"),
            (function("f", "return eval(given)"), "'eval'"),
            (function("f", "return given.__class__.__mro__"), "'__class__'"),
            ("def f(given): return given".to_owned(), "Parameter 'given' has no type"),
            (function("add", "return given"), "Function name 'add' cannot be a tool's: a tool of server"),
            (
                function("run_shel", "return given"),
                "Function name 'run_shel' cannot be a tool's: it looks like",
            ),
            (function("mgp_tools_call", "return given"), "Function name 'mgp_tools_call' cannot be"),
            (long.clone(), "Code too long"),
            (
                format!("{}\nmissing_name\n", function("f", "return given")),
                "The code cannot be loaded: NameError",
            ),
        ] {
            let refused = agent.request("do_the_work", Some(&code)).await;
            assert_eq!(refused["error"]["code"], 1011, "{code:.60}: {refused}");
            let details = &refused["error"]["data"]["_mgp"]["details"];
            assert_eq!(details["status"], "rejected");
            assert!(details["violations"][0].as_str().unwrap().contains(violation), "{violation}: {refused}");
            assert!(details["hints"]["allowed_imports"].is_array(), "{refused}");
        }
        assert_eq!(events(&setup, "CODE_REJECTED").len(), 9);
        let requested = events(&setup, "TOOLS_REQUESTED");
        assert_eq!(requested.len(), 9);
        assert!(
            requested.iter().all(|event| event.starts_with("BLOCKED ") && event.contains(r#""code":1011"#)),
            "{requested:?}"
        );
        assert!(events(&setup, "TOOL_CREATED").is_empty());
        let wrong =
            json!({"requirements": {"capabilities": ["x_y"]}, "creation": {"language": "ruby", "code": "1"}});
        let refused = agent.ask("mgp/tools/request", wrong).await;
        let message = refused["error"]["message"].as_str().unwrap();
        assert_eq!(message, "invalid creation.language: \"ruby\": expected \"python\"");
    }
}

#[tokio::test]
async fn a_model_has_a_tool_made_and_mends_its_code_by_the_meta_tools_alone() {
    for era in ERAS {
        let setup = open().await;
        let mut host = setup.raw_host(As::mgp(era)).await;
        let list = host.get("tools/list", json!({})).await;
        let request =
            list["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "mgp_tools_request");
        assert!(request.unwrap()["inputSchema"]["properties"]["creation"].is_object(), "{list}");
        let mut arguments = json!({"requirements": {"capabilities": ["shout_loudly"]}});
        let answer = host.call("mgp_tools_request", arguments.clone()).await;
        assert_eq!(answer["structuredContent"]["status"], "creating", "{answer}");
        let session = answer["structuredContent"]["_mgp"]["session"].clone();
        arguments["session"] = session.clone();
        arguments["creation"] =
            json!({"language": "python", "code": function("shout", "return exec(given)")});
        let rejected = host.call("mgp_tools_request", arguments.clone()).await;
        assert_eq!(rejected["isError"], true);
        let text: Value = serde_json::from_str(rejected["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!((&text["status"], &text["code"]), (&json!("rejected"), &json!(1011)), "{rejected}");
        arguments["creation"]["code"] = json!(function("shout", "return given.upper()"));
        let made = host.call("mgp_tools_request", arguments).await;
        let name = &made["structuredContent"]["tools_loaded"][0]["name"];
        let call = json!({"name": name, "arguments": {"given": "ho"}, "session": session});
        assert_eq!(host.text("mgp_tools_call", call).await, "HO");
    }
}

#[tokio::test]
async fn another_session_and_another_agent_neither_see_nor_call_a_tool() {
    for era in ERAS {
        let setup = open().await;
        let mut owner = InSession::new(&setup, era).await;
        let name = owner.make("shout_loudly", &function("shout", "return given.upper()")).await;
        let server = name.replace("made_shout_", "made-");
        assert_eq!(owner.call(&name, json!({})).await["content"][0]["text"], "");
        // No rule opens it to others.
        for agent in ["agent.test", "agent.other"] {
            setup.kernel.access().put(server_rule(agent, &server)).await.unwrap();
        }
        for agent in ["agent.test", "agent.other", "agent.guest"] {
            let mut other = InSession::of(&setup, era, agent).await;
            other.ask("mgp/tools/session", json!({})).await;
            assert!(!other.finds("shout loudly").await.contains(&name), "{agent}");
            assert_ne!(other.request("shout_loudly", None).await["result"]["status"], "fulfilled", "{agent}");
            let list = other.ask("tools/list", json!({})).await;
            assert!(!list.to_string().contains(&name), "{list}");
            for called in [name.clone(), format!("{server}__{name}")] {
                let mut refused = other.call(&called, json!({})).await;
                let mut unknown = other.call(&called.replace("shout", "shoot"), json!({})).await;
                for answer in [&mut refused, &mut unknown] {
                    answer["data"]["trace_id"].take();
                }
                assert_eq!(refused.to_string(), unknown.to_string().replace("shoot", "shout"), "{agent}");
            }
        }
        if era == Era::Stateless {
            // Without its session, the caller is a stranger as well.
            let session = owner.session.take();
            let refused = owner.call(&name, json!({})).await;
            assert!(refused["message"].as_str().unwrap().contains("nknown tool"), "{refused}");
            owner.session = session;
        }
        let delegated = json!({
            "name": name, "arguments": {},
            "_mgp": {"delegation": ["agent.other"]},
        });
        let refused = owner.ask("tools/call", delegated).await;
        assert!(refused["result"].is_null(), "{refused}");
        assert_eq!(owner.call(&name, json!({"given": "a"})).await["content"][0]["text"], "A");
    }
}

#[tokio::test]
async fn a_tool_ends_with_its_session_and_leaves_nothing() {
    let setup = open().await;
    let mut owner = InSession::new(&setup, Era::Initialize).await;
    let name = owner.make("shout_loudly", &function("shout", "return given.upper()")).await;
    let servers = || setup.kernel.servers().iter().map(|server| server.id().to_owned()).collect::<Vec<_>>();
    assert!(servers().iter().any(|id| id.starts_with("made-")));
    // Not even to its agent outside of the session.
    assert!(!setup.kernel.tools(&Principal::agent("agent.test")).iter().any(|tool| *tool.name == *name));
    drop(owner);
    within(async {
        while servers() != ["test"] {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    assert!(events(&setup, "TOOL_REMOVED")[0].contains("its session ended"));
    let mut next = InSession::new(&setup, Era::Initialize).await;
    assert!(next.call(&name, json!({})).await["message"].as_str().unwrap().contains("nknown tool"));
}

#[tokio::test]
async fn a_session_has_only_so_many_tools_and_a_function_of_the_same_name_replaces_its_tool() {
    for era in ERAS {
        let rules = PermissionRules::new(PermissionPolicy::AutoApprove);
        let setup = kernel(rules, ToolCreationConfig { max_tools: 1, ..settings() }).await;
        let mut agent = InSession::new(&setup, era).await;
        let first = agent.make("shout_loudly", &function("shout", "return given")).await;
        let full = agent.request("whisper_softly", Some(&function("whisper", "return given.lower()"))).await;
        assert_eq!(full["error"]["code"], 3001, "{full}");
        assert!(full["error"]["message"].as_str().unwrap().contains("tool_creation.max_tools"), "{full}");
        let params = json!({"tools": [first], "reason": "wrong"});
        agent.ask("mgp/tools/session/evict", params).await;
        let second = agent.make("raise_voices", &function("shout", "return given.upper()")).await;
        assert_ne!(second, first, "the capability is not one of the first tool");
        assert_eq!(agent.call(&second, json!({"given": "a"})).await["content"][0]["text"], "A");
        let gone = async |agent: &mut InSession| agent.call(&first, json!({})).await["content"].is_null();
        within(async {
            while !gone(&mut agent).await {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
        assert!(events(&setup, "TOOL_REMOVED")[0].contains("replaced"));
    }
}

#[tokio::test]
async fn what_the_check_lets_through_reaches_no_file_and_the_call_says_so() {
    let setup = open().await;
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "the secret").unwrap();
    let mut agent = InSession::new(&setup, Era::Initialize).await;
    let reads = agent.make("show_a_file", &function("show", "return open(given).read()")).await;
    let given = json!({"given": secret.to_str().unwrap()});
    let result = agent.call(&reads, given).await;
    assert_eq!(result["isError"], true, "{result}");
    assert!(!result.to_string().contains("the secret"), "{result}");
    assert!(
        setup.calls().iter().any(|call| call.starts_with("TOOL_EXECUTED FAILURE made-")),
        "{:?}",
        setup.calls()
    );
}

#[tokio::test]
async fn the_agent_hears_that_its_code_was_approved() {
    let setup = open_in_full().await;
    let mut agent = InSession::new(&setup, Era::Initialize).await;
    let mut other = InSession::of(&setup, Era::Initialize, "agent.other").await;
    for host in [&mut agent, &mut other] {
        host.host.after_start().await;
        host.ask("mgp/events/subscribe", json!({"channels": ["security.approval_decided"]})).await;
    }
    let name = agent.make("shout_loudly", &function("shout", "return given.upper()")).await;
    let event = within(agent.host.hear("notifications/mgp.event")).await;
    let data = &event["params"]["data"];
    assert_eq!(
        (&data["event_type"], &data["agent_id"]),
        (&json!("PERMISSION_GRANTED"), &json!("agent.test"))
    );
    assert_eq!(agent.call(&name, json!({"given": "a"})).await["content"][0]["text"], "A");
    agent.host.settle().await;
    assert_eq!(agent.host.count("notifications/mgp.event"), 0, "once for the tool, not for its first call");
    drop(agent);
    within(async {
        while setup.kernel.servers().len() > 1 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    // The tasks that watch the stores do not follow the paused clock.
    tokio::time::sleep(Duration::from_millis(150)).await;
    other.host.settle().await;
    assert_eq!(other.host.count("notifications/mgp.event"), 0);
    let heard = "notifications/tools/list_changed";
    assert_eq!(other.host.count(heard), 0, "what is not theirs does not change for them");
    setup.kernel.access().put(server_rule("agent.other", "test")).await.unwrap();
    within(other.host.hear(heard)).await;
}

#[tokio::test]
async fn a_tool_that_is_called_leaves_no_pin_and_no_approval_in_the_stores() {
    for era in ERAS {
        let setup = open().await;
        let mut agent = InSession::new(&setup, era).await;
        let name = agent.make("shout_loudly", &function("shout", "return given.upper()")).await;
        assert_eq!(agent.call(&name, json!({"given": "a"})).await["content"][0]["text"], "A");
        let pinned = setup.kernel.definitions().rows().await.unwrap();
        assert!(!pinned.is_empty() && pinned.iter().all(|pin| *pin.tool.server_id == *"test"), "{pinned:?}");
        let decided = setup.kernel.permissions().rows().await.unwrap();
        assert!(!decided.iter().any(|row| row.server_id.starts_with("made-")), "{decided:?}");
    }
}

#[tokio::test]
async fn a_call_that_asks_for_a_task_is_answered() {
    let setup = open().await;
    let mut agent = InSession::new(&setup, Era::Initialize).await;
    let name = agent.make("shout_loudly", &function("shout", "return given.upper()")).await;
    let call = json!({"name": name, "arguments": {"given": "a"}, "task": {"ttl": 60_000}});
    let answer = agent.ask("tools/call", call).await;
    assert_eq!(answer["result"]["content"][0]["text"], "A", "{answer}");
}

#[tokio::test]
async fn an_agent_whose_code_does_not_end_keeps_no_other_agent_waiting() {
    let rules = PermissionRules::new(PermissionPolicy::AutoApprove);
    let setup = kernel(rules, ToolCreationConfig { timeout_ms: 5_000, ..settings() }).await;
    let endless = format!("{}\nwhile True:\n    pass\n", function("shout", "return given"));
    let mut sessions = Vec::new();
    for _ in 0..6 {
        let mut agent = InSession::new(&setup, Era::Initialize).await;
        let params = json!({
            "requirements": {"capabilities": ["shout_loudly"]},
            "creation": {"language": "python", "code": endless},
        });
        let id = agent.host.send("mgp/tools/request", params).await;
        sessions.push((agent, id));
    }
    // The approval is recorded before the load.
    within(async {
        while events(&setup, "PERMISSION_GRANTED").len() < sessions.len() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    let mut other = InSession::of(&setup, Era::Initialize, "agent.other").await;
    other.make("whisper_softly", &function("whisper", "return given.lower()")).await;
    assert!(events(&setup, "CODE_REJECTED").is_empty(), "none of the endless loads has ended before");
    let mut codes = Vec::new();
    for (agent, id) in &mut sessions {
        let answer = within(agent.host.answer_to(*id)).await;
        let advice = &answer["error"]["data"]["_mgp"];
        codes.push((answer["error"]["code"].as_i64().unwrap(), advice["retry_after_ms"].as_u64()));
    }
    codes.sort_unstable();
    assert_eq!(codes[0], (1011, None), "its load took too long: {codes:?}");
    assert_eq!(codes[5], (3001, Some(5_000)), "{codes:?}");
}
