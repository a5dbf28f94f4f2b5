//! Data behind the URL of a server's own reference.

use crate::{
    exchange::result_secrets::token,
    raw_host::{As, RawHost},
    raw_server::{RawServer, result},
    support::{Setup, start, until},
};
use mgp_discovery::config::ReferencesConfig;
use mgp_kernel::{Era, SecretPolicy};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

const DATA: &str = "id,name\n1,Ann\n";

/// Returns data with a secret.
fn secret() -> String {
    format!("token: {}\n", token())
}

/// Serves the data at `/data`, and a redirect to it at `/moved`. Returns the address, and the number of requests so far.
async fn file_server() -> (String, Arc<AtomicUsize>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let asked = Arc::new(AtomicUsize::new(0));
    let (counter, location) = (asked.clone(), format!("http://{address}/data"));
    let answer = move |path: http::Uri| {
        counter.fetch_add(1, Ordering::SeqCst);
        let location = location.clone();
        async move {
            match path.path() {
                "/data" => http::Response::new(DATA.to_owned()),
                "/secret" => http::Response::new(secret()),
                "/never" => std::future::pending().await,
                "/moved" => {
                    let moved = http::Response::builder().status(302).header("Location", location);
                    moved.body(String::new()).unwrap()
                }
                _ => http::Response::builder().status(403).body("no".to_owned()).unwrap(),
            }
        }
    };
    tokio::spawn(async move { axum::serve(listener, axum::Router::new().fallback(answer)).await });
    (address, asked)
}

/// Calls a tool that answers with a reference, and has its result kept.
async fn kept(hosts: &[&str], reference: Value) -> (Setup, RawHost, Value) {
    kept_by(SecretPolicy::Off, hosts, reference).await
}

async fn kept_by(secrets: SecretPolicy, hosts: &[&str], reference: Value) -> (Setup, RawHost, Value) {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
        let reference = reference.clone();
        let content = json!([{"type": "text", "text": reference.to_string()}]);
        (message["method"] == "tools/call")
            .then(|| vec![result(message, json!({"content": content, "structuredContent": reference}))])
    });
    let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
    let bounds = ReferencesConfig { hosts, ..ReferencesConfig::default() };
    let mut spec = server.spec("crm");
    spec.secrets = secrets;
    let setup = start(|kernel, _| kernel.config(|config| config.references = bounds).server(spec)).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let call = json!({"name": "work", "_meta": {"dev.cloto/call": {"keep_result": true}}});
    let answer = host.get("tools/call", call).await;
    (setup, host, answer)
}

fn reference(url: &str, checksum: &str) -> Value {
    json!({"ref_id": "theirs-1", "origin_server": "somebody", "mime_type": "text/csv", "size_bytes": DATA.len(),
        "access_url": url, "checksum": {"algorithm": "sha256", "value": checksum}})
}

fn hash() -> String {
    Sha256::digest(DATA).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn data_are_fetched_only_from_a_host_that_the_operator_allowed() {
    let (address, _) = file_server().await;
    let (_setup, mut host, answer) =
        kept(&[&address], reference(&format!("http://{address}/data"), &hash())).await;
    let ours = &answer["_meta"]["dev.cloto/reference"];
    assert_eq!((&ours["origin_server"], &ours["mime_type"]), (&json!("crm"), &json!("text/csv")));
    assert_eq!(ours["checksum"]["value"], hash());
    assert!(ours.get("access_url").is_none() && ours["ref_id"] != "theirs-1", "{ours}");
    let uri = format!("mgp://references/{}", ours["ref_id"].as_str().unwrap());
    let read = host.get("resources/read", json!({"uri": uri})).await;
    assert_eq!(read["contents"][0]["text"], DATA);
}

#[tokio::test]
async fn forbidden_data_are_not_fetched_and_mislabelled_data_not_kept() {
    let (address, asked) = file_server().await;
    let url = |path: &str| format!("http://{address}{path}");
    let port = address.rsplit(':').next().unwrap();
    let mut longer = reference(&url("/data"), &hash());
    longer["size_bytes"] = json!(DATA.len() + 1);
    let mut md5 = reference(&url("/data"), &hash());
    md5["checksum"]["algorithm"] = json!("md5");
    let named = format!("files.localhost.example:{port}");
    for (hosts, theirs, requests, problem) in [
        (vec![], reference(&url("/data"), &hash()), 0, "references.hosts does not have the host"),
        (vec!["127.0.0.1"], reference(&url("/data"), &hash()), 0, "references.hosts does not have the host"),
        (
            vec!["127.0.0.2:80"],
            reference(&url("/data"), &hash()),
            0,
            "references.hosts does not have the host",
        ),
        (vec![&*address], reference(&url("/data"), &"0".repeat(64)), 1, "the SHA-256 of its data differs"),
        (vec![&*address], longer, 1, "has 14 bytes, expected 15"),
        (vec![&*address], md5, 1, "expected sha256"),
        (vec![&*address], reference(&url("/moved"), &hash()), 1, "302"),
        (vec![&*address], reference(&url("/other"), &hash()), 1, "403"),
        (vec![&*named], reference(&format!("http://{named}/data"), &hash()), 0, "could not be fetched"),
    ] {
        let before = asked.load(Ordering::SeqCst);
        let (_setup, _host, answer) = kept(&hosts, theirs.clone()).await;
        let reason =
            answer["_meta"]["dev.cloto/reference"]["not_kept"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert!(reason.contains(problem), "{reason}");
        assert_eq!(asked.load(Ordering::SeqCst) - before, requests, "{reason}");
        // The answer of the server stays.
        assert_eq!(answer["structuredContent"], theirs);
    }
}

#[tokio::test]
async fn a_server_accepts_other_calls_during_a_fetch() {
    let (address, asked) = file_server().await;
    let url = format!("http://{address}/never");
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
        let theirs = match message["params"]["arguments"].get("fetch") {
            Some(_) => reference(&url, &hash()),
            None => json!({}),
        };
        let content = json!([{"type": "text", "text": "short"}]);
        (message["method"] == "tools/call")
            .then(|| vec![result(message, json!({"content": content, "structuredContent": theirs}))])
    });
    let bounds = ReferencesConfig { hosts: vec![address], ..ReferencesConfig::default() };
    let mut spec = server.spec("crm");
    (spec.max_concurrent, spec.secrets) = (1, SecretPolicy::Off);
    let setup = start(|kernel, _| kernel.config(|config| config.references = bounds).server(spec)).await;
    let mut slow = setup.raw_host(As::plain(Era::Initialize)).await;
    let call = json!({"name": "work", "arguments": {"fetch": true}, "_meta": {"dev.cloto/call": {"keep_result": true}}});
    slow.send("tools/call", call).await;
    until(|| asked.load(Ordering::SeqCst) > 0).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let call = json!({"name": "work", "_meta": {"dev.cloto/call": {"keep_result": true}}});
    host.get("tools/call", call).await;
}

#[tokio::test]
async fn data_are_fetched_only_for_a_result_that_is_to_be_kept() {
    let (address, asked) = file_server().await;
    // Long enough for a result that is kept.
    let theirs = reference(&format!("http://{address}/data?{}", "a-".repeat(300)), &hash());
    let structured = theirs.clone();
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
        (message["method"] == "tools/call")
            .then(|| vec![result(message, json!({"content": [], "structuredContent": structured}))])
    });
    let bounds = ReferencesConfig { hosts: vec![address], ..ReferencesConfig::default() };
    let spec = server.spec("crm");
    let setup = start(|kernel, _| {
        kernel
            .config(|config| {
                config.references = bounds;
                config.results.max_tokens = Some(100);
            })
            .server(spec)
    })
    .await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let answer = host.get("tools/call", json!({"name": "work"})).await;
    let ours = &answer["_meta"]["dev.cloto/reference"];
    assert_eq!(ours["mime_type"], "application/json", "the reference of the server itself is kept: {answer}");
    let uri = format!("mgp://references/{}", ours["ref_id"].as_str().unwrap());
    let read = host.get("resources/read", json!({"uri": uri})).await;
    let kept: Value = serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!((kept, asked.load(Ordering::SeqCst)), (theirs, 0));
}

#[tokio::test]
async fn secrets_in_fetched_data_are_masked_and_recorded() {
    let (address, _) = file_server().await;
    for (mime_type, policy, is_masked) in [
        ("text/csv", SecretPolicy::Mask, true),
        ("text/csv", SecretPolicy::Warn, false),
        ("text/csv", SecretPolicy::Off, false),
    ] {
        let url = format!("http://{address}/secret");
        let theirs = json!({"ref_id": "theirs-1", "origin_server": "somebody", "mime_type": mime_type, "access_url": url});
        let (setup, mut host, answer) = kept_by(policy, &[&address], theirs).await;
        let id = answer["_meta"]["dev.cloto/reference"]["ref_id"].as_str().unwrap();
        let read = host.get("resources/read", json!({"uri": format!("mgp://references/{id}")})).await;
        let text = read["contents"][0]["text"].as_str().unwrap();
        let expected = if is_masked { "token: [secret: github-pat]\n".to_owned() } else { secret() };
        assert_eq!(text, expected, "{policy}");
        let found =
            |event: &&mgp_types::audit::AuditEvent| event.event_type.to_string().contains("SECRET_FOUND");
        let events = setup.sink.events();
        let found: Vec<_> = events.iter().filter(found).collect();
        assert_eq!(found.len(), usize::from(policy != SecretPolicy::Off), "{found:?}");
    }
}
