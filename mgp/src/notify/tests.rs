//! Tests of the notifications against a loopback server and a program.

use super::{
    ConsoleAddress, Notifier,
    notice::{Notice, NoticeKind},
    notifier::{MAX_WAITING, with_retry},
    target::Target,
};
use crate::secrets::AccountSecrets;
use mgp_discovery::config::NotifyTarget;
use mgp_security::audit::EventDraft;
use mgp_types::{
    audit::{AuditEvent, AuditResult},
    context::{ActorType, Principal},
};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Receiver, channel},
    },
};
use xtask_testing::until_some;

const CALL: &str = "conf-0199f0a1-b2c3-7aaa-8000-000000000001";

fn event(kind: &str, actor: ActorType, id: Option<&str>) -> AuditEvent {
    let draft = EventDraft::new(kind.into(), &Principal::new("kernel", actor, false))
        .server("jobs")
        .tool("run\n\u{202e}<!channel>")
        .detail("agent_id", "ann\u{1b}[2J")
        .detail("risk_level", "dangerous")
        .detail("arguments_sha256", "0123")
        .detail("reason", "a secret");
    let draft = if kind.ends_with("TOOL_CHANGED") { draft.result(AuditResult::Blocked) } else { draft };
    id.into_iter().fold(draft, |draft, id| draft.detail("request_id", id)).finish()
}

fn call() -> Notice {
    Notice::of_event(&event("dev.cloto.mgp.APPROVAL_NEEDED", ActorType::Kernel, Some(CALL))).unwrap()
}

fn target(config: Value) -> Target {
    let config: NotifyTarget = serde_json::from_value(config).unwrap();
    Target::new(0, config, AccountSecrets::in_folder(&std::env::temp_dir())).unwrap()
}

fn console() -> ConsoleAddress {
    Arc::new(|| Some("http://127.0.0.1:7444".to_owned()))
}

/// Starts a server that answers requests with these statuses. Returns its address, and the head and the body of each request.
fn server(statuses: &'static [u16]) -> (String, Receiver<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (requests, received) = channel();
    std::thread::spawn(move || {
        for (stream, status) in listener.incoming().zip(statuses) {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                reader.read_line(&mut head).unwrap();
            }
            let head = head.to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            let mut body = vec![0; length.parse().unwrap()];
            reader.read_exact(&mut body).unwrap();
            requests.send((head, String::from_utf8(body).unwrap())).unwrap();
            let answer = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    (address, received)
}

#[test]
fn only_questions_of_the_kernel_are_notified() {
    let needed = "dev.cloto.mgp.APPROVAL_NEEDED";
    let changed = "dev.cloto.mgp.TOOL_CHANGED";
    for (kind, actor, id, expected) in [
        (needed, ActorType::Kernel, Some(CALL), Some((NoticeKind::Call, "mgp approve conf-0199f0a1-b2c3"))),
        (
            needed,
            ActorType::Kernel,
            Some("perm-0199f0a1-b2c3-7aaa-8000-000000000001"),
            Some((NoticeKind::Permission, "mgp approve perm-0199f0a1-b2c3")),
        ),
        (
            needed,
            ActorType::Agent,
            Some("reg-2d91f44aa38be3c1f0c1"),
            Some((NoticeKind::Server, "mgp approve reg-2d91f44aa38be")),
        ),
        (needed, ActorType::Server, Some(CALL), None),
        (needed, ActorType::Kernel, None, None),
        ("PERMISSION_GRANTED", ActorType::Operator, Some(CALL), None),
        (changed, ActorType::Server, None, None),
    ] {
        let notice = Notice::of_event(&event(kind, actor, id));
        let found = notice.as_ref().map(|notice| (notice.kind, &*notice.command));
        assert_eq!(found, expected, "{kind} {id:?}");
    }
    let held = Notice::of_event(&event(changed, ActorType::Kernel, None)).unwrap();
    assert!(
        held.kind == NoticeKind::Definition && held.command.starts_with("mgp tools diff jobs "),
        "{held:?}"
    );
}

#[test]
fn a_notice_has_no_arguments_and_no_control_characters() {
    let notice = call();
    let (text, json) = (notice.text(Some("http://127.0.0.1:7444")), notice.json(None));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(
        lines[1..],
        ["decide: mgp approve conf-0199f0a1-b2c3", "console: http://127.0.0.1:7444/approvals"]
    );
    assert!(lines[0].contains("of server jobs (dangerous) by agent ann"), "{text}");
    assert!(!notice.text(None).contains("console"));
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["kind"], &json["id"], &json["risk"]),
        (&json!("call"), &json!(CALL), &json!("dangerous"))
    );
    for shown in [text.replace('\n', ""), json.to_string()] {
        assert!(!shown.contains(|c: char| c.is_control() || c == '\u{202e}'), "{shown:?}");
        assert!(!shown.contains("a secret") && !shown.contains("0123\""), "{shown}");
    }
}

#[tokio::test]
async fn ntfy_gets_the_text_with_the_token() {
    let (address, received) = server(&[200]);
    let target = target(json!({"kind": "ntfy", "url": format!("{address}/mgp"), "token": "tk_1"}));
    target.deliver(&call(), None).await.unwrap();
    let (head, body) = received.try_recv().unwrap();
    for line in
        ["post /mgp http/1.1", "authorization: bearer tk_1", "content-type: text/plain; charset=utf-8"]
    {
        assert!(head.contains(line), "{line} in {head}");
    }
    assert_eq!(body, call().text(None));
}

#[tokio::test]
async fn slack_gets_a_message_without_mentions() {
    let (address, received) = server(&[200]);
    target(json!({"kind": "slack", "url": address})).deliver(&call(), None).await.unwrap();
    let (_, body) = received.try_recv().unwrap();
    let message: Value = serde_json::from_str(&body).unwrap();
    let text = message["text"].as_str().unwrap();
    assert!(text.contains("&lt;!channel&gt;") && !text.contains('<'), "{text}");
}

#[tokio::test]
async fn a_failure_names_its_reason_and_no_secret() {
    let (address, _received) = server(&[403]);
    for (config, expected) in [
        (json!({"kind": "slack", "url": format!("{address}/hush")}), "status 403"),
        (json!({"kind": "slack", "url": "http://192.0.2.1/hush"}), "neither of https nor of this machine"),
        (json!({"kind": "ntfy", "url": "hush"}), "not a URL"),
    ] {
        let problem = target(config).deliver(&call(), None).await.unwrap_err();
        assert!(problem.contains(expected) && !problem.contains("hush"), "{problem}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_attempt_is_made_once_more() {
    for (failures, made, is_delivered) in [(0, 1, true), (1, 2, true), (9, 2, false)] {
        let attempts = AtomicUsize::new(0);
        let delivered = with_retry(|| {
            let failed = attempts.fetch_add(1, Ordering::SeqCst) < failures;
            std::future::ready(if failed { Err("away".to_owned()) } else { Ok(()) })
        });
        assert_eq!(delivered.await.is_ok(), is_delivered);
        assert_eq!(attempts.into_inner(), made);
    }
}

#[tokio::test]
async fn a_target_that_hangs_delays_no_caller_and_no_other_target() {
    // Its connections are accepted by the system, and never answered.
    let hanging = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, received) = server(&[200]);
    let slow = target(json!({"kind": "slack", "url": format!("http://{}", hanging.local_addr().unwrap())}));
    let notifier =
        Notifier::of_targets(vec![slow, target(json!({"kind": "ntfy", "url": address}))], &console());
    // Many more than fit, and no call of this function waits.
    for _ in 0..MAX_WAITING * 3 {
        notifier.notify(call());
    }
    let (_, body) = until_some(async || received.try_recv().ok()).await;
    assert!(body.ends_with("console: http://127.0.0.1:7444/approvals"), "{body}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_program_gets_json_on_stdin_without_a_shell() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("$(touch x); out");
    let argv = ["tee".to_owned(), file.display().to_string()];
    target(json!({"kind": "command", "argv": argv})).deliver(&call(), None).await.unwrap();
    let written = std::fs::read_to_string(&file).unwrap();
    assert_eq!(written, call().json(None));
    for (argv, expected) in
        [(json!(["false"]), "`false` failed"), (json!(["no-such-program", "hush"]), "failed to start")]
    {
        let problem =
            target(json!({"kind": "command", "argv": argv})).deliver(&call(), None).await.unwrap_err();
        assert!(problem.contains(expected) && !problem.contains("hush"), "{problem}");
    }
}
