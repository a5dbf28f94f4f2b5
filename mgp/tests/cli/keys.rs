//! `mgp keys`: keys for hosts over HTTP.

use crate::support::{User, text};

#[test]
fn a_new_key_is_shown_once_with_the_lines_that_let_it_in() {
    let user = User::with_notes();
    let made = user.run(&["keys", "new", "--id", "laptop", "--agent", "ci.bot"]).succeeds();
    let lines: Vec<_> = made.stdout.lines().collect();
    let key = lines.iter().find_map(|line| line.trim().strip_prefix("mgp_")).unwrap();
    assert_eq!(key.len(), 64, "{made:?}");
    let table = made.stdout.split_once("[[http.api_keys]]").unwrap().1;
    for line in ["id = \"laptop\"", "agent = \"ci.bot\""] {
        assert!(table.contains(line), "{made:?}");
    }
    assert!(!table.contains("admin"), "{made:?}");
    // Nothing of it is kept: two keys are two keys, and the state has neither.
    let (_, first) = user.json(&["keys", "new"]);
    let (_, second) = user.json(&["keys", "new"]);
    assert_ne!(first["key"], second["key"]);
    assert_eq!((&first["agent"], &first["admin"]), (&"local".into(), &false.into()));
    // The lines that it prints are a configuration that the program reads.
    let own = user.own_configuration();
    std::fs::write(&own, format!("{}\n[[http.api_keys]]{table}", text(&own))).unwrap();
    user.run(&["tools"]).succeeds();
}

#[test]
fn a_key_of_the_operator_s_says_so_and_a_wrong_name_is_refused() {
    let user = User::new();
    let made = user.run(&["keys", "new", "--admin"]).succeeds();
    assert!(made.stdout.contains("admin = true"), "{made:?}");
    for wrong in [["--id", ""], ["--agent", "a\nb"]] {
        user.run(&[&["keys", "new"], &wrong[..]].concat()).fails_with(2);
    }
}
