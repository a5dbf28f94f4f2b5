//! Tests of the names.

use super::{Names, assign};
use mgp_types::context::ToolId;

fn exposed(names: &Names) -> Vec<String> {
    names.iter().map(|(name, tool)| format!("{tool} {name}")).collect()
}

#[test]
fn the_first_server_keeps_the_bare_name() {
    let names = assign([("one", vec!["read", "stat"]), ("two", vec!["read"]), ("three", vec!["read"])]);
    assert_eq!(
        exposed(&names),
        ["one.read read", "one.stat stat", "two.read two__read", "three.read three__read"]
    );
    for (called, tool) in [
        ("read", "one.read"),
        ("one__read", "one.read"),
        ("one__stat", "one.stat"),
        ("three__read", "three.read"),
    ] {
        assert_eq!(names.tool(called).unwrap().to_string(), tool);
    }
    assert_eq!(names.tool("four__read"), None);
    assert_eq!(&**names.name(&ToolId::new("two", "read")).unwrap(), "two__read");
}

#[test]
fn characters_that_hosts_refuse_become_underscores() {
    let names = assign([("a", vec!["x.y", "é/z"]), ("b", vec!["x_y", "x y"])]);
    assert_eq!(exposed(&names), ["a.x.y x_y_5c0867", "a.é/z __z", "b.x_y x_y", "b.x y x_y_fb41d0"]);
    assert_eq!(names.tool("a__x.y").unwrap().to_string(), "a.x.y");
}

#[test]
fn long_names_are_cut_and_stay_distinct() {
    let (first, second) = (format!("{}a", "n".repeat(80)), format!("{}b", "n".repeat(80)));
    let fits = "m".repeat(64);
    let names = assign([("s", [first.as_str(), &second, &fits])]);
    let lengths: Vec<usize> = names.iter().map(|(name, _)| name.len()).collect();
    assert_eq!(lengths, [64, 64, 64]);
    let mut unique: Vec<_> = names.iter().map(|(name, _)| name.clone()).collect();
    unique.dedup();
    assert_eq!(unique.len(), 3);
    assert_eq!(&**names.name(&ToolId::new("s", fits.as_str())).unwrap(), fits);
}

#[test]
fn every_name_is_valid_for_hosts_and_leads_to_its_tool() {
    let odd =
        ["a", "A b", "a__b", "日本語", "_", "-", "..", "b__t", "x".repeat(300).as_str()].map(str::to_owned);
    let tools: Vec<&str> = odd.iter().map(String::as_str).chain(["t"]).collect();
    let names = assign([("a", tools.clone()), ("b", tools.clone()), ("a.b", tools)]);
    assert_eq!(names.iter().count(), 30);
    for (name, tool) in names.iter() {
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        assert!((1..=64).contains(&name.len()) && name.chars().all(legal), "{name}");
        assert_eq!(names.tool(name), Some(tool), "{name}");
        assert_eq!(names.tool(&format!("{}__{}", tool.server_id, tool.tool_name)), Some(tool));
    }
}

#[test]
fn a_name_like_another_tool_s_full_name_does_not_take_its_calls() {
    let names = assign([("evil", vec!["bank__pay"]), ("bank", vec!["pay"])]);
    assert_eq!(exposed(&names), ["evil.bank__pay evil__bank__pay", "bank.pay pay"]);
    assert_eq!(names.tool("bank__pay").unwrap().to_string(), "bank.pay");
    let names = assign([("evil", vec!["bank_.pay"]), ("bank", vec![".pay"])]);
    assert_eq!(names.tool("bank__.pay").unwrap().to_string(), "bank..pay");
}

#[test]
fn the_kernel_s_own_names_and_duplicates_are_hidden() {
    let names = assign([("s", vec!["mgp_tools_call", "mgp.x", "MGP-y", "mgpé", "mgpx", "ok", "ok"])]);
    assert_eq!(exposed(&names), ["s.mgpx mgpx", "s.ok ok"]);
    let hidden: Vec<_> = names.conflicts().iter().map(|conflict| conflict.tool.to_string()).collect();
    assert_eq!(hidden, ["s.mgp_tools_call", "s.mgp.x", "s.MGP-y", "s.mgpé", "s.ok"]);
    assert!(names.conflicts().iter().all(|conflict| conflict.to_error().code == 4003));
    assert_eq!((names.tool("mgp_tools_call"), names.tool("s__mgp_tools_call")), (None, None));
}

#[test]
fn a_disconnected_server_keeps_its_names() {
    let up = assign([("one", vec!["read"]), ("two", vec!["read"])]);
    let again = assign([("one", vec!["read"]), ("two", vec!["read"]), ("new", vec!["read"])]);
    assert!(up.iter().all(|(name, tool)| again.name(tool) == Some(name)));
}
