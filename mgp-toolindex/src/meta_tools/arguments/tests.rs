//! Tests of the arguments of meta-tools.

use super::*;

fn read(name: &str, arguments: &str) -> Result<MetaCall, String> {
    let arguments = RawJson::parse(arguments.to_owned()).unwrap();
    parse(name, Some(&arguments)).unwrap().map_err(|error| error.to_string())
}

#[test]
fn every_discovery_name_is_accepted_and_no_other_tool_s() {
    for name in ["mgp_tools_discover", "mgp/tools/discover", "mgp.tools.discover"] {
        let MetaRequest::Discover(params) = own(name, r#"{"query":"x","filter":null}"#).wanted else {
            panic!("{name}")
        };
        assert_eq!((params.query.as_str(), params.filter), ("x", None));
    }
    assert_eq!(parse("read_file", None), None);
    assert_eq!(read("mgp_tools_steal", "{}").unwrap_err(), "unknown tool \"mgp_tools_steal\" (4001)");
}

fn own(name: &str, arguments: &str) -> OwnCall {
    match read(name, arguments) {
        Ok(MetaCall::Own(call)) => call,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_accepts_the_session_next_to_its_arguments() {
    for (name, arguments) in [
        ("mgp_tools_discover", r#"{"query":"x""#),
        ("mgp_tools_request", r#"{"requirements":{"capabilities":["x"]}"#),
        ("mgp_tools_session", r#"{"session":null"#),
        ("mgp_tools_evict", r#"{"tools":["x"]"#),
    ] {
        assert_eq!(own(name, &format!("{arguments}}}")).session, None, "{name}");
        let with = arguments.replace(r#"{"session":null"#, "{");
        let comma = if with == "{" { "" } else { "," };
        let call = own(name, &format!(r#"{with}{comma}"session":"h"}}"#));
        assert_eq!(call.session.as_deref(), Some("h"), "{name}");
    }
    let Ok(MetaCall::Call(call)) = read("mgp_tools_call", r#"{"name":"a","session":"h"}"#) else { panic!() };
    assert_eq!(call.session.as_deref(), Some("h"));
    assert_eq!(
        parse("mgp_tools_session", None).unwrap().unwrap(),
        MetaCall::Own(OwnCall { wanted: MetaRequest::Session, session: None })
    );
}

#[test]
fn a_call_keeps_the_arguments_unchanged() {
    let call = |arguments| read("mgp_tools_call", arguments).unwrap();
    let arguments = Some(RawJson::parse(r#"{"n":1e500}"#).unwrap());
    let none = CallArguments {
        name: "a".into(),
        arguments: None,
        intent: None,
        session: None,
        dry_run: true,
        keep_result: None,
        refs: None,
        idempotency: None,
        transaction: None,
        step: None,
    };
    let expected = CallArguments { arguments, dry_run: false, ..none.clone() };
    assert_eq!(call(r#"{"name":"a","arguments":{"n":1e500}}"#), MetaCall::Call(expected));
    assert_eq!(call(r#"{"name":"a","arguments":null,"dry_run":true}"#), MetaCall::Call(none));
}

#[test]
fn a_call_may_have_an_idempotency_key() {
    let text = r#"{"name":"a","idempotency_key":"op-1","idempotency_ttl_seconds":60}"#;
    let Ok(MetaCall::Call(call)) = read("mgp_tools_call", text) else { panic!() };
    let request = call.idempotency.unwrap();
    assert_eq!((request.key.as_str(), request.ttl_seconds), ("op-1", Some(60)));
}

#[test]
fn a_call_may_be_a_step_of_a_transaction() {
    let Ok(MetaCall::Call(call)) =
        read("mgp_tools_call", r#"{"name":"a","transaction_id":"t","step_id":"s"}"#)
    else {
        panic!()
    };
    assert_eq!((call.transaction.as_deref(), call.step.as_deref()), (Some("t"), Some("s")));
    let wanted = |action: &str| {
        let arguments = format!(r#"{{"action":"{action}","transaction_id":"t"}}"#);
        match own("mgp_transaction", &arguments).wanted {
            MetaRequest::Transaction(request) => request,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(wanted("commit"), TransactionRequest::Commit("t".into()));
    assert_eq!(wanted("status"), TransactionRequest::Status("t".into()));
    let rollback = TransactionRequest::Rollback { transaction_id: "t".into(), reason: None };
    assert_eq!(wanted("rollback"), rollback);
    assert!(matches!(wanted("begin"), TransactionRequest::Begin(params) if params.transaction_id == "t"));
}

#[test]
fn a_kept_result_has_its_own_tool_and_is_read_via_call_too() {
    let part = ReadRequest { reference: "ref-1".into(), offset: 7, length: None };
    let direct = own("mgp_result_read", r#"{"ref":"ref-1","offset":7}"#);
    assert_eq!(direct.wanted, MetaRequest::Read(part));
    let through = r#"{"name":"mgp_result_read","arguments":{"ref":"ref-1","offset":7}}"#;
    assert_eq!(own("mgp_tools_call", through), direct);
    let whole = own("mgp_result_read", r#"{"ref":"ref-1","length":4}"#);
    let part = ReadRequest { reference: "ref-1".into(), offset: 0, length: Some(4) };
    assert_eq!(whole.wanted, MetaRequest::Read(part));
}

#[test]
fn invalid_arguments_are_named() {
    for (name, arguments, text) in [
        ("mgp_tools_discover", "{}", "missing query"),
        ("mgp_tools_discover", r#"{"query":7}"#, "invalid query"),
        ("mgp_tools_discover", r#"{"query":"a","limit":3}"#, "unknown argument \"limit\""),
        ("mgp_tools_discover", r#"{"query":"a","max_results":-1}"#, "invalid max_results"),
        ("mgp_tools_discover", r#"{"query":"a","strategy":"x"}"#, "unknown search strategy \"x\""),
        ("mgp_tools_discover", r#"{"query":"a","filter":{"tags":[]}}"#, "unknown argument \"filter.tags\""),
        ("mgp_tools_discover", "[]", "expected a JSON object"),
        ("mgp_tools_request", "{}", "missing requirements"),
        ("mgp_tools_request", r#"{"requirements":{}}"#, "missing capabilities"),
        (
            "mgp_tools_request",
            r#"{"requirements":{"capabilities":[],"risk":1}}"#,
            "unknown argument \"requirements.risk\"",
        ),
        ("mgp_tools_session", r#"{"tools":[]}"#, "unknown argument \"tools\": expected none"),
        ("mgp_tools_session", r#"{"session":7}"#, "invalid session"),
        ("mgp_tools_evict", r#"{"tools":"a"}"#, "invalid tools"),
        ("mgp_transaction", r#"{"action":"undo","transaction_id":"t"}"#, "invalid action: expected begin"),
        ("mgp_transaction", r#"{"action":"begin"}"#, "missing transaction_id"),
        ("mgp_result_read", "{}", "missing ref"),
        ("mgp_result_read", r#"{"ref":"r","offset":-1}"#, "invalid offset"),
        ("mgp_tools_call", r#"{"name":"mgp_result_read"}"#, "missing arguments"),
        (
            "mgp_tools_call",
            r#"{"name":"mgp_result_read","arguments":{"ref":"r"},"dry_run":true}"#,
            "unknown argument \"dry_run\"",
        ),
        ("mgp_tools_call", "{}", "missing name"),
        ("mgp_tools_call", r#"{"name":"a","arguments":[]}"#, "expected an object, found an array"),
        ("mgp_tools_call", r#"{"name":"a","dry_run":1}"#, "invalid dry_run"),
        ("mgp_tools_call", r#"{"name":"mgp_tools_call"}"#, "called directly"),
        (
            "mgp_tools_call",
            r#"{"name":"a","idempotency_key":"a b"}"#,
            "invalid idempotency_key: expected a string",
        ),
        ("mgp_tools_call", r#"{"name":"a","name":"b"}"#, "duplicate key \"name\""),
    ] {
        let error = read(name, arguments).unwrap_err();
        assert!(error.contains(text) && error.ends_with("(4000)"), "{arguments}: {error}");
    }
}
