//! The form that makes a rule.

use super::known::server_field;
use crate::{
    actions::GRANT,
    form::address,
    page::{Context, Nav, action_form, element_id, plain, sentence, term_fields},
};
use maud::{Markup, html};

/// The value of the field `rule` that allows, and the one that forbids.
pub(super) const ALLOW: &str = "allow";
const FORBID: &str = "deny";

/// Writes the form, filled in from the address. The lists of names are elsewhere on the page.
pub(super) fn rule_form(context: &Context, agent: Option<&str>) -> Markup {
    let words = &context.texts.agents;
    let terms = &context.texts.approvals;
    let given = |name| context.query.one(name);
    let rules = [(ALLOW, &words.may), (FORBID, &words.may_not)];
    let choices = [
        ("always", terms.term_always.as_str()),
        ("midnight", &terms.term_midnight),
        ("1h", &terms.term_1h),
        ("8h", &terms.term_8h),
        ("7d", &terms.term_7d),
    ];
    let fields = html! {
        @if let Some(agent) = agent { input type="hidden" name="agent" value=(agent); }
        @else { p { label for="grant-agent" { (words.agent) }
            input #grant-agent name="agent" required autocomplete="off" maxlength="256" list="known-agents" value=[given("agent")]; } }
        p { label for="grant-server" { (words.server) } (server_field("grant-server", given("server"), Some("grant-help"))) }
        p { label for="grant-tool" { (words.tool) }
            input #grant-tool name="tool" autocomplete="off" list="known-tools" aria-describedby="grant-help" value=[given("tool")]; }
        p #grant-help .quiet { (sentence(&words.grant_help)) }
        fieldset .choice { legend { (words.rule) }
            @for (value, label) in rules {
                label .check { input type="radio" name="rule" value=(value) required checked[given("rule") == Some(value)]; " " (label) }
            } }
        (term_fields(context, |name| element_id("grant", name), &choices, "always"))
        p { label for="grant-reason" { (words.reason) } input #grant-reason name="reason" autocomplete="off"; }
        div #rule-doubt {}
    };
    html! {
        // A question about the fields is about them as they were.
        section #new-rule aria-labelledby="grant" data-clears="rule-doubt" {
            h2 #grant { (words.new_rule) }
            (action_form(context, (&GRANT, &words.make_rule), None, &fields, &html! {}))
        }
    }
}

/// Returns the links to the form, filled in for a call: one that allows it, and one that forbids it.
pub(crate) fn rule_links(context: &Context, agent: &str, server: &str, tool: Option<&str>) -> Markup {
    let words = &context.texts.judgement;
    let links = [(ALLOW, &words.allow), (FORBID, &words.forbid)].map(|(rule, label)| {
        let fields = [
            ("view", "rules"),
            ("agent", agent),
            ("server", server),
            ("tool", tool.unwrap_or_default()),
            ("rule", rule),
        ];
        (format!("{}#new-rule", address(Nav::Agents.path(), &fields)), label)
    });
    html! {
        @for (address, label) in links { a .button href=(address) aria-label=(format!("{label}: {}", plain(agent))) { (label) } " " }
    }
}
