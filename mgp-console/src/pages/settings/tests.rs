//! The page of settings, against commands that answer from a list.

use crate::{operator::OperatorRole, testing::TestConsole};
use http::StatusCode;

const SHOWN: &str = r#"{"files": [{"name": "configuration", "path": "/etc/mgp.toml", "sha256": "aa", "writable": true,
    "text": "\n[kernel]\n# </textarea><script>x</script>\n",
    "problems": [{"line": 3, "column": 1, "message": "<b>unknown</b> key", "help": "remove it"}]},
    {"name": "policies", "path": "/etc/policies.cedar", "sha256": "bb", "writable": false, "text": "permit;"}]}"#;

const DOCTOR: &str = r#"{"version": "0.1.0", "program": "/usr/bin/mgp", "confinement": [{"runner": "native", "missing": "namespaces"}],
    "findings": [
        {"id": "host-program-other", "severity": "warning", "subject": "cursor", "problem": "<b>other</b>", "command": "mgp connect cursor",
         "docs": "docs/doctor.md#host-program-other", "fixable": true, "fixed": false},
        {"id": "server-slow", "severity": "warning", "subject": "notes", "problem": "slow", "key": "kernel.start_wait_ms",
         "docs": "javascript:alert(1)", "fixable": false, "fixed": false}]}"#;

fn console(answers: &[(&str, &str)]) -> TestConsole {
    TestConsole::new(OperatorRole::Admin, answers)
}

#[track_caller]
fn has(page: &str, parts: &[&str]) {
    for part in parts {
        assert!(page.contains(part), "{part} is not in {page}");
    }
}

#[tokio::test]
async fn the_editor_has_the_file_and_its_problems() {
    let console = console(&[("config show", SHOWN)]);
    let (_, page) = console.get("/settings").await;
    assert_eq!(console.ran(), ["config show"]);
    // The browser drops the first line feed.
    has(&page, &[">\n\n[kernel]\n# &lt;/textarea&gt;&lt;script&gt;x", "/etc/mgp.toml", "/do/check-settings"]);
    has(
        &page,
        &[r##"href="#L3" data-line="3" data-column="1""##, "&lt;b&gt;unknown&lt;/b&gt; key", "remove it"],
    );
    has(&page, &[r#"<span class="wrong" id="L3">3</span>"#, r#"name="sha256" value="aa""#]);
    assert!(!page.contains("/do/save-settings"), "nothing is saved before it is checked");
    let (_, page) = console.get("/settings?file=policies").await;
    has(&page, &["permit;", "readonly", "may not write this file"]);
}

#[tokio::test]
async fn only_an_admin_reads_values_that_are_masked() {
    let console = TestConsole::new(OperatorRole::Viewer, &[("config show --masked", SHOWN)]);
    let (_, page) = console.get("/settings").await;
    assert_eq!(console.ran(), ["config show --masked"]);
    has(&page, &["readonly", "This needs the role admin."]);
}

#[tokio::test]
async fn a_text_is_checked_before_it_is_saved() {
    let checked = r#"{"sha256": "cc", "problems": [], "difference": [" [kernel]", "-a = 1", "+  a = <b>2"],
        "change": {"added": ["notes"], "applied": ["kernel.a"], "needs_restart": []}}"#;
    let saved =
        r#"{"path": "/etc/mgp.toml", "sha256": "cc", "kernels": [{"pid": 7, "restarted": ["files"]}]}"#;
    let console = console(&[("config check", checked), ("config write", saved)]);
    let form = "file=configuration&sha256=aa&text=%5Bkernel%5D%0D%0Aa%3D2%0D%0A";
    let (_, page) = console.post("/do/check-settings", form).await;
    assert_eq!(console.input().as_deref(), Some("[kernel]\na=2\n"));
    assert_eq!(console.ran(), ["config check --from-stdin --file=configuration"]);
    has(&page, &["<del>-a = 1</del>", "<ins>+  a = &lt;b&gt;2</ins>", "Servers that start", "kernel.a"]);
    has(&page, &["/do/save-settings", r#"name="checked" value="cc""#]);
    let (_, page) = console.post("/do/save-settings", &format!("{form}&checked=cc")).await;
    assert_eq!(console.input().as_deref(), Some("[kernel]\na=2\n"));
    assert_eq!(console.ran(), ["config write --from-stdin --file=configuration --expect=aa --checked=cc"]);
    has(&page, &["Saved", "files", r#"name="sha256" value="cc" hx-swap-oob="true""#]);
    let (status, _) = console.post("/do/save-settings", form).await;
    assert_eq!((status, console.ran()), (StatusCode::UNPROCESSABLE_ENTITY, Vec::new()), "it was not checked");
}

#[tokio::test]
async fn a_text_that_loosens_a_protection_is_saved_after_a_question() {
    let checked = |line: &str| {
        let difference = serde_json::json!([" [permissions]", "-policy = \"interactive\"", line]);
        format!(
            r#"{{"sha256": "cc", "difference": {difference}, "change": {{"applied": ["permissions.policy"]}}}}"#
        )
    };
    let loosening = console(&[("config check", &checked("+policy = \"auto_approve\""))]);
    let (_, page) = loosening.post("/do/check-settings", "file=a&text=x").await;
    let sentence = "Open permissions will be approved at once, and nobody is asked about later ones.";
    has(
        &page,
        &[&format!("<p class=\"loosens\">{sentence}</p>"), &format!("hx-confirm=\"{sentence} Save it?\"")],
    );
    let (_, page) = console(&[("config check", &checked("+policy = \"deny_all\""))])
        .post("/do/check-settings", "file=a&text=x")
        .await;
    assert!(!page.contains("hx-confirm") && !page.contains("loosens"), "{page}");
}

#[tokio::test]
async fn a_text_with_problems_or_without_changes_is_not_saved() {
    let wrong = r#"{"sha256": "cc", "problems": [{"line": 2, "column": 5, "message": "expected <b>"}], "difference": ["+x"]}"#;
    let (_, page) = console(&[("config check", wrong)]).post("/do/check-settings", "file=a&text=x").await;
    has(&page, &[r##"href="#L2""##, "expected &lt;b&gt;"]);
    assert!(!page.contains("/do/save-settings"), "{page}");
    let same = r#"{"sha256": "cc"}"#;
    let (_, page) = console(&[("config check", same)]).post("/do/check-settings", "file=a&text=x").await;
    has(&page, &["there is nothing to save"]);
}

#[tokio::test]
async fn a_reload_names_its_changes() {
    let console = console(&[("reload", r#"{"kernels": [{"pid": 7, "removed": ["<b>"]}, {"pid": 8}]}"#)]);
    let (_, page) = console.post("/do/reload", "").await;
    assert_eq!(console.ran(), ["reload"]);
    has(
        &page,
        &["Servers that stop after their calls", "&lt;b&gt;", "Nothing changes.", "Gateway of process 8"],
    );
}

#[tokio::test]
async fn a_search_of_keys_runs_no_command() {
    let console = console(&[]);
    let (status, page) = console.get("/settings?view=keys&key=metrics_tools").await;
    assert_eq!((status, console.ran()), (StatusCode::OK, Vec::new()));
    has(
        &page,
        &[
            "telemetry.metrics_tools",
            "[telemetry]",
            r#"data-insert="metrics_tools = "#,
            r#"data-table="[telemetry]""#,
        ],
    );
    let (_, page) = console.get("/settings?view=keys&key=%3Cb%3E").await;
    has(&page, &["No name of a setting matches.", r#"value="&lt;b&gt;""#]);
    let (_, page) = console.get("/settings?view=keys&key=permissions.wait_ms").await;
    has(
        &page,
        &[
            r#"docs/configuration.md#waiting-for-approvals" rel="noreferrer" target="_blank">Waiting for approvals</a>"#,
        ],
    );
    let (_, page) = console.get("/settings?view=keys").await;
    has(&page, &["<code>[telemetry]</code>", "The tables."]);
    let (_, page) = console.get("/settings?view=keys&key=s").await;
    assert_eq!(page.matches("data-insert").count(), 25);
    has(&page, &["more match"]);
}

#[tokio::test]
async fn the_doctor_runs_after_the_page_is_shown() {
    let console = console(&[("doctor", DOCTOR)]);
    let (_, page) = console.get("/settings?view=doctor").await;
    assert!(console.ran().is_empty(), "the page does not wait");
    has(&page, &[r#"hx-get="/settings?view=doctor&amp;run=1""#]);
    let (_, page) = console.get("/settings?view=doctor&run=1").await;
    assert_eq!(console.ran(), ["doctor"]);
    has(
        &page,
        &[
            "2 findings",
            "&lt;b&gt;other&lt;/b&gt;",
            "mgp connect cursor",
            "doctor.md#host-program-other",
            "namespaces",
        ],
    );
    has(
        &page,
        &[
            "/settings?key=start_wait_ms",
            "Mend the one that is safe",
            r#"aria-label="Mend cursor: host-program-other""#,
        ],
    );
    assert!(!page.contains("javascript:"), "{page}");
}

#[tokio::test]
async fn a_finding_is_mended_by_its_subject() {
    let mended = DOCTOR.replace(r#""fixable": true, "fixed": false"#, r#""fixable": true, "fixed": true"#);
    let console = console(&[("doctor --fix", &mended)]);
    let (_, page) = console.post("/do/mend", "subject=--fix").await;
    assert_eq!(console.ran(), ["doctor --fix -- --fix"]);
    has(&page, &["Mended"]);
    assert!(!page.contains("/do/mend\""), "{page}");
    console.post("/do/mend-all", "").await;
    assert_eq!(console.ran(), ["doctor --fix"]);
}

#[tokio::test]
async fn settings_are_changed_by_admins_only() {
    for action in ["check-settings", "save-settings", "reload", "mend", "mend-all"] {
        let approver = TestConsole::new(OperatorRole::Approver, &[("", "{}")]);
        let (status, _) =
            approver.post(&format!("/do/{action}"), "file=a&text=b&sha256=c&checked=d&subject=e").await;
        assert_eq!((status, approver.ran()), (StatusCode::FORBIDDEN, Vec::new()), "{action}");
    }
}

#[tokio::test]
async fn only_a_command_with_the_option_reads_the_text() {
    let console = console(&[("doctor", DOCTOR)]);
    console.post("/do/mend", "subject=--from-stdin&text=secret").await;
    assert_eq!(console.input(), None);
    assert_eq!(console.ran(), ["doctor --fix -- --from-stdin"]);
}
