//! A bad server on stdio, written by hand, because no SDK would permit it.

use super::{
    answer::answer,
    kind::{BadServer, Kind},
    priority::give_way,
};
use serde_json::{Value, json};
use std::{
    io::{self, Write},
    process, thread,
    time::Duration,
};

/// The time that a slow server takes to start.
const SLOW_START: Duration = Duration::from_secs(2);
/// The time that a slow call takes, within the time limit of its server.
const SLOW_CALL: Duration = Duration::from_millis(700);
/// The life of a server that dies after its list was read.
const LIFE: Duration = Duration::from_millis(300);
/// The pause after each byte of a server that trickles.
const TRICKLE: Duration = Duration::from_millis(2);
/// The messages of one burst of a flood, and the pause after it: about 1,000 messages a second. A flood without pauses would take all
/// cores, which no gateway can prevent.
const BURST: (usize, Duration) = (20, Duration::from_millis(20));
/// The exit code of a server that dies.
const DEAD: i32 = 3;

/// Serves until stdin ends, or the server dies by itself.
pub(crate) fn run(bad: &'static BadServer) {
    // Its threads have the priority of the one that starts them.
    give_way();
    match bad.kind {
        Kind::Exits => return,
        Kind::Stderr => flood(io::stderr, || "a line of the log that nobody wants to read".to_owned()),
        _ => {}
    }
    for line in io::stdin().lines() {
        let Ok(line) = line else { return };
        if let Ok(request) = serde_json::from_str(&line) {
            take(bad, &request);
        }
    }
}

/// Takes one message of the kernel.
fn take(bad: &BadServer, request: &Value) {
    let method = request["method"].as_str().unwrap_or_default();
    match (bad.kind, method) {
        (Kind::Silent, _) | (Kind::SilentCalls, "tools/call") => return,
        (Kind::SlowStart, "initialize") => thread::sleep(SLOW_START),
        (Kind::SlowCalls, "tools/call") => thread::sleep(SLOW_CALL),
        (Kind::DiesInHandshake, "initialize") | (Kind::DiesInCalls, "tools/call") => process::exit(DEAD),
        (_, "notifications/initialized") => begin_flood(bad.kind),
        _ => {}
    }
    let Some(mut reply) = answer(bad, request) else { return };
    match bad.kind {
        Kind::OtherIds => reply["id"] = json!(987_654_321),
        Kind::TextIds => reply["id"] = json!(reply["id"].to_string()),
        _ => {}
    }
    let text = reply.to_string();
    match bad.kind {
        Kind::HalfMessages => write(io::stdout(), &text.as_bytes()[..text.len() / 2]),
        Kind::Trickles => {
            for byte in format!("{text}\n").bytes() {
                write(io::stdout(), &[byte]);
                thread::sleep(TRICKLE);
            }
        }
        _ => write(io::stdout(), format!("{text}\n").as_bytes()),
    }
    match (bad.kind, method) {
        (Kind::StopsReading, "tools/list") => loop {
            thread::park();
        },
        (Kind::DiesAfterList, "tools/list") => {
            thread::sleep(LIFE);
            process::exit(DEAD);
        }
        _ => {}
    }
}

/// Begins to flood the kernel, if this kind of server does.
fn begin_flood(kind: Kind) {
    let notification = |method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
    };
    let mut count = 0_u64;
    match kind {
        Kind::Notifications => flood(io::stdout, move || {
            count += 1;
            if count.is_multiple_of(2) {
                notification("notifications/message", json!({"level": "info", "data": "again"}))
            } else {
                notification("notifications/progress", json!({"progressToken": count, "progress": count}))
            }
        }),
        Kind::ListChanges => {
            flood(io::stdout, move || notification("notifications/tools/list_changed", json!({})));
        }
        Kind::Requests => flood(io::stdout, move || {
            count += 1;
            let method =
                ["ping", "roots/list", "sampling/createMessage"][usize::from(count.to_le_bytes()[0]) % 3];
            json!({"jsonrpc": "2.0", "id": format!("flood{count}"), "method": method, "params": {}})
                .to_string()
        }),
        Kind::Garbage => flood(io::stdout, || "starting up... {\"jsonrpc\":".to_owned()),
        _ => {}
    }
}

/// Writes lines for ever, on a separate thread.
fn flood<W: Write + 'static>(output: fn() -> W, mut line: impl FnMut() -> String + Send + 'static) {
    let (count, pause) = BURST;
    thread::spawn(move || {
        loop {
            for _ in 0..count {
                write(output(), format!("{}\n", line()).as_bytes());
            }
            thread::sleep(pause);
        }
    });
}

/// Writes all bytes. A server whose output is closed ends.
fn write(mut output: impl Write, bytes: &[u8]) {
    if output.write_all(bytes).and_then(|()| output.flush()).is_err() {
        process::exit(DEAD);
    }
}
