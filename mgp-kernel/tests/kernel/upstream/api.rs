//! HTTP APIs and commands as servers.

use crate::support::{START_LIMIT, Setup, start};
use axum::{
    Router,
    extract::Request,
    http::{StatusCode, header},
    response::IntoResponse,
};
use mgp_discovery::config::Config;
use mgp_types::json::RawJson;
use parking_lot::Mutex;
use std::{fs, path::Path, sync::Arc};
use tokio::net::TcpListener;

const DOCUMENT: &str = r#"{"openapi": "3.1.0", "info": {"title": "Pets"}, "paths": {
    "/pets/{id}": {
        "get": {"operationId": "getPet", "tags": ["read"],
            "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]},
        "delete": {"operationId": "deletePet",
            "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]}
    }}}"#;

type Log = Arc<Mutex<Vec<String>>>;

/// An API that also serves its document, and logs its requests.
async fn api() -> (String, Log) {
    let log = Log::default();
    let seen = log.clone();
    let router = Router::new().fallback(move |request: Request| {
        let token = request.headers().get(header::AUTHORIZATION).map(|token| token.to_str().unwrap());
        seen.lock().push(format!("{} {} {}", request.method(), request.uri(), token.unwrap_or("-")));
        let path = request.uri().path().to_owned();
        async move {
            match &*path {
                "/document" => ([(header::CONTENT_TYPE, "application/json")], DOCUMENT).into_response(),
                "/v1/pets/7" => {
                    ([(header::CONTENT_TYPE, "application/json")], r#"{"name":"Ann"}"#).into_response()
                }
                _ => StatusCode::NOT_FOUND.into_response(),
            }
        }
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (url, log)
}

/// Starts a kernel with a configuration.
async fn kernel(text: &str) -> Setup {
    let text = format!("[kernel]\ndefault_policy = \"opt-out\"\n{text}");
    let config = Config::parse("mgp.toml".as_ref(), text.as_bytes(), &|_| None).unwrap();
    start(|kernel, _| kernel.configure(&config).unwrap()).await
}

async fn call(setup: &Setup, tool: &str, arguments: &'static str) -> Result<(bool, String), String> {
    let host = setup.host().await;
    let result = host.call_tool(tool, RawJson::parse(arguments).unwrap()).await;
    let result = result.map_err(|error| error.to_string())?;
    let texts: Vec<_> = result.content.iter().filter_map(|block| block.as_text()).collect();
    Ok((result.failed(), texts.join("|")))
}

#[tokio::test]
async fn the_operations_of_a_document_are_tools_of_a_server() {
    let (url, log) = api().await;
    let setup = kernel(&format!(
        r#"
        [[servers]]
        id = "pets"
        openapi = "{url}/document"
        base_url = "{url}/v1"
        exclude = [{{ method = "delete" }}]
        auth.basic = {{ user = "ann", password = "pw" }}
        "#
    ))
    .await;
    let answer = call(&setup, "getPet", r#"{"id": "7"}"#).await;
    assert_eq!(answer, Ok((false, r#"{"name":"Ann"}"#.to_owned())));
    assert!(call(&setup, "deletePet", r#"{"id": "7"}"#).await.is_err(), "it is excluded");
    assert_eq!(
        call(&setup, "getPet", r#"{"id": "../8"}"#).await.unwrap(),
        (true, "HTTP 404 Not Found".to_owned())
    );
    let calls: Vec<_> = log.lock().iter().filter(|line| line.contains("/v1/")).cloned().collect();
    assert_eq!(calls, ["GET /v1/pets/7 Basic YW5uOnB3", "GET /v1/pets/..%2F8 Basic YW5uOnB3"]);
    // Each call is in the trail, like that of any server.
    let events = setup.sink.events();
    let of_tool = events
        .iter()
        .filter(|event| serde_json::to_string(event).unwrap().contains(r#""tool_name":"getPet""#));
    assert_eq!(of_tool.count(), 2);
}

#[tokio::test]
async fn credentials_are_not_sent_for_a_document_elsewhere() {
    let ((documents, of_documents), (url, of_api)) = (api().await, api().await);
    let setup = kernel(&format!(
        "[[servers]]\nid = \"pets\"\nopenapi = \"{documents}/document\"\nbase_url = \"{url}/v1\"\nauth.bearer = \"hush\"\n"
    ))
    .await;
    call(&setup, "getPet", r#"{"id": "7"}"#).await.unwrap();
    assert_eq!(*of_documents.lock(), ["GET /document -"]);
    assert_eq!(*of_api.lock(), ["GET /v1/pets/7 Bearer hush"]);
}

#[tokio::test]
async fn a_document_that_cannot_be_used_is_the_reason_of_its_server() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.yaml");
    fs::write(&broken, "openapi: 2.0\n").unwrap();
    let (url, _) = api().await;
    for (document, expected) in [
        (folder.path().join("none.json").display().to_string(), "none.json: No such file"),
        (broken.display().to_string(), "at `/openapi`: got version 2.0, expected 3.0 or 3.1"),
        (format!("{url}/nothing"), "expected the document, found HTTP 404"),
        ("http://127.0.0.1:1/x".to_owned(), "failed to reach http://127.0.0.1:1/x"),
    ] {
        let text = format!("[[servers]]\nid = \"pets\"\nopenapi = '{document}'\nbase_url = \"{url}\"\n");
        let config = Config::parse("mgp.toml".as_ref(), text.as_bytes(), &|_| None).unwrap();
        let kernel = mgp_kernel::Kernel::builder().configure(&config).unwrap().start().await.unwrap();
        kernel.ready(START_LIMIT).await;
        let reason = kernel.servers()[0].status().reason.clone();
        assert!(reason.contains(expected), "{document}: {reason}");
    }
}

/// Starts a kernel with one command, which `sh` runs in a folder.
#[cfg(unix)]
async fn command(folder: &Path, script: &str, more: &str) -> Setup {
    kernel(&format!(
        r#"
        [[servers]]
        id = "tools"
        cwd = '{}'
        commands = [{{ name = "run", description = "Runs", argv = ["sh", "-c", '{script}', "sh", "{{text}}"], arguments = {{ text = {{ type = "string" }} }}, {more} }}]
        "#,
        folder.display()
    ))
    .await
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_gets_its_arguments_without_a_shell() {
    let folder = tempfile::tempdir().unwrap();
    let setup = command(folder.path(), r#"printf "%s|" "$PWD" "$@""#, "read_only = true").await;
    let (failed, text) = call(&setup, "run", r#"{"text": "a; touch x $(touch y)\n'\""}"#).await.unwrap();
    let real = folder.path().canonicalize().unwrap();
    assert_eq!((failed, text), (false, format!("{}|a; touch x $(touch y)\n'\"|", real.display())));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    for (arguments, expected) in
        [("{}", "text"), (r#"{"text": 7}"#, "/text"), (r#"{"text": "-x"}"#, "would read as an option")]
    {
        let (failed, text) = call(&setup, "run", arguments).await.unwrap();
        assert!(failed && text.contains(expected), "{arguments}: {text}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_end_of_a_command_is_its_result() {
    let folder = tempfile::tempdir().unwrap();
    let failing = command(folder.path(), "echo out; echo why >&2; exit 3", "").await;
    let (failed, text) = call(&failing, "run", r#"{"text": ""}"#).await.unwrap();
    assert!(failed && text.contains("exit status: 3: why"), "{text}");
    let long = command(folder.path(), "while :; do echo xxxxxxxxxx; done", "max_output_bytes = 1000").await;
    let (failed, text) = call(&long, "run", r#"{"text": ""}"#).await.unwrap();
    assert!(failed && text.contains("longer than 1000 bytes"), "{text}");
    let endless = command(folder.path(), "sleep 1000", "timeout_ms = 50").await;
    let (failed, text) = call(&endless, "run", r#"{"text": ""}"#).await.unwrap();
    assert!(failed && text.contains("did not end within 50ms"), "{text}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_confined_command_reads_only_what_it_may() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("secret"), "hidden").unwrap();
    let text = |read: &str| {
        format!(
            r#"
            [[servers]]
            id = "tools"
            confinement = {{ mode = "require", read = [{read}] }}
            commands = [{{ name = "read", description = "Reads", argv = ["cat", "--", "{{path}}"], arguments = {{ path = {{ type = "string" }} }} }}]
            "#
        )
    };
    let arguments: &'static str = format!(r#"{{"path": "{}/secret"}}"#, folder.path().display()).leak();
    let closed = kernel(&text("")).await;
    let (failed, answer) = call(&closed, "read", arguments).await.unwrap();
    assert!(failed && answer.contains("Permission denied"), "{answer}");
    let open = kernel(&text(&format!("'{}'", folder.path().display()))).await;
    assert_eq!(call(&open, "read", arguments).await, Ok((false, "hidden".to_owned())));
}
