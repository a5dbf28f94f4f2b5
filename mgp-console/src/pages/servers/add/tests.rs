//! The form of a command: its preview, the start after it, and the change of a registered server.

use crate::{operator::OperatorRole, testing::TestConsole};

const ADMIN: OperatorRole = OperatorRole::Admin;

/// Returns the status of a gateway with one server.
fn status(server: &str) -> String {
    let rest = r#""id": "hg", "in_flight": 0, "queued": 0, "trust_level": "sandboxed", "registered": true"#;
    format!(
        r#"{{"kernels": [{{"pid": 7, "version": "0", "started_at": "", "uptime_secs": 5, "hosts": [], "parked_calls": 0,
            "servers": [{{{rest}, {server}}}]}}]}}"#
    )
}

/// The latest end of the server.
const ENDED: &str = r#"{"events": [{"timestamp": "2026-11-30T00:00:00Z", "event_type": "SERVER_DISCONNECTED", "actor": {"type": "kernel", "id": "kernel"},
    "target": {"server_id": "hg"}, "result": "FAILURE", "details": {"reason": "no <b> file"}}]}"#;

#[track_caller]
fn has(page: &str, parts: &[&str]) {
    for part in parts {
        assert!(page.contains(part), "{part} is not in {page}");
    }
}

#[tokio::test]
async fn a_preview_shows_the_program_and_each_argument_by_itself() {
    let planned =
        r#"{"id": "hg", "runs": "python3 /srv/hg.py --fast", "remarks": ["a script: <b>pyenv</b> which"]}"#;
    let console = TestConsole::new(ADMIN, &[("servers add hg --dry-run", planned)]);
    let form = "id=hg&command=python3&args=%2Fsrv%2Fhg.py%0D%0A--fast";
    let (_, page) = console.post("/do/preview-registration", form).await;
    has(
        &page,
        &[
            ">python3</bdi></li>",
            ">/srv/hg.py</bdi></li>",
            ">--fast</bdi></li>",
            "/do/register-server",
            "a script: &lt;b&gt;pyenv",
        ],
    );
    assert!(!page.contains("data-split"), "{page}");
    // The same line with another split: the whole is the program, which has no arguments.
    let (_, page) =
        console.post("/do/preview-registration", "id=hg&command=python3+%2Fsrv%2Fhg.py+--fast").await;
    has(&page, &[">python3 /srv/hg.py --fast</bdi></li>", "The name of this program has a space."]);
    has(&page, &["[&quot;python3&quot;,&quot;/srv/hg.py&quot;,&quot;--fast&quot;]"]);
}

#[tokio::test]
async fn a_registration_follows_the_start_of_its_server() {
    let console = TestConsole::new(ADMIN, &[("servers add", r#"{"id": "hg", "trust_level": "sandboxed"}"#)]);
    let (_, page) = console.post("/do/register-server", "id=hg&command=python3").await;
    has(&page, &["/servers?view=started&amp;server=hg", "load delay:500ms", "The gateway starts it"]);
    for (server, follows, parts) in [
        (
            r#""state": "connecting", "reason": "", "restarts": 0, "tool_count": 0"#,
            true,
            &["The gateway starts it"][..],
        ),
        (
            r#""state": "connected", "reason": "", "restarts": 0, "tool_count": 2"#,
            false,
            &["Connected.", "It has 2 tools."],
        ),
        (
            r#""state": "connecting", "reason": "starting", "restarts": 3, "tool_count": 0"#,
            true,
            &["It does not start", "no &lt;b&gt; file", "&amp;change=hg", "/servers?id=hg&amp;view=log"],
        ),
        (
            r#""state": "error", "reason": "gone", "restarts": 0, "tool_count": 0"#,
            false,
            &["It does not start", "gone"],
        ),
        (
            r#""state": "registered", "reason": "", "on_demand": true, "restarts": 0, "tool_count": 0"#,
            false,
            &["not started yet, starts on demand"],
        ),
    ] {
        let console =
            TestConsole::new(ADMIN, &[("status --no-checks", &status(server)), ("audit --last=1", ENDED)]);
        let (_, page) = console.get("/servers?view=started&server=hg").await;
        // Only a start that hides the latest error needs the trail.
        let hides = server.contains("connecting") && server.contains(r#""restarts": 3"#);
        assert_eq!(console.ran().len(), 1 + usize::from(hides));
        has(&page, parts);
        assert_eq!(page.contains("every 2s"), follows, "{server}: {page}");
    }
    let console = TestConsole::new(ADMIN, &[("status", r#"{"kernels": []}"#)]);
    let (_, page) = console.get("/servers?view=started&server=%3Cb%3E").await;
    has(&page, &["every 2s", "The gateway starts it", "&lt;b&gt;"]);
}

#[tokio::test]
async fn a_registered_server_is_changed_in_a_form_that_is_filled_in() {
    let server = r#""state": "error", "reason": "", "restarts": 0, "tool_count": 0, "registration": {"command": ["python3 /srv/<u>.py", "--fast"],
        "variables": ["KEY"], "permissions": ["memory.write"]}"#;
    let console =
        TestConsole::new(ADMIN, &[("status", &status(server)), ("servers remove -- hg", r#"{"id": "hg"}"#)]);
    let (_, page) = console.get("/servers?view=add&from=command&change=hg").await;
    has(&page, &[r#"value="python3 /srv/&lt;u&gt;.py""#, "\n--fast</textarea>", "\nKEY=</textarea>"]);
    has(
        &page,
        &["\nmemory.write</textarea>", r#"value="hg" readonly"#, "Enter the values of its variables again"],
    );
    has(&page, &["/do/remove-server", r##"hx-target="#removed""##, "/do/preview-registration"]);
    console.ran();
    let (_, page) = console.post("/do/remove-server", "server=hg&change=1").await;
    assert_eq!(console.ran(), ["servers remove -- hg"]);
    has(&page, &["The old server is removed."]);
    assert!(!page.contains("<h1>"), "the form stays: {page}");
}

#[tokio::test]
async fn a_server_at_a_url_is_changed_by_its_url() {
    let server = r#""state": "error", "reason": "", "restarts": 0, "tool_count": 0, "registration": {"url": "https://a.example/mcp?"}"#;
    let console = TestConsole::new(ADMIN, &[("status", &status(server))]);
    let (_, page) = console.get("/servers?view=add&from=command&change=hg").await;
    has(&page, &[r#"name="url" type="url" value="https://a.example/mcp?""#]);
    assert!(!page.contains("name=\"command\""), "{page}");
    // A new server has one way for a URL, which is another form.
    let (_, page) = console.get("/servers?view=add&from=command").await;
    assert!(!page.contains("name=\"url\"") && page.contains("(optional)"), "{page}");
    console.ran();
}
