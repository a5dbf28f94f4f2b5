//! `mgp limits`: the limits of the configuration, with the units that were used.

use crate::support::{User, text};
use serde_json::json;
use std::fs;

/// Creates a user whose configuration has limits.
fn limited() -> User {
    let user = User::with_notes();
    let own = user.own_configuration();
    let limits = r#"
[limits.agents."*"]
requests_per_minute = 600
burst = 100
units_per_day = 20

[limits.servers.notes]
requests_per_minute = 300

[limits.tools."notes__*_notes"]
units_per_day = 9
per_agent = true

[limits.costs]
notes__list_notes = 3
"#;
    fs::write(&own, text(&own) + limits).unwrap();
    user
}

#[test]
fn used_units_are_shown_by_limit_and_caller() {
    let user = limited();
    let call = |agent: &str, tool: &str| user.run(&["--agent", agent, "call", tool, "{}"]).succeeds();
    for agent in ["local", "ben"] {
        user.run(&["access", "grant", agent, "notes"]).succeeds();
    }
    call("local", "list_notes");
    call("local", "notes_status");
    call("ben", "notes_status");
    let (_, shown) = user.json(&["limits"]);
    let [all, server, tools] = [0, 1, 2].map(|at| &shown["limits"][at]);
    let numbers = ["of", "name", "requests_per_minute", "burst", "units_per_day", "per_agent", "more"];
    let numbers = numbers.map(|name| all[name].clone());
    assert_eq!(json!(numbers), json!(["agents", "*", 600, 100, 20, false, 0]), "{shown}");
    let uses = |limit: &serde_json::Value| -> Vec<_> {
        let uses = limit["uses"].as_array().unwrap().iter();
        uses.map(|one| {
            assert!(one["resets_at"].as_str().unwrap().ends_with("T00:00:00Z"), "{shown}");
            json!([one["caller"], one["server_id"], one["tool_name"], one["units_today"]])
        })
        .collect()
    };
    assert_eq!(uses(all), [json!(["local", null, null, 4]), json!(["ben", null, null, 1])], "{shown}");
    assert_eq!((uses(server), &server["more"]), (Vec::new(), &json!(null)), "{shown}");
    assert_eq!(uses(tools), [json!(["local", "notes", "list_notes", 3])], "{shown}");
    assert_eq!(shown["costs"], json!([{ "tool": "notes__list_notes", "units": 3 }]));
    let (_, fewer) = user.json(&["limits", "--most", "1"]);
    assert_eq!((uses(&fewer["limits"][0]).len(), &fewer["limits"][0]["more"]), (1, &json!(1)), "{fewer}");
    let printed = user.run(&["limits", "--most", "1"]).succeeds().stdout;
    for expected in ["4 of 20", "local at notes__list_notes", "and 1 more of agents *"] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
}

#[cfg(feature = "postgres")]
#[test]
fn the_units_of_all_machines_are_counted_together() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let Some(url) = runtime.block_on(xtask_testing::postgres()) else { return };
    let users = [limited(), limited()];
    for user in &users {
        let own = user.own_configuration();
        fs::write(&own, format!("{}\n[store]\nurl = {}\n", text(&own), json!(url))).unwrap();
        user.run(&["call", "list_notes", "{}"]).succeeds();
    }
    let (_, shown) = users[0].json(&["limits"]);
    assert_eq!(shown["limits"][0]["uses"][0]["units_today"], 6, "{shown}");
}

#[test]
fn a_configuration_without_limits_has_none_to_show() {
    let user = User::with_notes();
    assert_eq!(user.json(&["limits"]).1, json!({ "limits": [], "costs": [] }));
    let output = user.run(&["limits"]).succeeds();
    assert!(
        output.stdout.is_empty() && output.stderr.contains("[limits] in the configuration"),
        "{output:?}"
    );
}
