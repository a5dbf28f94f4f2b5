//! The page against answers of commands.

use crate::{operator::OperatorRole, testing::TestConsole};
use http::StatusCode;

const CALL: &str = r#"{"request_id": "conf-1", "agent_id": "ann", "server_id": "shell", "tool_name": "<b>run</b>",
    "arguments": {"command": "git log \u202e<script>"}, "risk": "dangerous", "reason": "it runs commands", "intent": "to <i>see</i>",
    "estimate": "likely takes seconds", "every_time": false, "state": "open", "asked_at": "2026-01-01T00:00:00Z"}"#;

fn open() -> String {
    let every_time =
        CALL.replace("conf-1", "conf-2").replace("\"every_time\": false", "\"every_time\": true");
    format!(
        r#"{{"confirmations": [{CALL}, {every_time}],
        "permissions": [{{"request_id": "perm-1", "server_id": "files", "permission": "filesystem.read", "state": "deferred",
            "asked_at": "2026-01-01T00:00:00Z", "waiting_tools": 2}}],
        "servers": [{{"request_id": "reg-1", "agent_id": "bob", "server_id": "weather", "asked_for": {{"why": "<u>"}},
            "asked_at": "2026-01-01T00:00:00Z"}}],
        "definitions": [{{"server_id": "notes", "tool_name": "add", "held": true, "breaking": true, "compared": true,
            "listed_sha256": "0123456789abcdef0123", "listed_at": "2026-01-01T00:00:00Z", "left_out": 3,
            "differences": [{{"path": "/description", "effect": "text", "old": "old <s>", "new": "new"}}]}}]}}"#
    )
}

#[tokio::test]
async fn the_page_has_every_kind_of_question() {
    let console = TestConsole::new(OperatorRole::Admin, &[("approve", &open())]);
    let (status, page) = console.get("/approvals").await;
    assert_eq!((status, console.ran()), (StatusCode::OK, vec!["approve".to_owned()]));
    for part in [
        "likely takes seconds",
        "<code>conf-1</code>",
        "<code>perm-1</code>",
        "<code>reg-1</code>",
        "it runs commands",
        "to &lt;i&gt;see",
        "2 tools",
        "name=\"path\"",
        "weather",
        "old &lt;s&gt;",
        "3 more differences",
        "value=\"0123456789abcdef\"",
        "hx-post=\"/do/approve\"",
        "hx-post=\"/do/accept-definition\"",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for foreign in ["<b>run", "<script>", "<i>see", "<u>", "<s>", "\u{202e}"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
}

#[tokio::test]
async fn a_call_asked_about_each_time_is_approved_once_only() {
    let one = |every_time: &str| {
        format!(r#"{{"confirmations": [{}]}}"#, CALL.replace("\"every_time\": false", every_time))
    };
    for (every_time, has_others) in [("\"every_time\": true", false), ("\"every_time\": false", true)] {
        let console = TestConsole::new(OperatorRole::Admin, &[("approve", &one(every_time))]);
        let (_, page) = console.get("/approvals").await;
        assert_eq!(page.contains("name=\"term\" value=\"always\""), has_others, "{every_time}");
        assert_eq!(page.contains("name=\"like\""), has_others, "{every_time}");
    }
}

#[tokio::test]
async fn long_arguments_are_cut_with_a_way_to_all_of_them() {
    let call = CALL.replace("git log", &"y".repeat(40_000));
    let answer = format!(r#"{{"confirmations": [{call}]}}"#);
    let console = TestConsole::new(OperatorRole::Viewer, &[("approve", &answer)]);
    let (_, page) = console.get("/approvals").await;
    assert!(page.len() < 30_000 && page.contains("more characters are not shown"), "{}", page.len());
    let letters = async |address: &str| console.get(address).await.1.matches('y').count();
    let mut sum = 0;
    for from in [0, 15_000, 30_000] {
        sum += letters(&format!("/approvals?call=conf-1&from={from}")).await
            - letters("/approvals?call=conf-1&from=999999").await;
    }
    assert_eq!(sum, 40_000);
    assert!(console.ran().contains(&"approve --show -- conf-1".to_owned()));
}

#[tokio::test]
async fn a_dry_run_judges_the_call_of_the_question() {
    let explained = r#"{"agent_id": "ann", "server_id": "shell", "permission": "allow", "source": "tool_grant", "reason": "a <b> rule",
        "call": {"allowed": true, "would_ask": [{"kind": "confirmation", "reason": "dangerous"}],
        "quota": {"remaining": 12, "limit": 20, "cost": 5, "resets_at": "2026-01-02T00:00:00Z"}}}"#;
    let answer = format!(r#"{{"confirmations": [{CALL}]}}"#);
    let console =
        TestConsole::new(OperatorRole::Viewer, &[("approve", &answer), ("access explain", explained)]);
    let (_, page) = console.get("/approvals?dry-run=conf-1").await;
    assert!(page.contains("5 of 12 units") && page.contains("a &lt;b&gt; rule"), "{page}");
    let arguments = r#"{"command": "git log \u202e<script>"}"#;
    let explain = format!("access explain --arguments={arguments} -- ann shell <b>run</b>");
    assert_eq!(console.ran(), [explain, "approve --show -- conf-1".to_owned()]);
}

#[tokio::test]
async fn decisions_have_their_maker_and_can_be_taken_back() {
    let decided = CALL.replace(
        "\"open\"",
        "\"approved\", \"decided_by\": \"root<>\", \"pattern\": {\"command\": \"git log *\"}",
    );
    let answer = format!(
        r#"{{"confirmations": [{CALL}, {}], "permissions": [{{"request_id": "perm-9", "server_id": "git", "permission": "shell.execute",
        "state": "denied", "asked_at": "2026-01-01T00:00:00Z", "decided_by": "eve", "scope": {{"programs": ["git", "make"]}}}}]}}"#,
        decided.replace("conf-1", "conf-7")
    );
    let console = TestConsole::new(OperatorRole::Approver, &[("approve --all", &answer)]);
    let (_, page) = console.get("/approvals?view=decided").await;
    for part in
        ["root&lt;&gt;", "git log *", "eve", "programs: git, make", "value=\"conf-7\"", "/do/take-back"]
    {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("value=\"conf-1\""), "an open question was not decided");
}

#[tokio::test]
async fn a_pattern_is_suggested_for_open_and_decided_calls() {
    let plain = CALL.replace(r"git log \u202e<script>", "git log --stat");
    let decided = plain.replace("conf-1", "conf-7").replace("\"open\"", "\"approved\"");
    let answer = format!(r#"{{"confirmations": [{plain}, {decided}]}}"#);
    let console = TestConsole::new(OperatorRole::Approver, &[("approve", &answer)]);
    let (_, page) = console.get("/approvals").await;
    assert!(page.contains("id=\"like-conf-1\"") && page.contains(">git log *</textarea>"), "{page}");
    assert!(page.contains("value=\"midnight\"") && page.contains("type=\"datetime-local\""), "{page}");
    let (_, page) = console.get("/approvals?view=decided").await;
    assert!(page.contains("name=\"again\" value=\"1\"") && page.contains(">git log *</textarea>"), "{page}");
}

#[tokio::test]
async fn a_decision_says_what_holds_now() {
    let decided = CALL.replace(
        "\"open\"",
        "\"approved\", \"expires_at\": \"2026-01-02T00:00:00Z\", \"pattern\": {\"command\": \"git *\"}",
    );
    let answer = format!(r#"{{"confirmations": [{decided}]}}"#);
    let console = TestConsole::new(OperatorRole::Approver, &[("approve", &answer)]);
    let (_, message) = console.press("/do/approve", "id=conf-1&like=git+*&for=8h").await;
    for part in [
        "ann",
        "&lt;b&gt;run",
        "approved",
        "command: git *",
        "Other open questions that it covers",
        "2026-01-02",
        "/do/take-back",
        "value=\"conf-1\"",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert!(!message.contains("exactly these arguments"));
    let (_, message) = console.press("/do/take-back", "id=conf-1").await;
    assert!(message.contains("open again") && !message.contains("/do/take-back"), "{message}");
}

#[tokio::test]
async fn the_second_operator_reads_the_first_ones_decision() {
    let console = TestConsole::new(OperatorRole::Approver, &[]);
    let (status, message) = console.post("/do/approve", "id=conf-1&for=8h").await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(message.contains("try another"), "{message}");
    assert_eq!(console.ran(), ["approve --open --for=8h -- conf-1"]);
    assert_eq!(console.event_of_post("/do/approve", "id=conf-1").await.as_deref(), Some("changed"));
    assert_eq!(console.event_of_post("/do/approve", "for=8h").await, None, "a form keeps its content");
}

#[tokio::test]
async fn a_viewer_sees_and_previews_but_decides_nothing() {
    let preview = r#"{"looked_at": 1000, "covered": 12, "calls": [{"at": "2026-01-01T00:00:00Z", "arguments": {"a": "<b>"}}]}"#;
    let console =
        TestConsole::new(OperatorRole::Viewer, &[("approve", &open()), ("approve --preview", preview)]);
    let (_, page) = console.get("/approvals").await;
    assert!(page.contains("This needs the role approver."));
    let (status, shown) = console.post("/do/preview-pattern", "id=conf-1&like=git+log+*").await;
    assert_eq!(status, StatusCode::OK);
    assert!(
        shown.contains("covers this call and 12 of 1000 others")
            && shown.contains("<details open>")
            && shown.contains("&lt;b&gt;"),
        "{shown}"
    );
    console.ran();
    for action in ["approve", "deny", "take-back", "accept-definition"] {
        let (status, _) =
            console.post(&format!("/do/{action}"), "id=conf-1&server=s&tool=t&hash=0123456789").await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{action}");
    }
    assert!(console.ran().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_stream_names_the_questions_until_the_session_ends() {
    let console = TestConsole::new(OperatorRole::Viewer, &[("approve", &open())]);
    let (_, page) = console.get("/approvals").await;
    let (_, stream) = console.get("/waiting").await;
    let (_, rest) = stream.split_once("data: 5 ").expect("a number and a mark");
    let mark = rest.lines().next().unwrap_or_default();
    assert!(page.contains(&format!("data-shown=\"{mark}\"")), "{mark}");
    let other = TestConsole::new(OperatorRole::Viewer, &[("approve", "{}")]);
    assert!(!other.get("/waiting").await.1.contains(mark));
}

#[tokio::test]
async fn an_empty_page_tells_when_questions_appear() {
    let console = TestConsole::new(OperatorRole::Viewer, &[("approve", "{}")]);
    let (_, page) = console.get("/approvals").await;
    assert!(page.contains("Nothing waits for a decision."));
}
