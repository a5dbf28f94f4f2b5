//! A sentence on a changed rule, for the message about the change.

use super::access::Entry;
use crate::{
    actions::REVOKE,
    page::{Context, NamedButton, foreign, named_button, time},
};
use maud::{Markup, html};

/// Returns who may use what until when, with the way to take it back.
pub(crate) fn rule_outcome(context: &Context, is_removed: bool, json: &str) -> Option<Markup> {
    let words = &context.texts.agents;
    let rule: Entry = serde_json::from_str(json).ok()?;
    let judged = &context.texts.judgement;
    let (mark, decision) = match rule.permission.as_deref() {
        Some("allow") => ("SUCCESS", &judged.may),
        Some("deny") => ("FAILURE", &judged.may_not),
        _ => ("BLOCKED", &words.unreadable),
    };
    let tool = rule.tool_name.as_deref();
    let mut fields = vec![("agent", rule.agent_id.as_str()), ("server", rule.server_id.as_str())];
    fields.extend(tool.map(|tool| ("tool", tool)));
    let button = NamedButton { label: &words.take_back, of: &rule.agent_id, confirm: None, target: None };
    Some(html! {
        p {
            @if is_removed { (words.rule_removed) " " }
            (foreign(&rule.agent_id)) " " span .state data-state=(mark) { (decision) } " " (foreign(&rule.server_id)) " "
            @if let Some(tool) = tool { (foreign(tool)) } @else { (words.whole_server) }
            @if let Some(end) = rule.expires_at.as_deref().filter(|_| !is_removed) { " · " (words.until) " " (time(end)) }
        }
        @if !is_removed { (named_button(context, &REVOKE, button, &fields)) }
    })
}
