//! Tools that wait for permissions.

use super::{Context, Nav, foreign};
use crate::texts::number;
use maud::{Markup, html};
use mgp_types::permission::WaitingTools;

/// The most permissions that are named.
const MAX_NAMED: usize = 3;

/// Returns a sentence about the tools of a server that wait for permissions, with the way to decide on them.
pub(crate) fn waiting_tools(context: &Context, waiting: &WaitingTools) -> Markup {
    let common = &context.texts.common;
    let WaitingTools { server_id, tools, permissions } = waiting;
    html! {
        (foreign(server_id)) ": " (number(*tools, &common.tools_wait_one, &common.tools_wait_many))
        @for one in permissions.iter().take(MAX_NAMED) { " " (foreign(&one.permission)) }
        @if permissions.len() > MAX_NAMED { " " (common.and_more.replace("{n}", &(permissions.len() - MAX_NAMED).to_string())) }
        " · " a href=(Nav::Approvals.path()) { (common.decide) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::context;

    #[test]
    fn waiting_tools_lead_to_the_page_that_decides_on_them() {
        let json = r#"{"server_id": "notes", "tools": 2, "permissions": [
            {"permission": "memory.<b>", "request_id": "perm-1", "state": "deferred"}]}"#;
        let shown = waiting_tools(&context(), &serde_json::from_str(json).unwrap()).into_string();
        assert!(shown.contains("2 tools wait") && shown.contains("memory.&lt;b&gt;"), "{shown}");
        assert!(shown.contains("/approvals") && !shown.contains("mgp approve"), "{shown}");
    }
}
