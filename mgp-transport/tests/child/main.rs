//! Child processes that behave badly, each a few lines of shell.
#![cfg(all(unix, feature = "child"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use mgp_transport::{
    child::{ChildCommand, ChildProcess, Grace},
    connection::{Config, Connection, EndOfInput},
    seam::{BoxError, BoxPeerService, Incoming, Reply, boxed},
};
use mgp_types::{json::RawJson, rpc::RawParams};
use std::time::Duration;
use xtask_testing::{until, within};

/// Answers the first request that it reads, whatever that is, with the line itself as a string without its quotes.
const ANSWER: &str = r#"read -r line; got=$(printf %s "$line" | tr -d '"'); printf '{"jsonrpc":"2.0","id":1,"result":"%s"}\n' "$got""#;

fn nobody() -> BoxPeerService {
    boxed(tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::ok(RawJson::null())) }))
}

async fn start(id: &str, script: &str) -> (Connection, ChildProcess) {
    let config = Config { max_frame: 100_000, ..Config::default() };
    let builder = Connection::builder(nobody()).config(config);
    ChildCommand::new(id, "sh").args(["-c", script]).connect(builder).await.unwrap()
}

/// A time limit that even a slow machine keeps.
const LONG: Duration = Duration::from_secs(60);

const GRACE: Grace = Grace { stdin: Duration::from_millis(100), terminate: Duration::from_millis(100) };

/// The id of a grandchild, which the script sends as its first message.
async fn grandchild(connection: &Connection) -> String {
    let answer = within(connection.peer().request_raw("pid", RawParams::none())).await.unwrap();
    answer.to_string()
}

/// Returns whether a process is gone. A zombie, which has ended but was not waited for, counts as gone.
fn is_gone(pid: &str) -> bool {
    let ps = std::process::Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap();
    let state = String::from_utf8_lossy(&ps.stdout).trim().to_owned();
    state.is_empty() || state.starts_with('Z')
}

/// Waits until a process is gone.
async fn until_gone(pid: &str) {
    until(|| is_gone(pid)).await;
}

/// A script that has a grandchild, says its id, and then does something.
fn with_grandchild(then: &str) -> String {
    format!(r#"sleep 1000 & read -r line; echo "{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":$!}}"; {then}"#)
}

#[tokio::test]
async fn a_server_that_dies_early_is_reported_with_its_last_output() {
    let (connection, mut process) =
        start("early", "echo starting >&2; echo; echo 'no such database' >&2; exit 3").await;
    within(connection.peer().request_raw("initialize", RawParams::none())).await.unwrap_err();
    let report = within(process.report(LONG)).await;
    assert_eq!(
        report,
        r#"the process of server "early" ended (exit status: 3); it last wrote to stderr: starting | no such database"#
    );
    let (_connection, mut process) = start("mute", "exit 0").await;
    let report = within(process.report(LONG)).await;
    assert!(report.ends_with("ended (exit status: 0), and it wrote nothing to stderr"), "{report}");
}

#[tokio::test]
async fn a_failed_start_names_the_missing_part() {
    let folder = std::env::temp_dir().join(format!("mgp-missing-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let script = folder.join("script");
    std::fs::write(&script, "#!/nothing/here\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&script, mode).unwrap();
    let script = script.to_str().unwrap();
    let command = |program: &str| ChildCommand::new("a", program).env("PATH", "/usr/bin:/nowhere");
    for (command, expected) in [
        (command("no-such-program"), r#""no-such-program": it is not in PATH (/usr/bin:/nowhere)"#.to_owned()),
        (
            command("sh -c true"),
            r#""sh -c true": it is not in PATH (/usr/bin:/nowhere); arguments stand apart from the program, in args"#
                .to_owned(),
        ),
        (command("/nothing/here"), r#""/nothing/here": No such file or directory (os error 2)"#.to_owned()),
        (
            command("sh").cwd("/nothing/here"),
            r#""sh": its working directory /nothing/here does not exist"#.to_owned(),
        ),
        (
            command(script),
            format!("{script:?}: it exists, but the interpreter that its first line names does not"),
        ),
    ] {
        let error = command.connect(Connection::builder(nobody())).await.err().unwrap();
        assert_eq!(error.to_string(), format!("failed to start {expected}"));
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn a_silent_server_is_reported_as_running_and_can_be_ended() {
    let (connection, mut process) = start("silent", "echo waiting for a lock >&2; exec sleep 1000").await;
    until(|| !process.last_words().is_empty()).await;
    let report = within(process.report(Duration::from_millis(50))).await;
    assert_eq!(
        report,
        r#"the process of server "silent" still runs; it last wrote to stderr: waiting for a lock"#
    );
    drop(connection);
    let status = within(process.stop(GRACE)).await.unwrap();
    assert!(!status.success(), "{status}");
}

#[tokio::test]
async fn text_on_stdout_is_counted_skipped_and_not_answered() {
    let noise = r#"i=0; while [ $i -lt 500 ]; do echo "INFO starting {"; echo '{"level":"info"}'; echo '[1,2]'; i=$((i+1)); done
        head -c 300000 /dev/zero | tr '\0' x; echo"#;
    let (connection, _process) = start("noisy", &format!("{noise}; {ANSWER}")).await;
    until(|| connection.peer().unreadable_count() >= 1501).await;
    let result = within(connection.peer().request_raw("hello", RawParams::none())).await.unwrap();
    // The first line that it read is the request.
    assert_eq!(result.as_str(), r#""{jsonrpc:2.0,id:1,method:hello}""#);
    assert_eq!(connection.peer().unreadable_count(), 1501);
}

#[tokio::test]
async fn an_unreadable_request_is_answered_by_its_id() {
    let script = r#"echo '{"jsonrpc":"2.0","id":7,"method":7}'; read -r refusal; read -r line
        printf '{"jsonrpc":"2.0","id":1,"result":"%s"}\n' "$(printf %s "$refusal" | tr -d '"')""#;
    let (connection, _process) = start("odd", script).await;
    until(|| connection.peer().unreadable_count() > 0).await;
    let result = within(connection.peer().request_raw("hello", RawParams::none())).await.unwrap();
    assert!(result.as_str().starts_with(r#""{jsonrpc:2.0,id:7,error:{code:-32600"#), "{result}");
}

#[tokio::test]
async fn a_server_that_ignores_sigterm_is_killed_with_descendants() {
    let script = with_grandchild("trap '' TERM; while :; do sleep 0.05; done");
    let (connection, process) = start("stubborn", &script).await;
    let grandchild = grandchild(&connection).await;
    connection.peer().close();
    within(connection.closed()).await;
    within(process.stop(GRACE)).await.unwrap();
    until_gone(&grandchild).await;
}

#[tokio::test]
async fn a_server_has_time_to_end_by_itself_and_after_sigterm() {
    let says_ready = "trap 'sleep 0.2; exit 7' TERM; echo ready >&2";
    for (then, grace, code) in [
        // It works on for a moment after the end of its input.
        ("while read -r line; do :; done; sleep 0.2; exit 3", LONG, 3),
        ("while :; do sleep 0.05; done", Duration::from_millis(100), 7),
    ] {
        let (connection, process) = start("orderly", &format!("{says_ready}; {then}")).await;
        until(|| !process.last_words().is_empty()).await;
        connection.peer().close();
        within(connection.closed()).await;
        let grace = Grace { stdin: grace, terminate: LONG };
        assert_eq!(within(process.stop(grace)).await.unwrap().code(), Some(code), "{then}");
    }
}

#[tokio::test]
async fn a_server_that_ends_well_leaves_no_grandchild() {
    let (connection, process) = start("parent", &with_grandchild("exec >&-; exit 0")).await;
    let grandchild = grandchild(&connection).await;
    drop(connection);
    let grace = Grace { stdin: LONG, ..GRACE };
    assert!(within(process.stop(grace)).await.unwrap().success());
    until_gone(&grandchild).await;
}

#[tokio::test]
async fn a_dropped_process_is_killed_with_its_grandchildren() {
    let (connection, process) = start("dropped", &with_grandchild("sleep 1000")).await;
    let (grandchild, pid) = (grandchild(&connection).await, process.id().unwrap().to_string());
    drop((connection, process));
    until_gone(&grandchild).await;
    until_gone(&pid).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_in_another_session_ends_with_its_server() {
    let quiet = "< /dev/null > /dev/null 2>&1";
    for detached in [
        format!("setsid sleep 1000 {quiet} & left=$!"),
        // Its parent is gone when the server ends.
        format!("left=$(setsid sh -c 'sleep 1000 {quiet} & echo $!')"),
    ] {
        let script = format!(
            r#"{detached}; read -r line; echo "{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":$left}}"; while read -r line; do :; done"#
        );
        let (connection, process) = start("stopped", &script).await;
        let left = grandchild(&connection).await;
        drop(connection);
        assert!(!is_gone(&left), "{detached}");
        within(process.stop(Grace { stdin: LONG, ..GRACE })).await.unwrap();
        assert!(is_gone(&left), "{detached}: the stop waits for its end");
        let (connection, process) = start("dropped", &script).await;
        let left = grandchild(&connection).await;
        drop((connection, process));
        until_gone(&left).await;
    }
}

#[tokio::test]
async fn no_answer_is_lost_if_the_input_ends_before_it() {
    // Our side is the server here: the other writes its requests, ends, and still reads.
    let slow = boxed(tower::service_fn(|incoming: Incoming| async move {
        tokio::time::sleep(Duration::from_millis(20)).await;
        Ok::<_, BoxError>(Reply::ok(incoming.params.get().cloned().unwrap_or(RawJson::null())))
    }));
    let script = r#"i=0; while [ $i -lt 50 ]; do echo '{"jsonrpc":"2.0","id":'$i',"method":"echo"}'; i=$((i+1)); done; exec >&-; grep -c result >&2"#;
    let config = Config { end_of_input: EndOfInput::Drain(LONG), ..Config::default() };
    let builder = Connection::builder(slow).config(config);
    let command = ChildCommand::new("brief", "sh").args(["-c", script]);
    let (connection, mut process) = command.connect(builder).await.unwrap();
    within(connection.closed()).await;
    let report = within(process.report(LONG)).await;
    assert!(report.ends_with("it last wrote to stderr: 50"), "{report}");
}

/// With this variable, `setpriv` does not start a program.
const LOADER_VARIABLE: &str = "LD_LIBRARY_PATH";

#[cfg(target_os = "linux")]
#[tokio::test]
async fn setpriv_changes_nothing_for_the_program() {
    let folder = std::env::temp_dir().join(format!("mgp-started-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("bin")).unwrap();
    let script = folder.join("bin/-script");
    std::fs::write(
        &script,
        "#!/bin/sh\nunset MGP_SERVER_RUN LD_LIBRARY_PATH; echo $0 $* $PWD $(env) >&2\nexit 3\n",
    )
    .unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&script, mode).unwrap();
    let report = |command: ChildCommand| async {
        let command = command.args(["-x", "--", "--pdeathsig", ""]).cwd(&folder);
        let (_connection, mut process) = command.connect(Connection::builder(nobody())).await.unwrap();
        within(process.report(LONG)).await
    };
    for program in ["-script", "bin/-script"] {
        let command = ChildCommand::new("a", program).env("PATH", "bin:/usr/bin:/bin");
        let started = report(command.clone()).await;
        assert!(
            started.contains("exit status: 3") && started.contains("bin/-script -x -- --pdeathsig"),
            "{started}"
        );
        assert_eq!(started, report(command.env(LOADER_VARIABLE, "/nowhere")).await);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_outlives_the_thread_that_started_it() {
    const BRIEF: &str = "brief-starter";
    let runtime = tokio::runtime::Handle::current();
    let starter = std::thread::Builder::new()
        .name(BRIEF.to_owned())
        .spawn(move || runtime.block_on(start("lasting", ANSWER)));
    let (connection, _process) = starter.unwrap().join().unwrap();
    let is_gone = || {
        let mut threads = std::fs::read_dir("/proc/self/task").unwrap();
        !threads.any(|thread| {
            let name = std::fs::read_to_string(thread.unwrap().path().join("comm")).unwrap_or_default();
            name.trim() == BRIEF
        })
    };
    until(is_gone).await;
    let result = within(connection.peer().request_raw("hello", RawParams::none())).await.unwrap();
    assert_eq!(result.as_str(), r#""{jsonrpc:2.0,id:1,method:hello}""#);
}
