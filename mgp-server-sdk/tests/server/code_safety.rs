//! §7 Checks of code in handlers.

use crate::support::Client;
use mgp_server_sdk::{
    Error, RiskLevel, Server, Tool, ToolError,
    code_safety::{CodeRules, CodeSafety, SafetyLevel},
    extract::Args,
    testing::{TestClient, TestError},
};
use mgp_types::tool_security::SecurityMetadata;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
struct Program {
    language: String,
    code: String,
}

async fn run(safety: CodeSafety, Args(program): Args<Program>) -> Result<&'static str, ToolError> {
    safety.check(&program.language, &program.code)?;
    Ok("ran")
}

async fn client(rules: CodeRules) -> TestClient {
    let server = Server::new("s", "1").code_safety(rules).tool(Tool::new("run", "", run));
    server.test_client().await.unwrap()
}

/// Returns the rejection of code, or `None` if the handler ran it.
async fn rejection(client: &TestClient, language: &str, code: &str) -> Option<Value> {
    match client.call::<String>("run", json!({"language": language, "code": code})).await {
        Ok(_) => None,
        Err(TestError::Tool(result)) => Some(serde_json::from_str(&result.joined_text()).unwrap()),
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn code_is_refused_with_hints_and_fixed_code_runs() {
    let client = client(CodeRules::new(SafetyLevel::Strict).allow_imports(["json"])).await;
    let refused = rejection(&client, "python", "import subprocess\nprint(eval('1'))").await.unwrap();
    assert_eq!((&refused["status"], &refused["code"]), (&json!("rejected"), &json!(1011)));
    assert_eq!(refused["violations"].as_array().unwrap().len(), 2, "{refused}");
    assert_eq!(refused["hints"]["allowed_imports"], json!(["json"]));
    assert_eq!(refused["hints"]["replacements"]["eval"], "ast.literal_eval");
    assert_eq!(rejection(&client, "python", "import json\nprint(json.dumps(1))").await, None);
}

#[tokio::test]
async fn each_builder_rule_applies() {
    let strict = || CodeRules::new(SafetyLevel::Strict);
    let standard = || CodeRules::new(SafetyLevel::Standard);
    for (rules, language, code, runs) in [
        (strict(), "bash", "echo a | sort", true),
        (strict(), "bash", "curl https://example.com", false),
        (strict(), "cobol", "x", false),
        (standard(), "javascript", "const a = [][x]", true),
        (strict(), "javascript", "const a = [][x]", false),
        (standard(), "python", "import decimal", true),
        (standard().block_imports(["decimal"]), "python", "import decimal", false),
        (standard().block_patterns(["print("]), "python", "print (1)", false),
        (standard().max_bytes(5), "python", "1 + 1 + 1", false),
        (strict().allow_imports(["re"]), "python", "import json", false),
    ] {
        let client = client(rules.clone()).await;
        let refused = rejection(&client, language, code).await;
        assert_eq!(refused.is_none(), runs, "{rules:?} {language} {code}: {refused:?}");
    }
}

#[tokio::test]
async fn a_server_without_rules_does_not_build() {
    let error = Server::new("s", "1").tool(Tool::new("run", "", run)).build().unwrap_err();
    assert!(matches!(error, Error::MissingState { state, .. } if state.ends_with("CodeRules")), "{error}");
}

#[tokio::test]
async fn a_server_that_checks_or_declares_code_has_the_extension() {
    let checks = Server::new("s", "1")
        .code_safety(CodeRules::new(SafetyLevel::Strict))
        .tool(Tool::new("run", "", run));
    let declared = SecurityMetadata {
        code_safety: Some(Default::default()),
        ..SecurityMetadata::new(RiskLevel::Moderate)
    };
    let declares = Server::new("s", "1").tool(Tool::new("t", "", async || ()).security(declared));
    let neither = Server::new("s", "1").tool(Tool::new("t", "", async || ()));
    for (server, expected) in [(checks, true), (declares, true), (neither, false)] {
        let client = Client::mgp(server).await;
        let names = client.initialized["capabilities"]["mgp"]["extensions"].as_array().unwrap();
        assert_eq!(names.contains(&json!("code_safety")), expected, "{names:?}");
    }
}
