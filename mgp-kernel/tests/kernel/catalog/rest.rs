//! The tools over REST: the same gates, an envelope, and a status for each refusal.

use crate::{
    raw_host::As,
    raw_server::{RawServer, error, result, text},
    support::{Setup, rule, spec, start, within},
};
use mgp_discovery::config::{Config, RefusalForm};
use mgp_kernel::{ApiKey, Era, KernelBuilder};
use mgp_transport::http::server::RunningServer;
use mgp_types::{
    access::{AccessDecision, AccessEntry, DefaultPolicy},
    context::Principal,
    openapi::{REST_STATUSES, RestStatus},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

struct World {
    setup: Setup,
    serving: RunningServer,
    key: String,
}

async fn world() -> World {
    world_that(|kernel| kernel).await
}

async fn world_that(is: impl FnOnce(KernelBuilder) -> KernelBuilder) -> World {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.default_policy = DefaultPolicy::OptIn;
        is(kernel).server(spec).without_approver()
    })
    .await;
    setup.permission_asked().await;
    serve(setup).await
}

async fn serve(setup: Setup) -> World {
    for tool in ["add", "run_shell", "secret"] {
        let allow = rule("test", Some(tool), AccessDecision::Allow);
        setup.kernel.access().put(AccessEntry { agent_id: "web".to_owned(), ..allow }).await.unwrap();
    }
    let (key, hash) = ApiKey::generate().unwrap();
    let server = setup.kernel.http().rest().api_key(hash, Principal::agent("web")).build();
    let serving = server.bind("127.0.0.1:0").await.unwrap();
    World { setup, serving, key: key.clone() }
}

/// Sends a request, and returns the status, the headers and the body.
async fn send(world: &World, head: &str, headers: &str, body: &str) -> (u16, String, Value) {
    let mut stream = TcpStream::connect(world.serving.address()).await.unwrap();
    let request = format!(
        "{head} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n{headers}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        world.serving.address(),
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    within(stream.read_to_string(&mut answer)).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_lowercase(), serde_json::from_str(body).unwrap_or(Value::Null))
}

async fn post(world: &World, path: &str, body: &str) -> (u16, Value) {
    let key = format!("X-API-Key: {}\r\n", world.key);
    let (status, _, body) = send(world, &format!("POST {path}"), &key, body).await;
    (status, body)
}

#[tokio::test]
async fn a_call_is_answered_in_an_envelope_and_each_refusal_by_status() {
    let world = world().await;
    let (status, body) = post(&world, "/tools/add", r#"{"a":1,"b":2}"#).await;
    assert_eq!((status, &body["status"], &body["error"]), (200, &json!("success"), &Value::Null), "{body}");
    assert_eq!(body["data"], json!({"content": [{"type": "text", "text": "3"}]}), "{body}");
    for (path, body, status, part) in [
        ("/tools/nothing", "{}", 404, "unknown tool"),
        ("/tools/count", r#"{"steps":1}"#, 404, "unknown tool"),
        ("/tools/secret", "{}", 409, "camera"),
        ("/tools/run_shell", r#"{"command":"rm -rf /"}"#, 400, "rm"),
        ("/tools/add", "[1]", 400, "expected a JSON object, found an array"),
        ("/tools/add", "{", 400, "expected a JSON object"),
        ("/tools/add?dry=1", "{}", 400, "expected dry_run=true"),
    ] {
        let (found, answer) = post(&world, path, body).await;
        assert_eq!(
            (found, &answer["status"], &answer["data"]),
            (status, &json!("failure"), &Value::Null),
            "{answer}"
        );
        let message = answer["error"]["error_message"].as_str().unwrap();
        assert!(message.contains(part), "{path}: {message}");
        assert!(answer["error"]["error_type"].is_string(), "{answer}");
        assert!(!answer.to_string().contains("_mgp"), "{answer}");
    }
    let (status, ..) = send(&world, "POST /tools/add", "", "{}").await;
    assert_eq!(status, 401, "the keys are those of the endpoint");
    let (status, ..) = send(&world, "POST /tools/add", "Origin: https://evil.example\r\n", "{}").await;
    assert_eq!(status, 403, "and so are the origins");
}

#[tokio::test]
async fn a_body_may_begin_with_a_byte_order_mark() {
    let world = world().await;
    let (status, body) = post(&world, "/tools/add", "\u{feff}{\"a\":1,\"b\":2}").await;
    assert_eq!((status, &body["data"]["content"][0]["text"]), (200, &json!("3")), "{body}");
}

#[tokio::test]
async fn an_unknown_path_or_method_is_refused_with_the_same_body() {
    let world = world().await;
    let key = format!("X-API-Key: {}\r\n", world.key);
    for (head, status, allow) in [
        ("POST /tools/%FF", 400, None),
        ("POST /tools/a/b", 404, None),
        ("POST /tools/add/", 404, None),
        ("POST /tools/", 404, None),
        ("POST /tools", 405, Some("GET,HEAD")),
        ("GET /tools/add", 405, Some("POST")),
        ("POST /openapi.json", 405, Some("GET,HEAD")),
    ] {
        let (found, headers, answer) = send(&world, head, &key, "{}").await;
        assert_eq!((found, &answer["status"]), (status, &json!("failure")), "{head}: {answer}");
        assert!(headers.contains("\r\ncontent-type: application/json"), "{head}: {headers}");
        let error = &answer["error"];
        let error_type = if status == 404 { "ResourceNotFound" } else { "ValidationError" };
        assert_eq!(error["error_type"], error_type, "{head}: {answer}");
        assert!(error["error_message"].is_string(), "{head}: {answer}");
        assert!(error["error_details"]["trace_id"].is_string(), "{head}: {answer}");
        let allowed = headers.lines().find_map(|line| line.strip_prefix("allow: "));
        assert_eq!(allowed.map(str::to_uppercase).as_deref(), allow, "{head}: {headers}");
        assert!(REST_STATUSES.iter().any(|known| known.code == status), "{head}");
    }
    let (status, _, body) = send(&world, "POST /nothing", &key, "{}").await;
    assert_eq!((status, body), (404, Value::Null), "other addresses are not of REST");
    assert_eq!(send(&world, "POST /tools/a/b", "", "{}").await.0, 401, "the gate comes first");
    // A caller that has a trace finds its request by it, and every fault of its body has one.
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let traced = format!("{key}traceparent: 00-{trace}-b7ad6b7169203331-01\r\n");
    for body in ["{", "[1]"] {
        let (status, _, answer) = send(&world, "POST /tools/add", &traced, body).await;
        assert_eq!((status, &answer["error"]["error_type"]), (400, &json!("ValidationError")), "{answer}");
        assert_eq!(answer["error"]["error_details"]["trace_id"], trace, "{answer}");
    }
}

#[tokio::test]
async fn the_list_has_only_visible_tools_and_a_refusal_names_it() {
    let world = world().await;
    let key = format!("X-API-Key: {}\r\n", world.key);
    let (status, _, answer) = send(&world, "GET /tools", &key, "").await;
    assert_eq!((status, &answer["status"], &answer["error"]), (200, &json!("success"), &Value::Null));
    let tools = answer["data"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let document = world.setup.kernel.openapi(&Principal::agent("web"));
    let mut paths: Vec<_> = document["paths"].as_object().unwrap().keys().cloned().collect();
    paths.sort();
    assert!(names.iter().map(|name| format!("/tools/{name}")).eq(paths), "{names:?}");
    assert!(names.contains(&"add") && tools.iter().all(|tool| tool["description"].is_string()), "{answer}");
    assert_eq!(send(&world, "GET /tools", "", "").await.0, 401);
    for name in ["nothing", "ad", "mgp_tools_discovr"] {
        let (_, answer) = post(&world, &format!("/tools/{name}"), "{}").await;
        let message = answer["error"]["error_message"].as_str().unwrap();
        assert!(message.contains("GET /tools lists") && !message.contains("mgp_tools_discover"), "{message}");
    }
}

#[test]
fn the_statuses_in_the_documentation_are_those_of_the_table() {
    let page = include_str!("../../../../docs/rest.md");
    let rows: Vec<_> = page
        .lines()
        .filter(|line| line.starts_with("| ") && line[2..].starts_with(char::is_numeric))
        .collect();
    let table = REST_STATUSES.map(|RestStatus { code, meaning, is_of_gate }| {
        format!("| {code}{} | {meaning} |", if is_of_gate { "*" } else { "" })
    });
    assert_eq!(rows[..table.len()], table);
}

#[tokio::test]
async fn a_refusal_by_the_gate_has_the_documented_body() {
    let world = world().await;
    let document = world.setup.kernel.openapi(&Principal::agent("web"));
    let schema = |status: &str| {
        let schema = &document["components"]["responses"][status]["content"]["application/json"]["schema"];
        schema.to_string().contains("TurnedAway")
    };
    let page = include_str!("../../../../docs/rest.md");
    for (header, status) in
        [("", 401), ("X-API-Key: wrong\r\n", 401), ("Origin: https://evil.example\r\n", 403)]
    {
        let (found, _, body) = send(&world, "POST /tools/add", header, "{}").await;
        assert_eq!((found, &body["jsonrpc"], &body["id"]), (status, &json!("2.0"), &Value::Null), "{body}");
        assert_eq!(body["error"]["code"], -32600, "{body}");
        assert!(schema(&status.to_string()), "{document}");
        assert!(status == 403 || page.contains(&format!("`{body}`")), "{body}");
    }
    assert!(!schema("404") && !schema("409"), "{document}");
}

#[tokio::test]
async fn a_pending_question_is_a_conflict_with_its_id() {
    let world = world().await;
    let camera = mgp_types::permission::StandardPermission::Camera.into();
    let row = world.setup.kernel.permissions().open_question("test", &camera).await.unwrap();
    let (status, body) = post(&world, "/tools/secret", "{}").await;
    assert_eq!(status, 409, "{body}");
    assert!(
        body["error"]["error_message"].as_str().unwrap().contains(&format!("mgp approve {}", row.request_id))
    );
    assert_eq!(body["error"]["error_details"]["request_id"], row.request_id.as_str(), "{body}");
    // A plain host reads the same.
    let agent =
        AccessEntry { agent_id: "agent.test".to_owned(), ..rule("test", None, AccessDecision::Allow) };
    world.setup.kernel.access().put(agent).await.unwrap();
    let mut host = world.setup.raw_host(As::plain(Era::Initialize)).await;
    let refused = host.refused("tools/call", json!({"name": "secret", "arguments": {}})).await;
    assert_eq!(refused["data"]["request_id"], row.request_id.as_str(), "{refused}");
}

#[tokio::test]
async fn a_refusal_has_its_status_in_every_form_for_models() {
    let limited = "[limits.agents.web]\nrequests_per_minute = 4";
    let limited = Config::parse("mgp.toml".as_ref(), limited.as_bytes(), &|_| None).unwrap();
    let world = world_that(|kernel| {
        kernel.configure(&limited).unwrap().config(|config| config.kernel.refusals = RefusalForm::Result)
    })
    .await;
    let camera = mgp_types::permission::StandardPermission::Camera.into();
    let row = world.setup.kernel.permissions().open_question("test", &camera).await.unwrap();
    for (path, body, status, part) in [
        ("/tools/secret", "{}", 409, row.request_id.as_str()),
        ("/tools/run_shell", r#"{"command":"rm -rf /"}"#, 400, "rm"),
        ("/tools/nothing", "{}", 404, "unknown tool"),
    ] {
        let (found, answer) = post(&world, path, body).await;
        assert_eq!((found, &answer["status"]), (status, &json!("failure")), "{path}: {answer}");
        let error = &answer["error"];
        assert!(error["error_message"].as_str().unwrap().contains(part), "{path}: {answer}");
        assert!(error["error_details"]["trace_id"].is_string(), "{path}: {answer}");
    }
    let key = format!("X-API-Key: {}\r\n", world.key);
    let mut last = (0, String::new());
    for _ in 0..4 {
        let (status, head, _) = send(&world, "POST /tools/add", &key, r#"{"a":1,"b":2}"#).await;
        last = (status, head);
    }
    assert_eq!(last.0, 429);
    assert!(last.1.contains("\r\nretry-after: "), "{}", last.1);
}

#[tokio::test]
async fn a_failed_tool_answers_200_whatever_its_code() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let failed = json!({"content": [], "isError": true, "_meta": {"dev.cloto/result": {"status": "failure",
            "error": {"error_type": "X", "error_message": "m", "error_details": {"code": 1000}}}}});
        (message["method"] == "tools/call").then(|| vec![result(message, failed)])
    });
    let world = serve(start(|kernel, _| kernel.server(server.spec("raw"))).await).await;
    let (status, answer) = post(&world, "/tools/work", "{}").await;
    let details = &answer["error"]["error_details"];
    assert_eq!((status, &details["code"]), (200, &json!(1000)), "{answer}");
    let trace = world.setup.sink.events().pop().unwrap().trace_id;
    assert_eq!(details["trace_id"].as_str(), trace.get().map(|trace| &**trace), "{answer}");
}

#[tokio::test]
async fn error_data_with_their_own_code_are_kept_whole() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let code = message["params"]["arguments"]["code"].as_i64()?;
        let mut answer = error(message, code, "down");
        answer["error"]["data"] = json!({"code": "ENOSPC", "path": "/x"});
        Some(vec![answer])
    });
    let world = serve(start(|kernel, _| kernel.server(server.spec("raw"))).await).await;
    let details = async |code| {
        let (_, answer) = post(&world, "/tools/work", &json!({"code": code}).to_string()).await;
        let mut details = answer["error"]["error_details"].clone();
        details.as_object_mut().unwrap().remove("trace_id").unwrap();
        details
    };
    assert_eq!(details(-32000).await, json!({"code": -32000, "data": {"code": "ENOSPC", "path": "/x"}}));
    assert_eq!(details(-32602).await, json!({"code": "ENOSPC", "path": "/x"}));
}

#[tokio::test]
async fn a_replayed_error_is_answered_like_the_first_time() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let code = message["params"]["arguments"]["code"].as_i64()?;
        Some(vec![error(message, code, "down")])
    });
    let world = serve(start(|kernel, _| kernel.server(server.spec("raw"))).await).await;
    for (code, header) in
        [(-32000, "Idempotency-Key"), (-32601, "X-Idempotency-Key"), (-32602, "Idempotency-Key")]
    {
        let headers = format!("X-API-Key: {}\r\n{header}: k{code}\r\n", world.key);
        let body = json!({"code": code}).to_string();
        let mut answers = Vec::new();
        for _ in 0..2 {
            let (status, head, mut answer) = send(&world, "POST /tools/work", &headers, &body).await;
            let is_first = answers.is_empty();
            assert!(head.contains(&format!("\r\nidempotent-replayed: {}", !is_first)), "{head}");
            let details = answer["error"]["error_details"].as_object_mut().unwrap();
            details.remove("trace_id").unwrap();
            let note = details.values_mut().find_map(|member| member.as_object_mut()?.remove("was_replay"));
            answers.push((status, answer, note));
        }
        let [(first, body, made), (second, replayed, again)] = &answers[..] else { panic!() };
        assert_eq!((first, body), (second, replayed));
        assert_eq!((made, again), (&Some(json!(false)), &Some(json!(true))), "{replayed}");
    }
    assert_eq!(server.read_of("tools/call").len(), 3);
}

#[tokio::test]
async fn a_server_s_error_is_502_unless_it_refuses_the_arguments() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let code = message["params"]["arguments"]["code"].as_i64()?;
        let mut answer = error(message, code, "down");
        answer["error"]["data"] = json!("the disk is full");
        Some(vec![answer])
    });
    let world = serve(start(|kernel, _| kernel.server(server.spec("raw"))).await).await;
    for (code, expected) in
        [(-32000, 502), (-32601, 502), (-32603, 502), (-32700, 502), (7, 502), (-32602, 400)]
    {
        let (status, answer) = post(&world, "/tools/work", &json!({"code": code}).to_string()).await;
        assert_eq!(status, expected, "{code} {answer}");
        let error = &answer["error"];
        assert_eq!(error["error_message"], "down", "{answer}");
        let details = &error["error_details"];
        assert_eq!((&details["data"], details["trace_id"].is_string()), (&json!("the disk is full"), true));
        let named = if expected == 502 { json!(code) } else { Value::Null };
        assert_eq!(details["code"], named, "{answer}");
    }
}

#[tokio::test]
async fn registry_numbers_have_a_type_over_rest_but_not_at_hosts() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let code = message["params"]["arguments"]["code"].as_i64()?;
        let mut answer = error(message, code, "no such ticker");
        answer["error"]["data"] = message["params"]["arguments"]["data"].clone();
        Some(vec![answer])
    });
    let world = serve(start(|kernel, _| kernel.server(server.spec("raw"))).await).await;
    let mut host = world.setup.raw_host(As::plain(Era::Initialize)).await;
    for (code, error_type, status, of_rest, of_mcp) in [
        (-32001, "ValidationError", 400, "ValidationError", -32602),
        (-32001, "FieldValidation", 400, "ValidationError", -32602),
        (-32002, "ToolNotFound", 404, "ResourceNotFound", -32602),
        (-32003, "ToolExecution", 502, "ToolExecutionError", -32603),
        (-32003, "ToolTimeout", 504, "TimeoutError", -32603),
        (-32004, "AuthenticationError", 401, "AuthenticationError", -32600),
        (-32005, "AuthorizationError", 403, "PermissionError", -32600),
    ] {
        let arguments = json!({"code": code, "data": {"error_type": error_type, "field": "ticker"}});
        let (found, answer) = post(&world, "/tools/work", &arguments.to_string()).await;
        assert_eq!((found, &answer["error"]["error_type"]), (status, &json!(of_rest)), "{answer}");
        assert_eq!(answer["error"]["error_details"]["field"], "ticker", "{answer}");
        let refused = host.refused("tools/call", json!({"name": "work", "arguments": arguments})).await;
        assert_eq!(refused["code"], of_mcp, "{refused}");
        assert_eq!(
            (&refused["data"]["error_type"], &refused["message"]),
            (&json!(error_type), &json!("no such ticker"))
        );
    }
    // MCP's own use of the number, and that of SDKs.
    for code in [-32001, -32002] {
        let arguments = json!({"code": code, "data": {"uri": "file:///x"}});
        let refused = host.refused("tools/call", json!({"name": "work", "arguments": arguments})).await;
        assert_eq!(refused["code"], code, "{refused}");
    }
}

#[tokio::test]
async fn a_result_that_is_not_a_text_keeps_all_of_its_content() {
    let content =
        json!([{"type": "text", "text": "see"}, {"type": "image", "data": "aa==", "mimeType": "image/png"}]);
    let whole = content.clone();
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
        (message["method"] == "tools/call").then(|| vec![result(message, json!({"content": whole}))])
    });
    let world = serve(start(|kernel, _| kernel.server(server.spec("raw"))).await).await;
    let (status, answer) = post(&world, "/tools/work", "{}").await;
    assert_eq!((status, &answer["data"]), (200, &json!({"content": content})), "{answer}");
}

#[tokio::test]
async fn a_dry_run_is_judged_and_recorded_as_one() {
    let world = world().await;
    let (status, body) = post(&world, "/tools/add?dry_run=true", r#"{"a":1,"b":"two"}"#).await;
    assert_eq!(
        (status, &body["status"], &body["data"]["allowed"]),
        (200, &json!("success"), &json!(false)),
        "{body}"
    );
    assert_eq!(body["data"]["error"]["code"], 4000, "{body}");
    for of_mcp in ["resultType", "_meta"] {
        assert_eq!(body["data"].get(of_mcp), None, "{body}");
    }
    assert_eq!(world.setup.calls(), ["dev.cloto.mgp.TOOL_CHECKED BLOCKED test.add"]);
}

#[tokio::test]
async fn the_document_says_that_arguments_are_checked() {
    for (checks, part) in [
        (true, "Arguments are checked against their schema"),
        (false, "Arguments are left to the tool's server"),
    ] {
        let world = world_that(|kernel| kernel.config(|config| config.kernel.check_arguments = checks)).await;
        let document = world.setup.kernel.openapi(&Principal::agent("web"));
        let description = document["info"]["description"].as_str().unwrap();
        assert!(description.contains(part), "{checks}: {description}");
    }
}

#[tokio::test]
async fn the_document_describes_only_tools_that_the_caller_may_see() {
    let world = world().await;
    let key = format!("X-API-Key: {}\r\n", world.key);
    let (status, _, document) = send(&world, "GET /openapi.json", &key, "").await;
    assert_eq!((status, &document["openapi"]), (200, &json!("3.1.0")), "{document}");
    let mut members: Vec<_> = document.as_object().unwrap().keys().map(String::as_str).collect();
    members.sort_unstable();
    assert_eq!(
        members,
        ["components", "info", "openapi", "paths", "security", "tags"],
        "members of MCP make it invalid"
    );
    assert_eq!(document["security"], json!([{"key": []}]), "the endpoint takes keys, and no tokens");
    assert_eq!(document["tags"], json!([{"name": "test"}]));
    let add = &document["paths"]["/tools/add"]["post"];
    assert_eq!(add["tags"], json!(["test"]));
    assert!(!add["summary"].as_str().unwrap().is_empty(), "{add}");
    let paths: Vec<_> = document["paths"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(paths, ["/tools/add", "/tools/run_shell"], "{document}");
    let reference = &document["paths"]["/tools/add"]["post"]["requestBody"]["content"]["application/json"]["schema"]
        ["$ref"];
    assert_eq!(reference, "#/components/schemas/add.input");
    assert_eq!(document["components"]["schemas"]["add.input"]["properties"]["a"]["type"], "number");
    let (status, ..) = send(&world, "GET /openapi.json", "", "").await;
    assert_eq!(status, 401);
    let without = world.setup.kernel.http().principal(Principal::agent("web")).build();
    let serving = without.bind("127.0.0.1:0").await.unwrap();
    let world = World { serving, ..world };
    assert_eq!(send(&world, "GET /openapi.json", "", "").await.0, 404, "it is off by default");
}

#[tokio::test]
async fn a_result_over_the_limit_of_tokens_is_whole_over_rest() {
    let long = "word ".repeat(5000);
    let says = long.clone();
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
        (message["method"] == "tools/call").then(|| vec![text(message, &says)])
    });
    let spec = server.spec("raw");
    let setup =
        start(|kernel, _| kernel.server(spec).config(|config| config.results.max_tokens = Some(1000))).await;
    let allow = rule("raw", None, AccessDecision::Allow);
    setup.kernel.access().put(AccessEntry { agent_id: "web".to_owned(), ..allow }).await.unwrap();
    let (key, hash) = ApiKey::generate().unwrap();
    let http = setup.kernel.http().rest().api_key(hash, Principal::agent("web")).build();
    let world = World { serving: http.bind("127.0.0.1:0").await.unwrap(), key, setup };
    let (status, body) = post(&world, "/tools/work", "{}").await;
    assert_eq!((status, &body["data"]), (200, &json!({"content": [{"type": "text", "text": long}]})));
}
