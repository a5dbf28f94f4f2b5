//! The page of servers, against commands that answer from a list.

use crate::{operator::OperatorRole, testing::TestConsole};
use http::StatusCode;

const STATUS: &str = r#"{"kernels": [{"pid": 7, "version": "0.1.0", "started_at": "2026-11-30T00:00:00Z", "uptime_secs": 5,
    "servers": [
        {"id": "notes", "state": "connected", "reason": "it answered", "health": "degraded", "checks": {"disk": "<b>full</b>"},
         "restarts": 2, "in_flight": 3, "queued": 1, "mgp_version": "0.6", "extensions": ["lifecycle"], "trust_level": "standard",
         "confined": "require", "registered": true, "tool_count": 2, "tools": ["add_note", "<i>x</i>"],
         "registration": {"command": ["python3", "/srv/<u>.py", "--fast"], "variables": ["KEY"], "permissions": ["memory.write"]}},
        {"id": "files", "state": "error", "reason": "<script>alert(1)</script>", "restarts": 0, "in_flight": 0, "queued": 0,
         "trust_level": "sandboxed", "confined": "off", "tool_count": 0, "tools": ["other"]},
        {"id": "web", "state": "disconnected", "reason": "auth.oauth: log in", "on_demand": true, "restarts": 0, "in_flight": 0,
         "queued": 0, "trust_level": "sandboxed", "tool_count": 0}],
    "hosts": [], "parked_calls": 0,
    "waiting": [], "notices": [{"server_id": "notes", "text": "notes is odd"}],
    "closed": [{"server_id": "files", "tools": 1, "reason": "files is closed"}]}],
    "replicas": [], "questions": null}"#;

fn console(answers: &[(&str, &str)]) -> TestConsole {
    let mut all = vec![("status", STATUS)];
    all.extend(answers);
    TestConsole::new(OperatorRole::Admin, &all)
}

#[track_caller]
fn has(page: &str, parts: &[&str]) {
    for part in parts {
        assert!(page.contains(part), "{part} is not in {page}");
    }
}

#[tokio::test]
async fn the_list_shows_each_server_and_its_button() {
    let console = console(&[]);
    let (status, page) = console.get("/servers").await;
    assert_eq!((status, console.ran()), (StatusCode::OK, vec!["status".to_owned()]));
    has(&page, &["3 servers", "2 with problems", "/servers?id=notes", "degraded", "idle, starts on demand"]);
    has(&page, &[r#"aria-label="Restart notes""#, r#"aria-label="Start files""#, "/do/restart-server"]);
    has(&page, &["&lt;script&gt;alert(1)&lt;/script&gt;"]);
    assert!(!page.contains("<script>alert"), "{page}");
    assert!(!page.contains("every 2s"), "nothing is on its way");
}

#[tokio::test]
async fn the_list_is_filtered_by_name_and_by_problems() {
    let console = console(&[]);
    let (_, page) = console.get("/servers?q=NOT").await;
    assert!(page.contains("id=notes") && !page.contains("id=files"), "{page}");
    let (_, page) = console.get("/servers?trouble=1").await;
    assert!(page.contains("id=notes") && page.contains("id=files") && !page.contains("id=web"), "{page}");
    let (_, page) = console.get("/servers?q=%3Cb%3E").await;
    has(&page, &["No server matches", r#"value="&lt;b&gt;""#]);
}

#[tokio::test]
async fn the_list_follows_a_server_that_starts() {
    let starting = STATUS.replace(r#""state": "error""#, r#""state": "connecting""#);
    let (_, page) = console(&[("status", &starting)]).get("/servers").await;
    assert!(page.contains("every 2s"), "{page}");
}

#[tokio::test]
async fn a_list_of_ten_thousand_servers_is_cut() {
    let one = r#"{"id": "sN", "state": "connected", "reason": "", "restarts": 0, "in_flight": 0, "queued": 0,
        "trust_level": "sandboxed", "tool_count": 0}"#;
    let many: Vec<_> = (0..10_000).map(|n| one.replace("sN", &format!("s{n}"))).collect();
    let head = r#"{"kernels": [{"pid": 7, "version": "0", "started_at": "", "uptime_secs": 5, "hosts": [], "parked_calls": 0, "servers": ["#;
    let status = format!("{head}{}]}}]}}", many.join(","));
    let console = TestConsole::new(OperatorRole::Viewer, &[("status", &status)]);
    let (_, page) = console.get("/servers").await;
    has(&page, &["10000 servers", "9800 more are not shown", "disabled", "This needs the role admin."]);
    assert!(page.len() < 400_000, "{}", page.len());
}

#[tokio::test]
async fn a_server_has_its_facts_tools_and_notices() {
    let console = console(&[]);
    let (_, page) = console.get("/servers?id=notes").await;
    assert_eq!(console.ran(), ["status --tools --server=notes"]);
    has(&page, &["MGP ", "1 waiting", "a registration", "notes is odd", "/tools?name=add_note"]);
    has(&page, &["&lt;b&gt;full&lt;/b&gt;", "&lt;i&gt;x&lt;/i&gt;", "/do/remove-server", "/do/drain-server"]);
    has(&page, &[r#"hx-confirm="Stop notes now? Its running calls are cut off.""#]);
    assert!(!page.contains("files is closed") && !page.contains("name=other"), "{page}");
    let (_, page) = console.get("/servers?id=web").await;
    has(&page, &["<code>mgp servers --fresh", "/do/start-server", "The server lists no tools"]);
    assert!(!page.contains("/do/remove-server"), "it is not registered");
    assert_eq!(console.ran(), ["config show --masked", "status --tools --server=web"]);
    let long = STATUS.replace("<script>alert(1)</script>", &format!("{}<b>the end", "x".repeat(900)));
    let (_, page) = self::console(&[("status", &long)]).get("/servers?id=files").await;
    has(&page, &["x&lt;b&gt;the end"]);
}

#[tokio::test]
async fn a_server_shows_what_it_runs_and_where_that_is_changed() {
    let shown = r#"{"files": [{"name": "configuration", "path": "/etc/mgp.toml", "sha256": "aa",
        "text": "[kernel]\n\n[[servers]]\nid = \"files\"\ncommand = \"/opt/<b>files\"\nargs = [\"a b\"]\n"}]}"#;
    let console = console(&[("config show --masked", shown)]);
    let (_, page) = console.get("/servers?id=notes").await;
    has(&page, &[">python3</bdi>", ">/srv/&lt;u&gt;.py</bdi>", ">--fast</bdi>", ">KEY</bdi>"]);
    has(&page, &["/servers?view=add&amp;from=command&amp;change=notes"]);
    let (_, page) = console.get("/servers?id=files").await;
    has(&page, &[">/opt/&lt;b&gt;files</bdi>", ">a b</bdi>", "/settings?file=configuration#L3"]);
    assert!(!page.contains("change=files"), "{page}");
}

#[tokio::test]
async fn an_unknown_server_is_not_found() {
    let (status, page) = console(&[]).get("/servers?id=%3Cb%3E--all").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    has(&page, &["no server &quot;&lt;b&gt;--all&quot;", "See the list of servers"]);
}

#[tokio::test]
async fn a_log_is_read_in_its_length_and_followed_on_request() {
    let log = r#"{"lines": [{"time": "2026-11-30T00:00:00Z", "level": "STDERR", "pid": 9, "text": "old"},
        {"time": "2026-11-30T00:00:01Z", "level": "WARN", "pid": 9, "text": "<img src=x>\u202e"}]}"#;
    let console = console(&[("logs", log)]);
    let (_, page) = console.get("/servers?id=notes&view=log&last=500").await;
    assert_eq!(console.ran(), ["logs --last=500 -- notes", "status --tools --server=notes"]);
    let (newest, oldest) = (page.find("&lt;img src=x&gt;\\u{202e}").unwrap(), page.find("old").unwrap());
    assert!(newest < oldest && !page.contains("every 2s"), "{page}");
    let (_, page) = console.get("/servers?view=log&last=7&follow=1").await;
    assert_eq!(console.ran(), ["logs --last=100"]);
    has(&page, &["every 2s", "Stop following"]);
}

#[tokio::test]
async fn the_history_is_of_the_server_and_the_type() {
    let events = r#"{"events": [{"timestamp": "2026-11-30T00:00:00Z", "event_type": "dev.cloto.mgp.SERVER_CONTROLLED", "trace_id": "t1",
        "actor": {"type": "operator", "id": "<b>ann</b>"}, "target": {"server_id": "notes", "tool_name": "add"}, "result": "BLOCKED",
        "details": {"reason": "why\n<u>not</u>"}}]}"#;
    let console = console(&[("audit", events)]);
    let (_, page) = console.get("/servers?id=notes&view=history&type=TOOL_BLOCKED").await;
    assert_eq!(
        console.ran(),
        ["audit --last=100 --server=notes --type=TOOL_BLOCKED", "status --tools --server=notes"]
    );
    has(
        &page,
        &[
            "SERVER_CONTROLLED",
            "&lt;b&gt;ann&lt;/b&gt;",
            "why &lt;u&gt;not&lt;/u&gt;",
            "/trail?trace=t1",
            ">Refused</span>",
        ],
    );
    let (_, _) = console.get("/servers?id=notes&view=history&type=--all").await;
    assert_eq!(console.ran(), ["audit --last=100 --server=notes", "status --tools --server=notes"]);
}

#[tokio::test]
async fn the_confinement_has_its_reasons() {
    let explained = r#"{"id": "notes", "mode": "require", "reason": "it is sandboxed", "private_folder": "/p", "limits": "none",
        "files": [{"path": "/etc/<b>", "access": "none", "reason": "secrets"}], "network": {"may": "none", "reason": "no key"},
        "listening": {"may": "none", "reason": ""}, "machine": {"runner_in_words": "bubblewrap", "landlock": "ABI 6", "missing": ["<b>cgroups"]}}"#;
    let console = console(&[
        ("servers explain -- notes", explained),
        ("servers explain -- files", r#"{"id": "files"}"#),
    ]);
    let (_, page) = console.get("/servers?id=notes&view=confinement").await;
    assert_eq!(console.ran(), ["servers explain -- notes", "status --tools --server=notes"]);
    has(&page, &["it is sandboxed", "/etc/&lt;b&gt;", "no key", "bubblewrap", "&lt;b&gt;cgroups"]);
    let (_, page) = console.get("/servers?id=files&view=confinement").await;
    has(&page, &["not a process of this gateway"]);
}

#[tokio::test]
async fn a_changed_definition_is_accepted_by_its_hash() {
    let diff = r#"{"definitions": [{"server_id": "notes", "tool_name": "add", "held": true, "breaking": true, "compared": true,
        "accepted_sha256": "aa", "listed_sha256": "0123456789abcdef0123456789abcdef", "listed_at": "2026-11-30T00:00:00Z",
        "differences": [{"path": "/description", "effect": "lower_risk", "old": "reads", "new": "reads <b>all</b>"}], "left_out": 3,
        "old_version": "1.0.0", "new_version": null}]}"#;
    let console = console(&[("tools diff -- notes", diff), ("tools accept", "{}")]);
    let (_, page) = console.get("/servers?id=notes&view=definitions").await;
    has(&page, &["<mark>reads &lt;b&gt;all&lt;/b&gt;</mark>", "lower risk", "Withheld", "3 more", "1.0.0"]);
    has(&page, &[r#"name="hash" value="0123456789abcdef""#, r#"aria-label="Accept add""#]);
    console.ran();
    let (status, _) =
        console.post("/do/accept-definition", "server=notes&tool=add&hash=0123456789abcdef").await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(console.ran(), ["tools accept --hash=0123456789abcdef -- notes add"]);
    // A server without pinned definitions has no changes.
    let (_, page) = console.get("/servers?id=files&view=definitions").await;
    has(&page, &["All tools are as they were accepted."]);
}

#[tokio::test]
async fn buttons_of_a_server_are_commands_of_an_admin() {
    let admin = console(&[("servers", r#"{"id": "<b>"}"#)]);
    for (action, expected) in [
        ("start-server", "servers start -- --all"),
        ("stop-server", "servers stop -- --all"),
        ("restart-server", "servers restart -- --all"),
        ("drain-server", "servers drain -- --all"),
        ("remove-server", "servers remove -- --all"),
    ] {
        let (_, page) = admin.post(&format!("/do/{action}"), "server=--all").await;
        assert!(!page.contains("<b>"), "{page}");
        assert_eq!(admin.ran(), [expected]);
        let approver = TestConsole::new(OperatorRole::Approver, &[("servers", "{}")]);
        let (status, _) = approver.post(&format!("/do/{action}"), "server=notes").await;
        assert_eq!((status, approver.ran()), (StatusCode::FORBIDDEN, Vec::new()), "{action}");
    }
    let viewer = TestConsole::new(OperatorRole::Viewer, &[("tools", "{}")]);
    let (status, _) = viewer.post("/do/accept-definition", "server=notes&tool=add&hash=00").await;
    assert_eq!((status, viewer.ran()), (StatusCode::FORBIDDEN, Vec::new()));
}

#[tokio::test]
async fn a_command_answers_with_the_state_that_it_reached() {
    let answer = r#"{"servers": [{"pid": 7, "server_id": "notes", "previous_state": "connected", "state": "error",
        "reason": "<b>gone</b>", "done": true}]}"#;
    let console = console(&[("servers restart", answer)]);
    let (_, page) = console.press("/do/restart-server", "server=notes").await;
    has(&page, &["mgp servers restart -- notes", "connected → ", "error", "&lt;b&gt;gone&lt;/b&gt;"]);
}

#[tokio::test]
async fn the_registry_is_asked_only_on_a_search() {
    let found = r#"{"servers": [{"name": "com.example/<b>", "version": "1", "description": "<u>notes</u>", "status": "deprecated",
        "comes_as": ["npm"]}], "more": true}"#;
    let console = console(&[("registry search -- a --limit=9", found)]);
    let (_, page) = console.get("/servers?view=add").await;
    assert!(console.ran().is_empty());
    has(&page, &["/servers?view=add&amp;from=package", "Search"]);
    for (from, action) in
        [("package", "preview-server"), ("url", "preview-server"), ("command", "preview-registration")]
    {
        let (_, page) = console.get(&format!("/servers?view=add&from={from}")).await;
        has(&page, &[&format!("/do/{action}"), "Id in this gateway"]);
    }
    assert!(console.ran().is_empty());
    let (_, page) = console.get("/servers?view=add&q=a+--limit%3D9").await;
    assert_eq!(console.ran(), ["registry search -- a --limit=9"]);
    has(&page, &["&lt;u&gt;notes&lt;/u&gt;", "Deprecated", "entry=com.example%2F%3Cb%3E", "add words"]);
    let (status, page) = console.get("/servers?view=add&q=other").await;
    assert_eq!(status, StatusCode::OK, "the form stays");
    has(&page, &["That did not work", "Search"]);
}

#[tokio::test]
async fn an_entry_has_a_form_for_each_usable_way() {
    let entry = r#"{"name": "com.example/notes", "version": "1", "description": "d", "status": "active", "ways": [
        {"title": "docker", "reason": "no <b>docker</b>"},
        {"title": "npm", "toml": "[[servers]]\n<x>", "needs": [
            {"variable": "NOTES_KEY", "of": "key", "what": "a <i>key</i>", "required": true, "secret": true},
            {"variable": "DEPTH", "what": "", "required": false, "secret": false}]}]}"#;
    let console = console(&[("registry show -- com.example/notes", entry)]);
    let (_, page) = console.get("/servers?view=add&entry=com.example%2Fnotes").await;
    assert_eq!(console.ran(), ["registry show -- com.example/notes"]);
    has(
        &page,
        &["no &lt;b&gt;docker&lt;/b&gt;", "&lt;x&gt;", r#"name="way" value="2""#, "a &lt;i&gt;key&lt;/i&gt;"],
    );
    has(&page, &[r#"name="set.key" type="password""#, r#"name="set.DEPTH" type="text""#]);
    assert!(!page.contains(r#"name="way" value="1""#), "{page}");
}

#[tokio::test]
async fn a_server_is_shown_then_tried_and_added() {
    let planned = r#"{"id": "notes", "title": "notes <b>1</b>", "runs": "npx -y notes", "needs": [], "file": "/etc/mgp.toml",
        "written": false, "remarks": ["it is confined"]}"#;
    let added = r#"{"id": "notes", "title": "t", "runs": "r", "needs": [], "file": "/etc/mgp.toml", "written": true, "remarks": [],
        "tried": {"tools": [{"name": "<b>add", "description": "adds", "risk": "moderate"}], "permissions": ["memory.write"]}}"#;
    let console =
        console(&[("add npx:notes --dry-run", planned), ("add npx:notes --yes --set=KEY=secret", added)]);
    let (_, page) = console.post("/do/preview-server", "kind=npx&name=notes").await;
    assert_eq!(console.ran(), ["add npx:notes --dry-run"]);
    has(&page, &["notes &lt;b&gt;1&lt;/b&gt;", "it is confined", "/etc/mgp.toml", "/do/add-server"]);
    let (_, page) = console.post("/do/add-server", "kind=npx&name=notes&set.KEY=secret").await;
    has(&page, &["Added.", "It offers one tool:", "&lt;b&gt;add", "memory.write", "/servers?id=notes"]);
    assert!(!page.contains("secret"), "a key is not shown: {page}");
    let needs = planned.replace(r#""needs": []"#, r#""needs": ["KEY (--set KEY=VALUE)"]"#);
    let console = self::console(&[("add npx:notes --dry-run", &needs)]);
    let (_, page) = console.post("/do/preview-server", "kind=npx&name=notes").await;
    has(&page, &["KEY (--set KEY=VALUE)", "Fill in the missing values"]);
    assert!(!page.contains("/do/add-server"), "{page}");
}

#[tokio::test]
async fn a_registered_server_names_its_open_permissions() {
    let answer = r#"{"id": "notes", "trust_level": "sandboxed", "created_by": "ann", "created_at": "", "waits_for": ["memory.<b>"]}"#;
    let planned = r#"{"id": "notes", "trust_level": "sandboxed", "runs": "python3 <b>", "variables": ["KEY"], "waits_for": [], "written": false}"#;
    let console = console(&[("servers add", answer), ("servers add notes --dry-run", planned)]);
    let (_, page) = console.post("/do/preview-registration", "id=notes&command=python3").await;
    assert_eq!(console.ran(), ["servers add notes --dry-run -- python3"]);
    has(&page, &["python3 &lt;b&gt;", "KEY", "/do/register-server"]);
    assert!(!page.contains("data-split"), "{page}");
    let (_, page) =
        console.post("/do/register-server", "id=notes&command=python3&args=-m%0D%0Anotes&url=").await;
    assert_eq!(console.ran(), ["servers add notes -- python3 -m notes"]);
    has(&page, &["memory.&lt;b&gt;", "/approvals", "/servers?id=notes"]);
    for action in ["preview-server", "add-server", "preview-registration", "register-server"] {
        let approver = TestConsole::new(OperatorRole::Approver, &[]);
        let (status, _) = approver.post(&format!("/do/{action}"), "id=a&name=b&kind=npx").await;
        assert_eq!((status, approver.ran()), (StatusCode::FORBIDDEN, Vec::new()), "{action}");
    }
}
