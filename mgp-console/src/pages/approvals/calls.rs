//! Calls that need confirmation.

use super::{arguments::beginning, questions::CallQuestion, short_id::short};
use crate::{
    actions::{APPROVE, DENY, PREVIEW},
    form::link,
    page::{Context, Nav, Part, Submit, action_form, element_id, foreign, sentence, time},
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
            (approve(&words.approve_session).field("session", "1").show(context))
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
                dt { (words.asked_by) } dd { (foreign(&question.agent_id)) " " (time(&question.asked_at)) }
                dt { (words.risk) } dd { span .state data-state=(question.risk) { (question.risk) } " " (foreign(&question.reason)) }
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
            @if !question.every_time { (pattern(context, id)) }
        }
    }
}

fn decisions(context: &Context, question: &CallQuestion, heading: &str) -> Markup {
    let words = &context.texts.approvals;
    let id = question.request_id.as_str();
    let own = |name: &str| element_id(name, id);
    let [once, hours, session, always, deny] = ["once", "hours", "session", "always", "deny"].map(own);
    let approve = |label| Submit::new(&APPROVE, label);
    html! {
        form {
            input type="hidden" name="id" value=(id);
            div .buttons {
                (approve(&words.approve_once).named_by(&once, heading).show(context))
                @if !question.every_time {
                    (approve(&words.approve_8h).field("for", "8h").named_by(&hours, heading).show(context))
                    (approve(&words.approve_session).field("session", "1").named_by(&session, heading).show(context))
                    (approve(&words.approve_always).field("always", "1").asks(&words.always_question)
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

/// Writes the form for calls with other arguments.
fn pattern(context: &Context, id: &str) -> Markup {
    let words = &context.texts.approvals;
    let own = |name: &str| element_id(name, id);
    let [like, term, time, place] = ["like", "term", "time", "preview"].map(own);
    let fields = html! {
        input type="hidden" name="id" value=(id);
        p { label for=(like) { (words.like) } textarea id=(like) name="like" rows="2" required spellcheck="false" placeholder="git log *" aria-describedby=(own("like-help")) {} }
        p .quiet id=(own("like-help")) { (sentence(&words.like_help)) }
        p { label for=(term) { (words.term) } (terms(context, &term)) }
        p { label for=(time) { (words.other_time) } input id=(time) name="for" size="8" placeholder="90m" autocomplete="off"; }
    };
    let preview = Submit::new(&PREVIEW, &words.preview).answers_in(&place).show(context);
    html! {
        details .more {
            summary { (words.pattern) }
            (action_form(context, (&APPROVE, &words.approve_pattern), None, &fields, &preview))
            div id=(place) aria-live="polite" {}
        }
    }
}

fn terms(context: &Context, id: &str) -> Markup {
    let words = &context.texts.approvals;
    html! {
        select id=(id) name="term" {
            option value="session" { (words.term_session) }
            option value="1h" { (words.term_1h) }
            option value="8h" selected { (words.term_8h) }
            option value="7d" { (words.term_7d) }
            option value="always" { (words.term_always) }
        }
    }
}
