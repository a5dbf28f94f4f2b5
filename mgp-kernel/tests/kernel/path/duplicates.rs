//! Two readers could read an object with a duplicate key in two ways: who approves and who audits sees what the server sees.

use crate::{
    raw_server::{RawServer, result},
    support::{code, json as text, rule, start, within},
};
use mgp_kernel::Era;
use mgp_types::access::AccessDecision;
use serde_json::{Value, json};

#[tokio::test]
async fn duplicate_keys_are_refused_before_any_confirmation() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}, "prompts": {}}), |message| {
        (message["method"] == "prompts/list")
            .then(|| vec![result(message, json!({"prompts": [{"name": "greet"}]}))])
    });
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    setup.kernel.access().put(rule("srv", None, AccessDecision::Allow)).await.unwrap();
    let host = setup.host().await;
    let twice = r#"{"a":[{"b":1},{"to":"me","t\u006f":"you"}]}"#;
    for params in [
        format!(r#"{{"name":"work","arguments":{twice}}}"#),
        format!(r#"{{"name":"mgp_tools_call","arguments":{{"name":"work","arguments":{twice}}}}}"#),
    ] {
        let refused = within(host.peer().request_raw("tools/call", text(&params))).await.unwrap();
        assert!(refused.as_str().contains("duplicate key"), "{refused}");
        assert!(refused.as_str().contains("/arguments/a/1"), "{refused}");
    }
    assert_eq!(setup.calls(), ["VALIDATION_FAILED BLOCKED srv.work"; 2]);
    let params = text(r#"{"name":"greet","arguments":{"x":"1","x":"2"}}"#);
    let error = within(host.peer().request_raw("prompts/get", params)).await.unwrap_err();
    assert_eq!((code(&error), error.to_string().contains("/arguments")), (-32602, true), "{error}");
    let last = setup.sink.events().pop().unwrap();
    assert_eq!(
        (last.event_type.to_string().as_str(), last.result.as_str()),
        ("dev.cloto.mgp.REQUEST_BLOCKED", "BLOCKED")
    );
    for method in ["tools/call", "prompts/get"] {
        assert_eq!(server.read_of(method), [] as [Value; 0]);
    }
}
