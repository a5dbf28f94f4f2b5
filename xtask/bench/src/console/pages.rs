//! The pages that are read.

use super::server::{server_id, tool_name};

/// Returns the addresses of all pages and of their views.
pub(super) fn pages() -> Vec<String> {
    let server = server_id(7);
    let tool = format!("{server}__{}", tool_name(42));
    let fixed = [
        "/now",
        "/approvals",
        "/approvals?view=decided",
        "/servers",
        "/servers?view=add",
        "/tools",
        "/tools?q=open+a+ticket",
        "/agents",
        "/agents?view=rules",
        "/agents?view=keys",
        "/agents?view=limits",
        "/agents?view=connect",
        "/agents?agent=agent-7",
        "/trail",
        "/trail?result=BLOCKED",
        "/trail?view=charts",
        "/settings",
        "/settings?view=doctor",
    ];
    let of_one = [
        format!("/servers?id={server}"),
        format!("/servers?id={server}&view=log"),
        format!("/servers?id={server}&view=history"),
        format!("/servers?id={server}&view=definitions"),
        format!("/tools?server={server}"),
        format!("/tools?name={tool}"),
        format!("/agents?view=explain&agent=agent-7&server={server}&tool={}", tool_name(42)),
        format!("/agents?view=matrix&server={server}"),
        format!("/trail?server={server}"),
        "/trail?agent=agent-7".to_owned(),
    ];
    fixed.map(str::to_owned).into_iter().chain(of_one).collect()
}
