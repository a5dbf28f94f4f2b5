//! Hosts' files before and after `mgp connect` and `mgp disconnect`, from the corpus and in odd states.

use crate::support::{CommandOutput, User};
use expect_test::expect;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
};

/// The hosts and their files in the home folder.
const FILES: [(&str, &str); 15] = [
    ("claude-desktop", ".config/Claude/claude_desktop_config.json"),
    ("claude-code", ".claude.json"),
    ("cursor", ".cursor/mcp.json"),
    ("vscode", ".config/Code/User/mcp.json"),
    ("vscode-insiders", ".config/Code - Insiders/User/mcp.json"),
    ("vscodium", ".config/VSCodium/User/mcp.json"),
    ("windsurf", ".codeium/windsurf/mcp_config.json"),
    ("gemini-cli", ".gemini/settings.json"),
    ("codex", ".codex/config.toml"),
    ("zed", ".config/zed/settings.json"),
    ("opencode", ".config/opencode/opencode.jsonc"),
    ("goose", ".config/goose/config.yaml"),
    ("lm-studio", ".lmstudio/mcp.json"),
    ("cline", ".cline/data/settings/cline_mcp_settings.json"),
    ("continue", ".continue/config.yaml"),
];

/// A file of the corpus in a user's home folder.
struct Case {
    /// The host and the name in the corpus.
    name: String,
    host: String,
    path: PathBuf,
    original: Vec<u8>,
}

/// A form in which an editor may write the same text.
type Form = fn(&str) -> String;

/// The forms of the files in the corpus.
const FORMS: [(&str, Form); 7] = [
    ("as it is", str::to_owned),
    ("CRLF", |text| text.replace('\n', "\r\n")),
    ("CRLF in some lines", |text| text.replacen('\n', "\r\n", text.lines().count() / 2)),
    ("without a line break at the end", |text| text.trim_end().to_owned()),
    ("a byte order mark", |text| format!("\u{feff}{text}")),
    ("blank lines at the end", |text| format!("{text}\n\n")),
    ("tabs", |text| {
        // YAML has none.
        let is_json = text.starts_with(['{', '/']);
        let with_tabs = text.lines().map(|line| {
            let rest = line.trim_start_matches("  ");
            format!("{}{rest}\n", "\t".repeat((line.len() - rest.len()) / 2))
        });
        if is_json { with_tabs.collect() } else { text.to_owned() }
    }),
];

/// Returns users whose hosts have one file each, which together have all files of a kind, in a form.
fn users(kind: &str, form: Form) -> Vec<(User, Vec<Case>)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/corpus/hosts").join(kind);
    let mut users: Vec<(User, Vec<Case>)> = Vec::new();
    for (host, place) in FILES {
        let Ok(entries) = fs::read_dir(corpus.join(host)) else { continue };
        let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for (at, file) in files.iter().enumerate() {
            if users.len() == at {
                users.push((User::new(), Vec::new()));
            }
            let (user, cases) = &mut users[at];
            let project = user.path("").canonicalize().unwrap();
            let original = form(&read(file).replace("PROJECT", project.to_str().unwrap())).into_bytes();
            let name = format!("{host}/{}", file.file_name().unwrap().to_str().unwrap());
            let path = user.home(place);
            write(&path, &original);
            cases.push(Case { name, host: host.to_owned(), path, original });
        }
    }
    users
}

fn write(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Runs a command with `--yes --json`, and returns the exit code and the report on each host.
fn reports(user: &User, command: &str, hosts: &[&str]) -> (i32, BTreeMap<String, Value>) {
    let (code, document) = user.json(&[&[command, "--yes"], hosts].concat());
    let hosts = document["hosts"].as_array().unwrap_or_else(|| panic!("{document}")).clone();
    (code, hosts.into_iter().map(|host| (host["host"].as_str().unwrap().to_owned(), host)).collect())
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
}

/// Returns a text with a member that somebody adds at its beginning or, for TOML, at its end; `None` if there is no place for it.
fn changed(path: &Path, text: &str) -> Option<String> {
    match path.extension()?.to_str()? {
        "toml" => Some(format!("{text}\n[added]\nlater = 1\n")),
        "yaml" => {
            let rest = text.trim_start_matches('\u{feff}');
            Some(format!("{}added: later # mine\n{rest}", &text[..text.len() - rest.len()]))
        }
        _ => text
            .contains("\": ")
            .then(|| text.replacen('{', "{ \"added\": \"later\", /* mine */", 1).replace(" /* mine */", "")),
    }
}

#[test]
fn each_file_is_the_same_after_the_way_back() {
    let mut count = 0;
    for (form, function) in FORMS {
        for (user, cases) in users("connects", function) {
            let (code, connected) = reports(&user, "connect", &[]);
            assert_eq!(code, 0, "{form}: {connected:?}");
            for case in &cases {
                let report = &connected[&case.host];
                assert_eq!(report["state"], "connected", "{}, {form}: {report}", case.name);
                check_connected(case, form);
            }
            let files: Vec<_> = cases.iter().map(|case| fs::read(&case.path).unwrap()).collect();
            let own = fs::read(user.own_configuration()).unwrap();
            for report in reports(&user, "connect", &[]).1.values() {
                assert_eq!(report["state"], "already_connected", "{report}");
            }
            assert!(cases.iter().zip(&files).all(|(case, file)| fs::read(&case.path).unwrap() == *file));
            assert_eq!(fs::read(user.own_configuration()).unwrap(), own);
            user.run(&["access", "list"]).succeeds();
            assert_eq!(reports(&user, "disconnect", &[]).0, 0);
            for case in &cases {
                let (name, original) = (&case.name, String::from_utf8_lossy(&case.original));
                assert_eq!(read(&case.path), original, "{name}, {form}");
                count += 1;
            }
            let left = fs::read_dir(user.home("../state/connect")).unwrap().count();
            assert_eq!(left, 0, "a backup is left");
        }
    }
    assert!(count >= 300, "{count} files");
}

/// Checks that a connected file has the gateway's entry, and still its byte order mark, line ends and comments.
fn check_connected(case: &Case, form: &str) {
    let (name, after) = (&case.name, read(&case.path));
    assert!(after.contains("mgp") && after.contains("\"serve\""), "{name}, {form}: {after}");
    let before = String::from_utf8_lossy(&case.original).into_owned();
    assert_eq!(after.starts_with('\u{feff}'), before.starts_with('\u{feff}'), "{name}");
    let has_lone = |text: &str| text.replace("\r\n", "").contains('\n');
    let is_crlf = before.contains("\r\n") && !has_lone(&before);
    assert!(!is_crlf || !has_lone(&after), "{name}, {form}: {after:?}");
    for comment in ["// my servers", "# the best", "# built in", "// after", "# profiles", "// kept"] {
        assert_eq!(before.contains(comment), after.contains(comment), "{name}, {form}: {after}");
    }
}

#[test]
fn a_file_that_changed_since_loses_only_our_entry() {
    let (mut other, mut count) = (BTreeSet::new(), 0);
    for (form, function) in FORMS.into_iter().step_by(2) {
        for (user, cases) in users("connects", function) {
            reports(&user, "connect", &[]);
            for case in &cases {
                if let Some(text) = changed(&case.path, &read(&case.path)) {
                    write(&case.path, text.as_bytes());
                }
            }
            let (code, disconnected) = reports(&user, "disconnect", &[]);
            assert_eq!(code, 0, "{form}: {disconnected:?}");
            for case in &cases {
                let before = String::from_utf8_lossy(&case.original).into_owned();
                let Some(expected) = changed(&case.path, &before) else { continue };
                let after = read(&case.path);
                let name = &case.name;
                assert!(after.contains("later") && !after.contains("\"serve\""), "{name}, {form}: {after}");
                count += 1;
                if after != expected {
                    other.insert(name.clone());
                }
            }
        }
    }
    // The content of these is the same, with other blanks, line ends, order or comments.
    expect!["180 files; claude-desktop/null-list.json, claude-desktop/one-that-stays.json, codex/between.toml, codex/dotted.toml, codex/no-servers.toml, codex/two.toml, cursor/disabled.json, vscodium/one.json"].assert_eq(&format!("{count} files; {}", Vec::from_iter(other).join(", ")));
}

#[test]
fn nothing_is_written_where_something_is_wrong() {
    let mut reasons = Vec::new();
    for (user, cases) in users("refused", str::to_owned) {
        let (code, reports) = reports(&user, "connect", &[]);
        assert_eq!(code, 3);
        for case in &cases {
            let report = &reports[&case.host];
            assert_eq!(report["state"], "failed", "{}: {report}", case.name);
            assert_eq!(fs::read(&case.path).unwrap(), case.original, "{}", case.name);
            let reason = user.without_folder(report["reason"].as_str().unwrap());
            reasons.push(format!("{}: {reason}", case.name));
        }
        assert!(!user.own_configuration().exists() && !user.home("../state/connect").exists());
    }
    reasons.sort();
    expect![[r#"
        claude-code/broken.json: ~/home/.claude.json: line 3: Expected colon after the string or word in object property
        claude-desktop/another-mgp.json: ~/home/.config/Claude/claude_desktop_config.json: mcpServers.mgp is an entry of another program
        claude-desktop/array.json: ~/home/.config/Claude/claude_desktop_config.json: line 1: expected an object at the top of the file
        claude-desktop/comment.json: ~/home/.config/Claude/claude_desktop_config.json: line 2: Comments are not allowed
        claude-desktop/cut-off.json: ~/home/.config/Claude/claude_desktop_config.json: line 5: Unterminated array
        claude-desktop/list-is-text.json: ~/home/.config/Claude/claude_desktop_config.json: mcpServers: expected an object of servers
        claude-desktop/same-name-twice.json: ~/home/.config/Claude/claude_desktop_config.json: line 4: "time" is there twice: remove one of them
        claude-desktop/trailing-comma.json: ~/home/.config/Claude/claude_desktop_config.json: line 3: Trailing commas are not allowed
        codex/another-mgp.toml: ~/home/.codex/config.toml: mcp_servers.mgp is an entry of another program
        codex/broken.toml: ~/home/.codex/config.toml: line 2: unclosed table, expected `]`
        codex/twice.toml: ~/home/.codex/config.toml: line 3: duplicate key
        continue/tab.yaml: ~/home/.continue/config.yaml: line 3: tabs disallowed within this context (block indentation)
        cursor/another-mgp.json: ~/home/.cursor/mcp.json: mcpServers.mgp is an entry of another program
        cursor/missing-comma.json: ~/home/.cursor/mcp.json: line 3: Expected comma
        cursor/not-closed-comment.json: ~/home/.cursor/mcp.json: line 1: Unterminated comment block
        gemini-cli/broken.json: ~/home/.gemini/settings.json: line 2: Expected comma
        goose/alias.yaml: ~/home/.config/goose/config.yaml: line 5: an alias is not read here: write the value itself
        goose/another-mgp.yaml: ~/home/.config/goose/config.yaml: extensions.mgp is an entry of another program
        goose/broken.yaml: ~/home/.config/goose/config.yaml: line 4: while parsing a block mapping, did not find expected key
        goose/flow.yaml: ~/home/.config/goose/config.yaml: extensions: expected each server on lines of its own
        goose/two-documents.yaml: ~/home/.config/goose/config.yaml: line 2: expected one document: it has a second one
        vscode/list-is-array.json: ~/home/.config/Code/User/mcp.json: servers: expected an object of servers"#]].assert_eq(&reasons.join("\n"));
}

#[test]
fn a_host_with_our_entry_stays_as_it_is() {
    for (user, cases) in users("already", str::to_owned) {
        let (code, reports) = reports(&user, "connect", &[]);
        assert_eq!(code, 0, "{reports:?}");
        for case in &cases {
            assert_eq!(reports[&case.host]["state"], "already_connected", "{}", case.name);
            assert_eq!(fs::read(&case.path).unwrap(), case.original, "{}", case.name);
        }
        assert!(!user.own_configuration().exists());
    }
}

const CURSOR: &str =
    "{\n  \"mcpServers\": {\n    \"time\": {\"command\": \"uvx\", \"args\": [\"mcp-server-time\"]}\n  }\n}\n";

/// Returns a user of Cursor with one server.
fn user_of_cursor() -> (User, PathBuf) {
    let user = User::new();
    let path = user.home(".cursor/mcp.json");
    write(&path, CURSOR.as_bytes());
    (user, path)
}

#[test]
fn links_and_modes_are_kept_and_read_only_files_refused() {
    let (user, path) = user_of_cursor();
    let (real, second) = (user.home("dotfiles/mcp.json"), user.home("dotfiles/second"));
    write(&real, CURSOR.as_bytes());
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("mcp.json", &second).unwrap();
    fs::remove_file(&path).unwrap();
    symlink(&second, &path).unwrap();
    user.run(&["connect", "--yes"]).succeeds();
    assert!(read(&real).contains("\"serve\""));
    user.run(&["disconnect", "--yes"]).succeeds();
    assert_eq!(read(&real), CURSOR);
    assert!(path.symlink_metadata().unwrap().is_symlink() && second.symlink_metadata().unwrap().is_symlink());
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);

    fs::set_permissions(&real, fs::Permissions::from_mode(0o444)).unwrap();
    let refused = user.run(&["connect", "--yes"]);
    assert!(refused.code == 3 && refused.stderr.contains("it is read-only"), "{refused:?}");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o644)).unwrap();
    fs::remove_file(&real).unwrap();
    let refused = user.run(&["connect", "--yes"]);
    assert!(
        refused.code == 3 && refused.stderr.contains("a link to a file that does not exist"),
        "{refused:?}"
    );
    assert!(!real.exists());
}

#[test]
fn a_host_without_a_file_gets_one_that_goes_again() {
    let user = User::new();
    fs::create_dir_all(user.home(".lmstudio")).unwrap();
    fs::create_dir_all(user.home(".claude")).unwrap();
    user.run(&["connect", "--yes"]).succeeds();
    let file: Value = serde_json::from_str(&read(&user.home(".lmstudio/mcp.json"))).unwrap();
    let command = file["mcpServers"]["mgp"]["command"].as_str().unwrap();
    assert!(Path::new(command).is_absolute(), "{file}");
    assert!(user.home(".claude.json").exists());
    user.run(&["access", "list"]).succeeds();
    user.run(&["disconnect", "--yes"]).succeeds();
    assert!(!user.home(".lmstudio/mcp.json").exists() && !user.home(".claude.json").exists());
}

#[test]
fn a_dry_run_writes_nothing_and_no_terminal_needs_yes() {
    let (user, path) = user_of_cursor();
    let CommandOutput { code, stdout, .. } = user.run(&["connect", "--dry-run"]);
    assert_eq!(code, 0);
    for part in ["- mcpServers.time", "+ mcpServers.mgp = {\"command\": \"/", "would write", ": time"] {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
    let refused = user.run(&["connect"]);
    assert!(refused.code == 2 && refused.stderr.contains("mgp connect --yes"), "{refused:?}");
    assert_eq!(read(&path), CURSOR);
    assert!(!user.own_configuration().exists() && !user.home("../state/connect").exists());
}

#[test]
fn servers_of_two_hosts_are_added_to_a_file_with_comments() {
    let (user, _) = user_of_cursor();
    let own = "# mine\n[kernel]\nagent = \"ann\" # me\n\n[[servers]]\nid = \"time\"\ncommand = \"other\"\n";
    write(&user.own_configuration(), own.as_bytes());
    write(
        &user.home(".codex/config.toml"),
        b"[mcp_servers.same]\ncommand = \"uvx\"\nargs = [\"mcp-server-time\"]\n",
    );
    let (code, document) = user.json(&["connect", "--yes"]);
    assert_eq!((code, &document["servers"]), (0, &serde_json::json!(["time-2"])), "{document}");
    let text = read(&user.own_configuration());
    assert!(text.starts_with(own) && text.contains("agent = \"ann\"\nserver = \"time-2\""), "{text}");
    user.run(&["access", "list"]).succeeds();
}

#[test]
fn secrets_are_taken_over_and_never_shown() {
    let (user, path) = user_of_cursor();
    let file = r#"{"mcpServers": {"a": {"command": "x", "env": {"API_KEY": "hunter2-hunter2"}}}}"#;
    write(&path, file.as_bytes());
    let shown = user.run(&["connect", "--yes"]);
    assert!(!format!("{shown:?}").contains("hunter2"), "{shown:?}");
    assert!(read(&user.own_configuration()).contains("hunter2-hunter2"));
    for folder in ["home/.config/mgp/servers.toml", "state/connect"] {
        let mode = user.home("..").join(folder).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{folder}");
    }
}

#[test]
fn a_project_s_file_is_connected_only_when_asked() {
    let (user, _) = user_of_cursor();
    user.write(".mcp.json", CURSOR);
    let shown = user.run(&["connect", "--yes"]).stdout;
    assert!(shown.contains("mgp connect --project") && read(&user.path(".mcp.json")) == CURSOR, "{shown}");
    user.run(&["connect", "--project", "--yes", "claude-code"]).succeeds();
    assert!(read(&user.path(".mcp.json")).contains("\"type\": \"stdio\""));
    assert!(read(&user.path("mgp.toml")).contains("id = \"time\""));
    user.run(&["disconnect", "--yes", "claude-code"]).succeeds();
    assert_eq!(read(&user.path(".mcp.json")), CURSOR);
}

#[test]
fn a_file_in_utf_16_is_refused() {
    let (user, path) = user_of_cursor();
    let file: Vec<u8> = CURSOR.encode_utf16().flat_map(u16::to_le_bytes).collect();
    write(&path, &[&[0xff, 0xfe], &file[..]].concat());
    let refused = user.run(&["connect", "--yes"]);
    assert!(refused.code == 3 && refused.stderr.contains("line 1: it is not UTF-8"), "{refused:?}");
    assert!(!user.own_configuration().exists());
}

#[test]
fn unknown_and_absent_hosts_are_named() {
    let (user, _) = user_of_cursor();
    let unknown = user.run(&["connect", "--yes", "curser"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("'cursor'"), "{unknown:?}");
    let absent = user.run(&["connect", "--yes", "zed"]);
    assert!(absent.code == 5 && absent.stderr.contains("zed/settings.json"), "{absent:?}");
    let absent = user.run(&["disconnect", "--yes", "cursor"]);
    assert!(absent.code == 5 && absent.stderr.contains("Cursor is not connected"), "{absent:?}");
}

#[test]
fn an_entry_without_a_backup_is_taken_out() {
    let (user, path) = user_of_cursor();
    let file = "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"a\"},\n    \"mgp\": {\"command\": \"mgp\", \"args\": [\"serve\"]}\n  }\n}\n";
    write(&path, file.as_bytes());
    user.run(&["disconnect", "--yes"]).succeeds();
    assert_eq!(read(&path), "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"a\"}\n  }\n}\n");
    write(&path, b"{\"mcpServers\": {\"gateway\": {\"command\": \"/x/mgp\", \"args\": [\"serve\"]}}}");
    user.run(&["disconnect", "--yes"]).succeeds();
    assert!(!read(&path).contains("gateway"));
}

#[test]
fn an_older_backup_is_kept_when_a_host_drops_our_entry() {
    let (user, path) = user_of_cursor();
    user.run(&["connect", "--yes"]).succeeds();
    write(&path, b"{}");
    user.run(&["connect", "--yes"]).succeeds();
    let folder = user.home("../state/connect");
    let contents: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| read(&entry.unwrap().path())).collect();
    assert!(
        contents.iter().any(|content| content == CURSOR) && contents.iter().any(|content| content == "{}")
    );
    user.run(&["disconnect", "--yes"]).succeeds();
    assert_eq!(read(&path), "{}");
}

#[test]
fn an_entry_that_a_rule_makes_useless_needs_force() {
    let (user, cursor) = user_of_cursor();
    let (gemini, rules) = (user.home(".gemini/settings.json"), user.path("system.json"));
    write(&gemini, CURSOR.as_bytes());
    write(&rules, b"{\"mcp\": {\"allowed\": [\"theirs\"]}, /* ours */}");
    let run = |args: &[&str]| {
        let mut command = user.command(&[&["connect", "--yes"], args].concat());
        command.env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", &rules);
        crate::support::ended(command, "")
    };
    let refused = run(&[]).fails_with(3);
    let expected = format!("Gemini CLI would not use the entry: `mcp.allowed` in {}", rules.display());
    assert!(refused.stderr.contains(&expected) && refused.stderr.contains("--force"), "{refused:?}");
    assert!(read(&gemini) == CURSOR && read(&cursor).contains("\"serve\""), "one host does not stop others");
    let forced = run(&["gemini-cli", "--force"]).succeeds();
    assert!(forced.stdout.contains("the host does not use the entry: `mcp.allowed`"), "{forced:?}");
    assert!(read(&gemini).contains("\"serve\""));
    let again = run(&["gemini-cli"]).succeeds();
    assert!(again.stdout.contains("is there already") && again.stdout.contains("`mcp.allowed`"), "{again:?}");
}

#[test]
fn each_profile_of_vs_code_is_connected() {
    let user = User::new();
    let files = ["mcp.json", "profiles/work/mcp.json"];
    let files = files.map(|name| user.home(".config/Code/User").join(name));
    let servers = CURSOR.replace("mcpServers", "servers");
    files.iter().for_each(|file| write(file, servers.as_bytes()));
    user.run(&["connect", "vscode", "--yes"]).succeeds();
    for file in &files {
        assert!(read(file).contains("\"serve\""), "{}", file.display());
    }
    assert_eq!(read(&user.own_configuration()).matches("[[servers]]").count(), 1);
    user.run(&["disconnect", "vscode", "--yes"]).succeeds();
    assert!(files.iter().all(|file| read(file) == servers));
}
