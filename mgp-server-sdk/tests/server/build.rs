//! What cannot be built, and why.

use mgp_server_sdk::{
    Error, Prompt, Resource, ResourceTemplate, Server, Tool,
    extract::{Args, State},
    task::{StartTask, TaskSupport},
};
use serde_json::json;
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
        "duplicate tool \"a\": each needs a name of its own",
    );
    check(
        server().prompt(Prompt::new("p", "", text)).prompt(Prompt::new("p", "", text)),
        "duplicate prompt \"p\": each needs a name of its own",
    );
    check(
        server().resource(Resource::text("a:b", "x", text)).resource(Resource::text("a:b", "y", text)),
        "duplicate resource \"a:b\": each needs a name of its own",
    );
    let template = || ResourceTemplate::text("a:{b}", "x", text);
    check(
        server().resource_template(template()).resource_template(template()),
        "duplicate resource template \"a:{b}\": each needs a name of its own",
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
        "invalid schema of tool \"t\": invalid type: expected \"object\", found \"integer\"",
    );
}

#[test]
fn state_that_a_handler_takes_is_given() {
    let needs = || Tool::new("t", "", async |_: State<u16>| ());
    check(
        server().tool(needs()).state(7u8),
        "\"t\" needs State<u16>: give the server a value of that type with Server::state",
    );
    assert!(server().tool(needs()).state(7u16).build().is_ok());
    check(
        server().prompt(Prompt::new("p", "", async |_: State<u16>| "")),
        "\"p\" needs State<u16>: give the server a value of that type with Server::state",
    );
}

#[test]
fn a_tool_whose_handler_begins_tasks_says_that_it_runs_as_one() {
    let begins = || Tool::new("t", "", async |_: StartTask| ());
    let expected = "tool \"t\" takes a StartTask, but runs as no task: call Tool::task with \
                    TaskSupport::Optional or TaskSupport::Required";
    check(server().tool(begins()), expected);
    check(server().tool(begins().task(TaskSupport::Forbidden)), expected);
    for support in [TaskSupport::Optional, TaskSupport::Required] {
        assert!(server().tool(begins().task(support)).build().is_ok());
    }
}

#[test]
fn permissions_are_ones_that_exist() {
    let error = server().tool(Tool::new("t", "", nothing).permissions(["shell.exec"])).build().unwrap_err();
    assert!(error.to_string().starts_with("unknown permission \"shell.exec\""), "{error}");
    let error = server().permissions_required(["files"]).build().unwrap_err();
    assert!(error.to_string().starts_with("unknown permission \"files\""), "{error}");
}

#[test]
fn templates_and_completions_fit_each_other() {
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
    check(server().call_time_limit(Duration::ZERO), "invalid call_time_limit: expected at least 1, found 0");
}
