//! Approvals of permissions within limits.

use crate::support::User;

#[test]
fn an_approval_accepts_limits_and_shows_them() {
    let user = User::with_notes();
    let approve = |args: &[&str]| user.run(&[&["approve", "notes"], args].concat());
    let text = approve(&["filesystem.read", "--path", "drafts", "--path", "/srv/a", "--for", "8h"])
        .succeeds()
        .stdout;
    assert!(text.starts_with("notes: filesystem.read (/") && text.contains("until"), "{text}");
    assert!(text.contains("/project/drafts, /srv/a) is approved"), "{text}");
    let text = approve(&["network", "--host", "*.example.com:443", "--port", "8080"]).succeeds().stdout;
    assert_eq!(
        text.trim(),
        "notes: network.outbound (*.example.com:443) is approved\nnotes: network.listen (8080) is approved"
    );
    approve(&["shell.execute", "--program", "git"]).succeeds();
    let listed = user.run(&["approve", "--all"]).succeeds().stdout;
    assert!(listed.contains("network.listen (8080)") && listed.contains("shell.execute (git)"), "{listed}");
    let (_, all) = user.json(&["approve", "--all"]);
    let scope = |permission: &str| {
        let rows = all["permissions"].as_array().unwrap();
        rows.iter().find(|row| row["permission"] == permission).unwrap()["scope"].clone()
    };
    assert_eq!(scope("filesystem.read")["paths"][1], "/srv/a");
    assert_eq!(scope("network.outbound"), serde_json::json!({ "hosts": ["*.example.com:443"] }));
    // Limits are lifted only where that is said.
    let refused = approve(&["shell.execute"]).fails_with(2).stderr;
    assert!(refused.contains("within limits (git): expected limits again, or --unlimited"), "{refused}");
    assert_eq!(scope("shell.execute"), serde_json::json!({ "programs": ["git"] }));
    let text = approve(&["shell.execute", "--unlimited"]).succeeds().stdout;
    assert_eq!(text.trim(), "notes: shell.execute is approved");
}

#[test]
fn limits_that_fit_no_permission_approve_nothing() {
    let user = User::with_notes();
    for args in [
        &["notes", "camera", "--path", "/srv"][..],
        &["notes", "filesystem.read", "--host", "example.com"],
        &["notes", "filesystem.read", "--path", "/srv", "--port", "80"],
        &["notes", "filesystem.read", "--path", "/srv/../etc"],
        &["notes", "filesystem.read", "--path", "/srv", "--deny"],
        &["notes", "filesystem.read", "--path", "/srv", "--revoke"],
        &["notes", "network", "--host", "example.com"],
        &["notes", "network.outbound", "--host", "https://example.com"],
        &["notes", "network.listen", "--port", "0"],
        &["notes", "shell.execute", "--program", "bin/git"],
        &["conf-1", "--path", "/srv"],
        &["--path", "/srv"],
    ] {
        user.run(&[&["approve"], args].concat()).fails_with(2);
    }
    assert_eq!(user.json(&["approve", "--all"]).1["permissions"], serde_json::json!([]));
}

#[test]
#[cfg(target_os = "linux")]
fn the_limits_of_an_approval_are_in_a_server_s_profile() {
    let user = User::with_notes();
    user.add_notes("extra");
    user.run(&["approve", "extra", "filesystem.read", "--path", "/etc"]).succeeds();
    user.run(&["approve", "extra", "network.outbound", "--host", "example.com"]).succeeds();
    let (_, extra) = user.json(&["servers", "explain", "extra"]);
    let files = extra["files"].as_array().unwrap();
    let etc: Vec<_> = files.iter().filter(|file| file["path"] == "/etc").collect();
    assert_eq!((etc.len(), &etc[0]["access"]), (1, &serde_json::json!("read")));
    assert_eq!(etc[0]["reason"], "permission filesystem.read is approved");
    assert!(!files.iter().any(|file| file["path"] == "/"));
    assert_eq!(extra["network"]["may"], "example.com, through the proxy");
}
