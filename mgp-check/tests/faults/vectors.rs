//! The recorded vectors of docs/vectors.

use crate::{
    SETTINGS,
    fixture::{Fault, target},
};
use mgp_check::{CheckSettings, CheckStatus, Vector, run_vectors};
use mgp_types::{json::RawJson, json_schema::CompiledSchema, schemas::mgp_schemas};
use serde_json::Value;

/// The files, of MCP and of MGP.
const FILES: [&str; 2] =
    [include_str!("../../../docs/vectors/mcp.jsonl"), include_str!("../../../docs/vectors/mgp.jsonl")];

fn vectors() -> Vec<Vector> {
    FILES.iter().flat_map(|file| Vector::read(file).unwrap()).collect()
}

/// The settings with which vectors are sent that change something.
const WITH_CHANGES: CheckSettings = CheckSettings { call_all: true, ..SETTINGS };

fn fits(schema: &Value, value: &Value) -> bool {
    let json = RawJson::parse(value.to_string()).unwrap();
    CompiledSchema::compile(schema).unwrap().check(&json).is_ok()
}

async fn failed(fault: Fault, vectors: &[Vector]) -> Vec<String> {
    let outcomes = run_vectors(&target(fault), &WITH_CHANGES, vectors).await.unwrap();
    let failed = outcomes.into_iter().filter(|(_, status, _)| *status == CheckStatus::Failed);
    failed.map(|(vector, ..)| vector.id.clone()).collect()
}

#[test]
fn every_method_and_notification_has_a_vector_that_fits() {
    let vectors = vectors();
    for message in mgp_schemas() {
        let of_method = || vectors.iter().filter(|vector| vector.method == message.method);
        let recorded = of_method().filter_map(|vector| vector.recorded.as_ref());
        match &message.result {
            Some(schema) => {
                let results: Vec<_> = recorded.filter_map(|answer| answer.get("result")).collect();
                assert!(!results.is_empty(), "{}", message.method);
                assert!(results.into_iter().all(|result| fits(schema, result)), "{}", message.method);
                for vector in of_method() {
                    let params = vector.params.as_ref().unwrap();
                    assert_eq!(fits(&message.params, params), !vector.is_invalid(), "{}", vector.id);
                }
            }
            None => {
                let params: Vec<_> = recorded.map(|notification| &notification["params"]).collect();
                assert!(!params.is_empty(), "{}", message.method);
                assert!(params.into_iter().all(|params| fits(&message.params, params)), "{}", message.method);
            }
        }
    }
}

#[test]
fn every_method_with_required_params_has_a_refused_vector() {
    let vectors = vectors();
    for message in mgp_schemas().iter().filter(|message| message.result.is_some()) {
        let demands = message.params["required"].as_array().is_some_and(|names| !names.is_empty());
        let has_invalid = vectors.iter().any(|vector| vector.method == message.method && vector.is_invalid());
        assert!(has_invalid || !demands, "{}", message.method);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_without_faults_gives_allowed_answers() {
    let vectors = vectors();
    assert_eq!(failed(Fault::NONE, &vectors).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_changes_something_is_sent_only_if_allowed() {
    let vectors: Vec<_> = vectors().into_iter().filter(|vector| vector.changes).collect();
    let outcomes = async |settings| {
        let outcomes = run_vectors(&target(Fault::NONE), &settings, &vectors).await.unwrap();
        outcomes.into_iter().filter(|(_, status, _)| *status == CheckStatus::Skipped).count()
    };
    assert!(vectors.len() > 5);
    assert_eq!(outcomes(SETTINGS).await, vectors.len());
    assert_eq!(
        outcomes(WITH_CHANGES).await,
        vectors.iter().filter(|vector| vector.needs.as_deref() == Some("transactions")).count()
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_accepts_any_params_fails_only_invalid_requests() {
    let failed = failed(Fault("any params are taken"), &vectors()).await;
    assert!(failed.len() > 5 && failed.iter().all(|id| id.ends_with(".invalid")), "{failed:?}");
}

#[tokio::test(start_paused = true)]
async fn a_faulty_server_gives_answers_that_the_vectors_do_not_allow() {
    let vectors = vectors();
    for (fault, id) in [
        ("an unknown method has another code", "mcp.unknown-method"),
        ("ping answers with members", "mcp.ping"),
        ("an unknown resource is empty", "mcp.unknown-resource"),
        ("a health that is none", "mgp.health-ping"),
        ("nothing is cancelled", "mgp.cancel"),
        ("servers without a state", "mgp.servers"),
        ("an unknown tool is allowed", "mgp.check"),
        ("a change without its new state", "mgp.heard-lifecycle"),
    ] {
        assert_eq!(failed(Fault(fault), &vectors).await, [id], "{fault}");
    }
}

#[test]
fn a_wrong_file_is_named_by_its_line() {
    let line = FILES[0].lines().next().unwrap();
    for (text, problem) in [
        (format!("{line}\n{line}\n"), "line 2: the id"),
        ("{}\n".to_owned(), "line 1: missing field"),
        (line.replace("\"answer\"", "\"answers\""), "line 1: unknown field"),
        (line.replace("\"params\":{},", ""), "line 1: missing field `params`"),
        (
            line.replace("\"ping\"", "\"notifications/mgp.event\""),
            "line 1: unexpected `params` of a notification",
        ),
        (line.replace("\"answer\"", "\"recorded\":{\"error\":{}},\"answer\""), "line 1: the recorded answer"),
    ] {
        let error = Vector::read(&text).unwrap_err().to_string();
        assert!(error.contains(problem), "{problem}: {error}");
    }
}
