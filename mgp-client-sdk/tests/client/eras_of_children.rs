//! The detection of a child process's era, where the question may end the process.

use crate::support::{builder, within};
use mgp_client_sdk::{ChildCommand, Era, EraChoice, RawJson, client::Client};
use std::{path::Path, time::Duration};

/// A server of the earlier era. `$2` is its behaviour on other requests; each start writes a line to `$1`.
const SERVER: &str = r#"
echo start >> "$1"
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
    case "$line" in
    *'"method":"initialize"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"sh","version":"1"}}}\n' "$id" ;;
    *'"method":"notifications/initialized"'*) ready=yes ;;
    *'"method":"tools/call"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}\n' "$id" ;;
    *)
        [ "$2" = silent ] && continue
        [ "$2" = answers ] && printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"what?"}}\n' "$id"
        exit 1 ;;
    esac
done
"#;

async fn connect(log: &Path, behaviour: &str) -> Client {
    let command =
        ChildCommand::new("child", "sh").args(["-c", SERVER, "sh", log.to_str().unwrap(), behaviour]);
    let mut builder = builder();
    if behaviour == "silent" {
        builder = builder.era(EraChoice::Auto { probe_timeout: Duration::from_millis(200) });
    }
    within(builder.connect_child(&command)).await.unwrap()
}

#[tokio::test]
async fn only_a_child_that_exits_on_the_probe_is_started_again() {
    for (behaviour, starts) in [("exits", 2), ("answers", 2), ("silent", 1)] {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("starts");
        let client = connect(&log, behaviour).await;
        assert_eq!(client.greeting().era(), Era::Initialize, "{behaviour}");
        within(client.call_tool("t", RawJson::empty_object())).await.unwrap();
        let started = std::fs::read_to_string(&log).unwrap();
        assert_eq!(started.lines().count(), starts, "{behaviour}");
    }
}

#[tokio::test]
async fn a_child_that_does_not_start_is_an_error() {
    let command = ChildCommand::new("child", "sh").args(["-c", "exit 3"]);
    assert!(within(builder().connect_child(&command)).await.is_err());
}

/// A server that reports the end of its input, and the way it ends, through a named pipe that it opens at once.
const NOTICES: &str = r#"
exec 3> "$1"
trap 'printf terminated >&3; exit 0' TERM
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
    case "$line" in
    *'"method":"initialize"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"sh","version":"1"}}}\n' "$id" ;;
    esac
done
printf 'end of input' >&3
"#;

#[tokio::test]
async fn a_child_notices_the_end_of_its_input_before_it_is_killed() {
    for closed in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let command = ChildCommand::new("child", "sh").args(["-c", NOTICES, "sh", pipe.to_str().unwrap()]);
        // The read ends with the process, which holds the pipe open.
        let said = tokio::task::spawn_blocking(move || std::fs::read_to_string(pipe).unwrap());
        // The child has minutes to notice the end of its input.
        let timeout = Duration::from_secs(600);
        let builder = builder().era(EraChoice::Known(Era::Initialize)).close_timeout(timeout);
        let client = within(builder.connect_child(&command)).await.unwrap();
        if closed {
            within(client.close()).await;
        } else {
            drop(client);
        }
        assert_eq!(within(said).await.unwrap(), "end of input", "closed: {closed}");
    }
}

/// A server that ends neither with its input nor on SIGTERM.
const STAYS: &str = r#"
trap '' TERM
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
    case "$line" in
    *'"method":"initialize"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"sh","version":"1"}}}\n' "$id" ;;
    esac
done
exec sleep 1000
"#;

#[tokio::test]
async fn a_child_is_killed_after_the_close_timeout() {
    let command = ChildCommand::new("child", "sh").args(["-c", STAYS]);
    let timeout = Duration::from_secs(600);
    let builder = builder().era(EraChoice::Known(Era::Initialize)).close_timeout(timeout);
    let client = within(builder.connect_child(&command)).await.unwrap();
    // From here on the clock moves to the next time limit whenever all tasks wait, as for the end of the child.
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    client.close().await;
    assert_eq!(began.elapsed().as_secs(), timeout.as_secs());
}
