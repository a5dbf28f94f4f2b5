//! Calls that need confirmation.

use super::{arguments::beginning, pattern::pattern, questions::CallQuestion, short_id::short};
use crate::{
    actions::{APPROVE, DENY},
    form::link,
    page::{Context, Nav, Part, Submit, element_id, foreign, foreign_whole, time},
    texts::number,
};
use maud::{Markup, html};

/// The checked boxes of the page.
const CHECKED: &str = "input[name='id']:checked";

/// Writes the calls, and the buttons for several at once.
pub(super) fn calls(context: &Context, questions: &[CallQuestion]) -> Markup {
    let words = &context.texts.approvals;
    let part = Part::of(context, questions, "calls");
    html! {
        section aria-labelledby="call-questions" {
            h2 #call-questions { (words.calls) }
            @if part.rows.len() > 1 { (several(context)) }
            @for (at, question) in part.rows.iter().enumerate() {
                @if is_first_of_group(part.rows, at) { (group(context, part.rows, question)) }
                (call(context, question, part.rows.len() > 1))
            }
            (part.links(context, Nav::Approvals.path(), "calls"))
        }
    }
}

/// Writes the buttons for the calls that are checked.
fn several(context: &Context) -> Markup {
    let words = &context.texts.approvals;
    let approve = |label| Submit::new(&APPROVE, label).includes(CHECKED);
    html! {
        div .several role="group" aria-label=(words.several) {
            span .quiet .if-none { (words.several_help) }
            span .quiet .if-some { (words.several) }
            (approve(&words.approve_once).show(context))
            (approve(&words.approve_8h).field("for", "8h").show(context))
            (approve(&words.term_midnight).field("term", "midnight").show(context))
            (approve(&words.approve_session).field("term", "session").show(context))
            (Submit::new(&DENY, &words.deny).includes(CHECKED).show(context))
        }
    }
}

fn is_first_of_group(all: &[CallQuestion], at: usize) -> bool {
    all[at].group.is_some() && (at == 0 || all[at - 1].group != all[at].group)
}

/// Writes the head of calls of one tool in one session, with buttons for all of them. Each id is sent, so that later calls are not covered.
fn group(context: &Context, all: &[CallQuestion], first: &CallQuestion) -> Markup {
    let words = &context.texts.approvals;
    let ids: Vec<_> =
        all.iter().filter(|call| call.group == first.group).map(|call| &call.request_id).collect();
    let count = ids.len() as u64;
    let heading = element_id("group", &first.request_id);
    let own = |name: &str| element_id(name, &first.request_id);
    let (once, deny) = (own("group-once"), own("group-deny"));
    html! {
        form .group {
            h3 id=(heading) { (number(count, &words.group_one, &words.group_many)) " "
                (foreign(&first.server_id)) " " (foreign(&first.tool_name)) }
            @for id in &ids { input type="hidden" name="id" value=(id); }
            div .buttons {
                (Submit::new(&APPROVE, &words.approve_all_once).named_by(&once, &heading).show(context))
                (Submit::new(&DENY, &words.deny_all).named_by(&deny, &heading).show(context))
            }
        }
    }
}

fn call(context: &Context, question: &CallQuestion, with_box: bool) -> Markup {
    let words = &context.texts.approvals;
    let id = question.request_id.as_str();
    let heading = element_id("call", id);
    html! {
        article .question data-id=(id) aria-labelledby=(heading) {
            div .head {
                @if with_box { input type="checkbox" name="id" value=(id) aria-label=(words.choose) aria-describedby=(heading); }
                h3 id=(heading) { (foreign(&question.server_id)) " " (foreign(&question.tool_name)) }
                span .quiet { code { (short(id)) } }
            }
            dl {
                dt { (words.asked_by) } dd { (foreign(&question.agent_id)) }
                dt { (words.asked_at) } dd { (time(&question.asked_at)) }
                dt { (words.risk) } dd { span .state data-state=(question.risk) { (question.risk) } " " (foreign_whole(&question.reason)) }
                dt { (words.why) } dd {
                    @if let Some(intent) = &question.intent { (words.agent_says) " " (foreign(intent)) }
                    @else { span .quiet { (words.no_intent) } }
                }
                @if let Some(estimate) = &question.estimate { dt { (words.estimate) } dd { (foreign(estimate)) } }
                @if let Some(end) = &question.expires_at { dt { (words.forgotten) } dd { (time(end)) } }
                @if let Some(trace) = &question.trace_id {
                    dt { (words.trail) } dd { a href=(link(Nav::Trail.path(), "trace", trace)) { (words.trace) } }
                }
                dt { (words.arguments) } dd { (beginning(context, id, question.arguments.get())) }
            }
            (decisions(context, question, &heading))
            (dry_run(context, id))
            @if !question.every_time { (pattern(context, question, false)) }
        }
    }
}

fn decisions(context: &Context, question: &CallQuestion, heading: &str) -> Markup {
    let words = &context.texts.approvals;
    let id = question.request_id.as_str();
    let own = |name: &str| element_id(name, id);
    let [once, hours, midnight] = ["once", "hours", "midnight"].map(own);
    let [session, always, deny] = ["session", "always", "deny"].map(own);
    let approve = |label| Submit::new(&APPROVE, label);
    html! {
        form {
            input type="hidden" name="id" value=(id);
            div .buttons {
                (approve(&words.approve_once).named_by(&once, heading).show(context))
                @if !question.every_time {
                    (approve(&words.approve_8h).field("for", "8h").named_by(&hours, heading).show(context))
                    (approve(&words.term_midnight).field("term", "midnight").named_by(&midnight, heading).show(context))
                    (approve(&words.approve_session).field("term", "session").named_by(&session, heading).show(context))
                    (approve(&words.approve_always).field("term", "always").asks(&words.always_question)
                        .named_by(&always, heading).show(context))
                }
                (Submit::new(&DENY, &words.deny).named_by(&deny, heading).show(context))
            }
        }
        @if question.every_time { p .quiet { (words.every_time) } }
        @else { p .quiet { (words.exactly_these) } }
    }
}

/// Writes the place of a judgement on the call, which is read on request.
fn dry_run(context: &Context, id: &str) -> Markup {
    let words = &context.texts.approvals;
    let place = element_id("dry-run", id);
    let address = link(Nav::Approvals.path(), "dry-run", id);
    html! {
        div .more {
            a href=(address) hx-get=(address) hx-target=(format!("#{place}")) hx-select="#judgement, .error" hx-swap="innerHTML" { (words.dry_run) }
            div id=(place) aria-live="polite" {}
        }
    }
}
