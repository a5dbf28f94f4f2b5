//! The recorded vectors of docs/vectors.

use crate::{
    SETTINGS,
    fixture::{Fault, target},
};
use mgp_check::{CheckStatus, Vector, run_vectors};

/// The files, of MCP and of MGP.
const FILES: [&str; 2] =
    [include_str!("../../../docs/vectors/mcp.jsonl"), include_str!("../../../docs/vectors/mgp.jsonl")];

fn vectors() -> Vec<Vector> {
    FILES.iter().flat_map(|file| Vector::read(file).unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_server_without_faults_gives_the_answers_that_the_vectors_allow() {
    let vectors = vectors();
    for (vector, status, message) in run_vectors(&target(Fault::NONE), &SETTINGS, &vectors).await.unwrap() {
        assert_ne!(status, CheckStatus::Failed, "{}: {message}", vector.id);
    }
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
    ] {
        let outcomes = run_vectors(&target(Fault(fault)), &SETTINGS, &vectors).await.unwrap();
        let failed: Vec<_> = outcomes
            .iter()
            .filter(|(_, status, _)| *status == CheckStatus::Failed)
            .map(|(vector, ..)| vector.id.as_str())
            .collect();
        assert_eq!(failed, [id], "{fault}");
    }
}

#[test]
fn a_file_that_is_wrong_is_named_by_its_line() {
    let line = FILES[0].lines().next().unwrap();
    for (text, problem) in [
        (format!("{line}\n{line}\n"), "line 2: the id"),
        ("{}\n".to_owned(), "line 1: missing field"),
        (line.replace("\"answer\"", "\"answers\""), "line 1: unknown field"),
    ] {
        let error = Vector::read(&text).unwrap_err().to_string();
        assert!(error.contains(problem), "{problem}: {error}");
    }
}
