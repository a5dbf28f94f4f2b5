//! `mgp access`: patterns, roles, and the reasons for a decision.

use crate::support::{User, text};
use serde_json::json;

/// A user with notes, whose configuration has a role.
fn user_with_a_role() -> User {
    let user = User::with_notes();
    let own = user.own_configuration();
    let roles = "\n[roles.reader]\ngrants = [{ server = \"n*\", tool = \"list_*\" }]\n\
        [roles.nobodys]\ngrants = []\n[[agents]]\nid = \"ci.bot\"\nroles = [\"reader\"]\n";
    std::fs::write(&own, text(&own) + roles).unwrap();
    user
}

#[test]
fn a_pattern_is_granted_shown_explained_and_removed() {
    let user = User::with_notes();
    let granted = user.run(&["access", "grant", "ben", "no*", "list_*"]).succeeds();
    assert_eq!(granted.stdout, "ben may use list_* of no*\n");
    assert!(
        !granted.stderr.contains("no server"),
        "a pattern may be for servers that come later: {granted:?}"
    );
    user.run(&["--agent", "ben", "call", "list_notes"]).succeeds();
    user.run(&["--agent", "ben", "call", "search_notes", r#"{"query":"x"}"#]).fails_with(4);
    let (code, found) = user.json(&["access", "explain", "ben", "notes", "list_notes", "--rules"]);
    assert_eq!((code, &found["source"], &found["granted_by"]), (0, &json!("tool_grant"), &json!("ann")));
    assert_eq!(found["rules"][0]["standing"], "decides");
    user.run(&["access", "explain", "ben", "notes", "search_notes", "--rules"]).fails_with(4);
    user.run(&["access", "revoke", "ben", "no*", "list_*"]).succeeds();
    user.run(&["access", "explain", "ben", "notes__list_notes", "--rules"]).fails_with(4);
}

#[test]
fn a_matrix_shows_each_agent_and_tool_with_its_reason() {
    let user = user_with_a_role();
    let none = user.run(&["access", "matrix", "--server", "notes"]).succeeds();
    assert!(none.stdout.is_empty() && none.stderr.contains("has listed no tools yet"), "{none:?}");
    user.run(&["servers"]).succeeds();
    user.run(&["access", "grant", "ben", "notes", "add_note"]).succeeds();
    let (code, matrix) = user.json(&["access", "matrix", "--server", "not"]);
    assert_eq!((code, &matrix["agents"]), (0, &json!(["ben", "ci.bot", "local"])), "{matrix}");
    let tools = matrix["tools"].as_array().unwrap();
    assert_eq!(
        (tools.len(), &matrix["agents_total"]),
        (matrix["tools_total"].as_u64().unwrap() as usize, &json!(3))
    );
    let at = |agent: usize, tool: &str| {
        let place = tools.iter().position(|found| found == tool).unwrap();
        matrix["cells"][agent][place].clone()
    };
    assert_eq!(at(0, "add_note"), json!({"permission": "allow", "source": "tool_grant"}));
    assert_eq!(at(0, "list_notes"), json!({"permission": "deny", "source": "default_policy"}));
    assert_eq!(
        (&at(1, "list_notes")["permission"], &at(1, "list_notes")["role"]),
        (&json!("allow"), &json!("reader"))
    );
    assert_eq!(at(2, "add_note")["source"], "server_grant");
    let (_, part) = user.json(&["access", "matrix", "--server=notes", "--agents-from=2", "--tools-from=1"]);
    assert_eq!((&part["agents"], &part["tools"][0]), (&json!(["local"]), &tools[1]), "{part}");
    let (_, one) = user.json(&["--agent", "ben", "access", "matrix", "--server=notes"]);
    assert_eq!(one["agents"], json!(["ben"]));
    user.run(&["access", "matrix", "--server", "nowhere"]).fails_with(5);
}

#[test]
fn roles_are_shown_with_their_agents_and_hold() {
    let user = user_with_a_role();
    let roles = user.run(&["access", "roles"]).succeeds().stdout;
    assert_eq!(
        roles,
        "ROLE    SERVER  TOOL    RULE\nreader  n*      list_*  allow\nnobodys is the role of nobody\nreader is the role of ci.bot\n"
    );
    assert_eq!(user.json(&["access", "roles"]).1["roles"][1]["agents"], json!(["ci.bot"]));
    let list = user.run(&["access", "list", "--agent", "ci.bot"]).succeeds().stdout;
    assert!(list.contains("ci.bot  n*      list_*  allow  never  role reader"), "{list}");
    user.run(&["--agent", "ci.bot", "call", "list_notes"]).succeeds();
    user.run(&["--agent", "ci.bot", "call", "search_notes", r#"{"query":"x"}"#]).fails_with(4);
    let shown = user.run(&["tools", "show", "list_notes"]).succeeds().stdout;
    assert!(shown.contains("  ci.bot  allow  tool_grant of role reader"), "{shown}");
}

#[test]
fn an_explanation_names_all_rules_and_the_gates_behind_them() {
    let user = user_with_a_role();
    user.run(&["access", "grant", "ci.bot", "notes", "add_note"]).succeeds();
    user.run(&["access", "grant", "ci.bot", "notes", "--deny"]).succeeds();
    let shown = user.run(&["access", "explain", "ci.bot", "add_note"]).succeeds().stdout;
    for line in [
        "allow (tool_grant): a rule of the agent decides, made by ann\n",
        "OF           SERVER  TOOL      RULE   ENDS   AND\n",
        "agent        notes   add_note  allow  never  decides\n",
        "agent        notes   (all)     deny   never  a rule that takes precedence decides\n",
        "role reader  n*      list_*    allow  never  is about other tools\n",
        "gates behind access control:\n",
        "risk            moderate (its server says so)\n",
        "permissions\n  memory.write is deferred: `mgp approve notes memory.write`\nvalidators      none\n",
        "confirmation    nobody is asked: the tool is moderate (its server says so), \
         and calls of such tools need no confirmation (servers[].mgp.confirmation)\n",
        "limits          none\n",
        "call with {}    ",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let (code, found) = user.json(&["access", "explain", "ci.bot", "notes", "add_note"]);
    assert_eq!(code, 0);
    assert_eq!(
        (&found["tool_name"], &found["gates"]["permissions"][0]["state"], &found["rules"][1]["standing"]),
        (&json!("add_note"), &json!("deferred"), &json!("overridden"))
    );
    // A dry run would conceal the tool, and a call is refused with the rule.
    user.run(&["access", "grant", "ci.bot", "notes", "delete_note", "--deny"]).succeeds();
    let denied = user.run(&["access", "explain", "ci.bot", "delete_note"]).fails_with(4).stdout;
    let rule = "call with {}    refused (1001): agent \"ci.bot\" may not call tool \"delete_note\" (decided by tool_grant)";
    assert!(denied.contains(rule), "{denied}");
    let incomplete = user.run(&["access", "explain", "ci.bot", "add_note"]).succeeds().stdout;
    assert!(incomplete.contains("; name the arguments after the tool to judge a call"), "{incomplete}");
    let (code, found) = user.json(&["access", "explain", "ci.bot", "notes"]);
    assert_eq!((code, &found["source"], &found["tool_name"]), (4, &json!("server_grant"), &json!(null)));
    let (_, found) = user.json(&["access", "explain", "other", "notes", "--rules"]);
    assert_eq!(found["reason"], "no rule is about it, so the server's default policy opt-in decides");
    let absent = user.run(&["access", "explain", "ci.bot", "notes", "no_such_tool"]).fails_with(4);
    assert!(absent.stderr.contains("only the rules are known"), "{absent:?}");
    user.run(&["access", "explain", "ci.bot", "no_such_tool"]).fails_with(5);
    let unknown = user.run(&["access", "explain", "ci.bot", "nowhere", "--rules"]).fails_with(4);
    assert!(unknown.stdout.contains("there is no server nowhere"), "{unknown:?}");
}

#[test]
fn an_explanation_of_a_call_predicts_the_finding_of_each_gate() {
    let user = User::with_notes();
    let own = user.own_configuration();
    let more = "\n[servers.mgp]\nvalidators = { search_notes = \"network_restricted\" }\nconfirmation = \"moderate\"\n\
                [limits.agents.\"*\"]\nrequests_per_minute = 30\n";
    std::fs::write(&own, text(&own) + more).unwrap();
    let explain = ["access", "explain", "local", "search_notes", r#"{"text":"http://127.0.0.1/"}"#];
    let shown = user.run(&explain).succeeds().stdout;
    let mut from = 0;
    // In this order.
    for line in [
        "allow (server_grant): ",
        "permissions     none\n",
        "validators      network_restricted\n  network_restricted refuses: ",
        "confinement     none: the server and all that it starts may do whatever this account may (",
        "A validator is advice, and confinement is the wall: a validator reads one call, and does not see what a file does that one call \
         writes and the next one runs\n",
        "confirmation    somebody is asked: the tool is moderate (the validator network_restricted has to read its calls)",
        "limits\n  limits.agents.\"*\".requests_per_minute allows agent \"local\" 30 requests a minute\n",
        "this call now   refused (1010): ",
    ] {
        let at = shown[from..].find(line).unwrap_or_else(|| panic!("{line}: {shown}"));
        from += at;
    }
    let (code, found) = user.json(&explain);
    assert_eq!((code, &found["gates"]["answers"][0]["answer"]), (0, &json!("refuses")), "{found}");
    assert_eq!(found["call"]["allowed"], false, "{found}");
    assert!(found["gates"]["confinement"].as_str().unwrap().starts_with("none: "), "{found}");
    let (_, unread) = user.json(&["access", "explain", "local", "list_notes"]);
    assert_eq!(unread["gates"].get("confinement"), None, "no validator reads its calls: {unread}");
    // The sentence of the question that a call leads to is the one of the explanation.
    let asked = found["call"]["would_ask"][0]["reason"].as_str().unwrap();
    assert_eq!(found["gates"]["asked"], format!("somebody is asked: {asked}"));
    let twice = user.run(&[&explain[..], &["--arguments", "{}"]].concat()).fails_with(2);
    assert!(twice.stderr.contains("given twice"), "{twice:?}");
}

#[test]
fn a_misspelt_name_is_asked_about() {
    let user = User::with_notes();
    // The tools are known from now on.
    user.run(&["tools"]).succeeds();
    for (args, code, expected) in [
        (
            &["access", "grant", "lcoal", "noets"][..],
            0,
            &[
                "nothing names an agent \"lcoal\" yet: did you mean \"local\"?",
                "did you mean \"notes\"? the rule takes effect",
            ][..],
        ),
        (
            &["access", "grant", "local", "notes", "add_notes"],
            0,
            &["server \"notes\" has listed no tool \"add_notes\": did you mean \"add_note\"?"],
        ),
        (&["--agent", "locla", "keys", "add", "laptop"], 0, &["did you mean \"local\"?"]),
        (&["keys", "revoke", "latpop"], 5, &["did you mean \"laptop\"?"]),
        (&["servers", "explain", "noets"], 5, &["did you mean \"notes\"?"]),
        (&["tools", "show", "notes.list_notes"], 5, &["did you mean \"notes__list_notes\"?"]),
        (&["call", "notes.list_notes"], 5, &["did you mean \"notes__list_notes\"?"]),
        (&["call", "mcp__mgp__list_notes"], 5, &["did you mean \"list_notes\"?"]),
        (&["init", "--from", "claude_desktop"], 5, &["did you mean \"claude-desktop\"?"]),
    ] {
        let ended = user.run(args).fails_with(code);
        for expected in expected {
            assert!(ended.stderr.contains(expected), "{expected}: {ended:?}");
        }
    }
    for (args, noted) in [
        (
            ["access", "grant", "stranger", "notes", "list_notes"],
            "nothing names an agent \"stranger\" yet: the rule takes",
        ),
        (
            ["access", "grant", "stranger", "notes", "play_chess"],
            "has listed no tool \"play_chess\": the rule takes effect",
        ),
        (["access", "grant", "stranger", "notes", "list_*"], ""),
    ] {
        let granted = user.run(&args).succeeds().stderr;
        assert!(granted.contains(noted) && (!noted.is_empty() || granted.is_empty()), "{args:?}: {granted}");
    }
}

#[test]
fn an_open_default_policy_is_reported_to_open_only_tools() {
    let user = User::new();
    user.write("mgp.toml", "[[servers]]\nid = \"a\"\ncommand = \"x\"\ndefault_policy = \"opt-out\"\n");
    let explained = user.run(&["--trust", "access", "explain", "local", "a", "--rules"]).succeeds();
    for expected in ["it opens only tools", "`mgp access grant local a`"] {
        assert!(explained.stdout.contains(expected), "{explained:?}");
    }
}

#[test]
fn a_rule_s_server_can_be_given_by_the_beginning_of_its_id() {
    let user = User::with_notes();
    user.run(&["access", "grant", "ben", "notes", "list_notes"]).succeeds();
    for (more, code, tool) in [
        (&["list_notes", "--rules"][..], 0, json!("list_notes")),
        (&["list_notes"], 0, json!("list_notes")),
        (&["--rules"], 4, json!(null)),
        (&[], 4, json!(null)),
    ] {
        let (ended, found) = user.json(&[&["access", "explain", "ben", "not"], more].concat());
        let shown = (ended, &found["server_id"], &found["tool_name"]);
        assert_eq!(shown, (code, &json!("notes"), &tool), "{more:?}: {found}");
    }
    let revoked = user.run(&["access", "revoke", "ben", "not", "list_notes"]).succeeds().stdout;
    assert!(revoked.contains("list_notes of notes"), "{revoked}");
}

#[test]
fn a_rule_applies_only_to_the_given_server() {
    let user = User::with_notes();
    let later = user.run(&["access", "grant", "ben", "not"]).succeeds();
    assert_eq!(later.stdout, "ben may use every tool of not\n");
    let none = user.run(&["access", "revoke", "ann", "no"]).fails_with(5);
    assert!(none.stderr.contains("there is no rule for ann and no"), "{none:?}");
}

#[test]
fn an_ambiguous_beginning_changes_no_rule() {
    let user = User::with_notes();
    user.run(&["servers", "add", "notebook", "--url", "http://127.0.0.1:1"]).succeeds();
    for server in ["notes", "notebook"] {
        user.run(&["access", "grant", "ben", server]).succeeds();
    }
    for args in [
        &["revoke", "ben", "not"][..],
        &["explain", "ben", "not", "--rules"],
        &["explain", "ben", "not", "list_notes"],
    ] {
        let unclear = user.run(&[&["access"], args].concat()).fails_with(5);
        assert!(unclear.stderr.contains("several servers begin with \"not\""), "{args:?}: {unclear:?}");
    }
    let rules = user.run(&["access", "list", "--agent", "ben"]).succeeds().stdout;
    assert!(rules.contains("notes") && rules.contains("notebook"), "{rules}");
}
