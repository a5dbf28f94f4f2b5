//! Parts of the list of tools, and the report on one server.

use crate::support::User;
use serde_json::{Value, json};

fn names(listed: &Value) -> Vec<&str> {
    listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn a_list_has_the_tools_that_fit_in_parts() {
    let user = User::with_notes();
    let list = |options: &[&str]| {
        let (code, listed) = user.json(&[&["tools", "list"], options].concat());
        assert_eq!((code, &listed["servers"]), (0, &json!(["notes"])), "{listed}");
        listed
    };
    let all = list(&[]);
    let all_names = names(&all);
    let count = all_names.len();
    assert!(count >= 3, "{all}");
    assert_eq!((&all["fitting"], &all["available"]), (&json!(count), &json!(count)));
    let part = list(&["--server", "notes", "--skip", "1", "--most", "1"]);
    assert_eq!((names(&part), &part["fitting"]), (vec![all_names[1]], &json!(count)));
    assert_eq!(names(&list(&["--skip", "1000000"])), [""; 0]);
    let other = list(&["--server", "other"]);
    assert_eq!((names(&other).len(), &other["fitting"], &other["available"]), (0, &json!(0), &json!(count)));
    let safe = list(&["--risk-max", "safe"]);
    let tools = all["tools"].as_array().unwrap().iter();
    let expected: Vec<_> = tools.filter(|tool| tool["risk_level"] == "safe").collect();
    assert_eq!(safe["tools"].as_array().unwrap().iter().collect::<Vec<_>>(), expected);
    user.run(&["tools", "list", "--risk-max", "low"]).fails_with(2);
}
