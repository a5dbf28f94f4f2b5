//! The example server as a process, and its end.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(feature = "stdio")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ExitStatus, Stdio},
};
use xtask_testing::{block_until_some, example};

fn start() -> Child {
    example("add").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

fn ended(child: &mut Child) -> ExitStatus {
    block_until_some(|| child.try_wait().unwrap())
}

fn initialize(capabilities: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{{\"protocolVersion\":\"2025-11-25\",\
         \"capabilities\":{capabilities},\"clientInfo\":{{\"name\":\"t\",\"version\":\"1\"}}}}}}\n"
    )
}

#[test]
fn calls_in_flight_are_answered_before_stdin_ends_the_process() {
    let mut child = start();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(initialize("{}").as_bytes()).unwrap();
    for id in 1..=50 {
        let call = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"add\",\"arguments\":{{\"a\":{id},\"b\":1}}}}}}\n"
        );
        stdin.write_all(call.as_bytes()).unwrap();
    }
    drop(stdin);
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text.lines().count(), 51, "{text}");
    assert!((1..=50).all(|id| text.contains(&format!("\"text\":\"{}\"", id + 1))), "{text}");
    assert!(ended(&mut child).success());
}

#[test]
fn after_a_shutdown_the_process_ends_despite_open_stdin() {
    let mut child = start();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let offer = r#"{"mgp":{"version":"0.3.0","extensions":["lifecycle"]}}"#;
    stdin.write_all(initialize(offer).as_bytes()).unwrap();
    assert!(lines.next().unwrap().unwrap().contains("lifecycle"));
    stdin.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n").unwrap();
    let shutdown = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"mgp/lifecycle/shutdown\",\"params\":{\"reason\":\"operator_request\"}}\n";
    stdin.write_all(shutdown.as_bytes()).unwrap();
    let rest: Vec<_> = lines.map(Result::unwrap).collect();
    assert!(rest.iter().any(|line| line.contains("\"accepted\":true")), "{rest:?}");
    assert!(ended(&mut child).success());
    drop(stdin);
}
