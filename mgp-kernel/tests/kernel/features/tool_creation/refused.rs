//! Tools that are not made: their agents are told why.

use super::support::{InSession, WORDS, events, function, kernel, kernel_with, open, settings};
use crate::raw_host::ERAS;
use mgp_client_sdk::client::{Client, CreateToolError};
use mgp_discovery::config::{PermissionsConfig, ToolCreationConfig};
use mgp_kernel::Era;
use mgp_types::{
    context::Principal,
    negotiation::{Extension, ExtensionSet},
    permission::{Permission, PermissionPolicy, StandardPermission},
    tool_index::{RequestStatus, ToolCreation},
};
use serde_json::json;

#[tokio::test]
async fn no_tool_is_created_unless_every_condition_holds() {
    let auto = PermissionPolicy::AutoApprove;
    let excepted = PermissionsConfig {
        policy: Some(auto),
        exceptions: vec!["code_execution".into()],
        ..PermissionsConfig::default()
    };
    let policy = |policy| PermissionsConfig { policy: Some(policy), ..PermissionsConfig::default() };
    for (permissions, agent, missing) in [
        (policy(PermissionPolicy::Interactive), "agent.test", "permissions.policy"),
        (policy(PermissionPolicy::DenyAll), "agent.test", "permissions.policy"),
        (excepted, "agent.test", "without code_execution among permissions.exceptions"),
        (policy(auto), "agent.guest", "tool_creation.agents"),
    ] {
        for era in ERAS {
            let setup = kernel_with(permissions.clone(), settings()).await;
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
async fn the_extension_needs_an_offer_and_its_negotiation() {
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
    let off = kernel(PermissionPolicy::AutoApprove, ToolCreationConfig::default()).await;
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
async fn a_refusal_of_code_explains_the_reason_and_the_remedy() {
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
