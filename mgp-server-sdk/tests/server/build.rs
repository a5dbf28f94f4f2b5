//! Servers that cannot be built, and the errors that say why.

use mgp_server_sdk::{
    Error, Json, Prompt, Resource, ResourceTemplate, Server, StreamSink, Tool, ToolError,
    extract::{Args, Prefix, RawArgs, State, Uri},
    task::{StartTask, TaskSupport},
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;

async fn nothing() {}

async fn text() -> &'static str {
    ""
}

fn check(server: Server, expected: &str) {
    let error: Error = server.build().expect_err(expected);
    assert_eq!(error.to_string(), expected);
}

fn server() -> Server {
    Server::new("s", "1")
}

#[test]
fn names_are_valid_and_unique() {
    check(
        server().tool(Tool::new("a b", "", nothing)),
        "invalid tool name \"a b\": expected 1 to 64 characters of A-Z, a-z, 0-9, `_`, `.`, `/` and `-`",
    );
    check(
        server().tool(Tool::new("a", "", nothing)).tool(Tool::new("a", "", nothing)),
        "duplicate tool \"a\": each needs its own name",
    );
    check(
        server().prompt(Prompt::new("p", "", text)).prompt(Prompt::new("p", "", text)),
        "duplicate prompt \"p\": each needs its own name",
    );
    check(
        server().resource(Resource::text("a:b", "x", text)).resource(Resource::text("a:b", "y", text)),
        "duplicate resource \"a:b\": each needs its own name",
    );
    let template = || ResourceTemplate::text("a:{b}", "x", text);
    check(
        server().resource_template(template()).resource_template(template()),
        "duplicate resource template \"a:{b}\": each needs its own name",
    );
}

#[test]
fn a_schema_describes_an_object() {
    check(
        server().tool(Tool::new("t", "", async |_: Args<Vec<u8>>| ())),
        "invalid schema of tool \"t\": invalid type: expected \"object\", found \"array\"",
    );
    check(
        server().tool(Tool::raw("t", "", json!({"properties": {}}), nothing)),
        "invalid schema of tool \"t\": missing type: expected \"object\"",
    );
    check(
        server().tool(Tool::raw("t", "", json!(7), nothing)),
        "invalid schema of tool \"t\": expected a schema object, found 7",
    );
    check(
        server().tool(Tool::new("t", "", nothing).output::<u8>()),
        "invalid schema of tool \"t\": output u8: invalid type: expected \"object\", found \"integer\"",
    );
}

#[test]
fn state_that_a_handler_takes_must_be_provided() {
    let needs = || Tool::new("t", "", async |_: State<u16>| ());
    check(
        server().tool(needs()).state(7u8),
        "tool \"t\" needs State<u16>: give the server a value of that type with Server::state",
    );
    assert!(server().tool(needs()).state(7u16).build().is_ok());
    check(
        server().prompt(Prompt::new("p", "", async |_: State<u16>| "")),
        "prompt \"p\" needs State<u16>: give the server a value of that type with Server::state",
    );
}

#[test]
fn a_handler_takes_each_part_of_a_call_at_most_once() {
    let two_args = "tool \"t\" takes Args twice: take one struct with the fields of both; #[serde(flatten)] puts one \
                    into another";
    check(server().tool(Tool::new("t", "", async |_: Args<Value>, _: Args<Value>| ())), two_args);
    check(
        server().tool(Tool::new("t", "", async |_: StreamSink, _: StreamSink| ())),
        "tool \"t\" takes StreamSink twice: take it once",
    );
    check(
        server().resource(Resource::text("a:b", "x", async |_: Uri, _: Uri| "")),
        "resource \"a:b\" takes Uri twice: take it once",
    );
    let twice = async |_: Prefix, _: Prefix| Vec::<String>::new();
    check(
        server().resource_template(ResourceTemplate::text("a:{b}", "x", text).complete("b", twice)),
        "completion of \"a:{b}\" takes Prefix twice: take it once",
    );
    let once = async |_: Prefix, _: Args<Value>| Vec::<String>::new();
    let template =
        ResourceTemplate::text("a:{b}", "x", async |_: Args<Value>, _: Uri| "").complete("b", once);
    assert!(server().resource_template(template).build().is_ok());
    let raw = Tool::new("t", "", async |_: Args<Value>, _: RawArgs, _: State<u8>, _: State<u8>| ());
    assert!(server().tool(raw).state(7u8).build().is_ok());
}

#[test]
fn a_handler_takes_only_parts_that_its_calls_have() {
    check(
        server().tool(Tool::new("t", "", async |_: Uri| ())),
        "tool \"t\" takes Uri, which only handlers of resources and resource templates can",
    );
    check(
        server().tool(Tool::new("t", "", async |_: Prefix| ())),
        "tool \"t\" takes Prefix, which only handlers that complete an argument can",
    );
    check(
        server().prompt(Prompt::new("p", "", async |_: Uri| "")),
        "prompt \"p\" takes Uri, which only handlers of resources and resource templates can",
    );
    check(
        server().resource(Resource::text("a:b", "x", async |_: Prefix| "")),
        "resource \"a:b\" takes Prefix, which only handlers that complete an argument can",
    );
    let uri = async |_: Uri| Vec::<String>::new();
    check(
        server().resource_template(ResourceTemplate::text("a:{b}", "x", text).complete("b", uri)),
        "completion of \"a:{b}\" takes Uri, which only handlers of resources and resource templates can",
    );
}

#[test]
fn a_resource_s_address_is_a_uri() {
    check(
        server().resource(Resource::text("today", "x", text)),
        "invalid URI \"today\" of a resource: expected a scheme, as in \"notes://today\"",
    );
    for uri in ["a b:c", "1:b", "note://to day", "note://%zz", "note://{id}", "note://ä"] {
        let error = server().resource(Resource::text(uri, "x", text)).build().expect_err(uri).to_string();
        assert!(
            error.starts_with(&format!("invalid URI {uri:?} of a resource: "))
                && error.contains(" at index "),
            "{error}"
        );
    }
    for uri in ["a:b", "file:///a/b", "note://%C3%A4?x=1#y", "urn:isbn:1"] {
        assert!(server().resource(Resource::text(uri, "x", text)).build().is_ok(), "{uri}");
    }
    check(
        server().resource_template(ResourceTemplate::text("{b}", "x", text)),
        "invalid URI template \"{b}\": expected a scheme, as in \"notes://today\"",
    );
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: u64,
}

#[derive(Serialize, JsonSchema)]
struct Product {
    product: u64,
}

#[test]
fn a_tool_s_declared_output_matches_its_handler() {
    let sum = || Tool::new("t", "", async || Ok::<_, ToolError>(Json(Sum { sum: 7 })));
    let error = server().tool(sum().output::<Product>()).build().expect_err("a conflict").to_string();
    assert!(error.starts_with("tool \"t\" declares the output "), "{error}");
    assert!(
        error.contains("::Product, but its handler answers with ") && error.contains("::Sum: "),
        "{error}"
    );
    assert!(server().tool(sum().output::<Sum>()).build().is_ok());
    check(
        server().tool(Tool::new("t", "", async || Json(7u8))),
        "invalid schema of tool \"t\": output u8: invalid type: expected \"object\", found \"integer\"",
    );
    let anything = || Tool::new("t", "", async || Json(json!({"sum": 7})));
    assert!(
        server().tool(anything()).build().is_ok()
            && server().tool(anything().output::<Sum>()).build().is_ok()
    );
}

#[test]
fn an_error_in_main_is_one_sentence() {
    let main = || -> Result<(), Error> { server().tool(Tool::new("a b", "", nothing)).build().map(drop) };
    let error = main().unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string());
}

#[test]
fn a_tool_whose_handler_begins_tasks_declares_task_support() {
    let begins = || Tool::new("t", "", async |_: StartTask| ());
    let expected = "tool \"t\" takes a StartTask, but does not run as a task: call Tool::task with \
                    TaskSupport::Optional or TaskSupport::Required";
    check(server().tool(begins()), expected);
    check(server().tool(begins().task(TaskSupport::Forbidden)), expected);
    for support in [TaskSupport::Optional, TaskSupport::Required] {
        assert!(server().tool(begins().task(support)).build().is_ok());
    }
}

#[test]
fn permissions_must_exist() {
    let error = server().tool(Tool::new("t", "", nothing).permissions(["shell.exec"])).build().unwrap_err();
    assert!(error.to_string().starts_with("unknown permission \"shell.exec\""), "{error}");
    let error = server().permissions_required(["files"]).build().unwrap_err();
    assert!(error.to_string().starts_with("unknown permission \"files\""), "{error}");
}

#[test]
fn templates_and_completions_match() {
    check(
        server().resource_template(ResourceTemplate::text("a:{+b}", "x", text)),
        "invalid URI template \"a:{+b}\": invalid variable \"+b\": expected letters, digits, `_` and `.`, and no operator",
    );
    let none = async || Vec::<String>::new();
    check(
        server().resource_template(ResourceTemplate::text("a:{b}", "x", text).complete("c", none)),
        "completion of \"c\" in \"a:{b}\": expected one of [\"b\"]",
    );
    check(
        server().prompt(Prompt::new("p", "", text).complete("c", none)),
        "completion of \"c\" in \"p\": expected one of []",
    );
}

#[test]
fn limits_are_at_least_one() {
    check(server().max_concurrent_calls(0), "invalid max_concurrent_calls: expected at least 1, found 0");
    check(server().page_size(0), "invalid page_size: expected at least 1, found 0");
    check(server().call_timeout(Duration::ZERO), "invalid call_timeout: expected at least 1, found 0");
}
