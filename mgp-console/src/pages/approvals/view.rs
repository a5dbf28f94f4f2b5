//! The middle of the page.

use super::questions::{CallQuestion, PermissionQuestion, Questions, ServerQuestion};
use crate::{
    actions::{APPROVE, DENY},
    commands::CommandError,
    page::{Context, action_button, foreign, foreign_block, time},
};
use maud::{Markup, html};

/// Writes the page.
pub(crate) async fn approvals(context: Context) -> Result<Markup, CommandError> {
    let questions: Questions = context.read(&["approve"]).await?;
    let words = &context.texts.approvals;
    Ok(html! {
        h1 { (words.title) }
        @if questions.is_empty() { p .empty { strong { (words.nothing) } " " (words.nothing_help) } }
        @if !questions.confirmations.is_empty() {
            section aria-labelledby="calls" { h2 #calls { (words.calls) }
                @for question in &questions.confirmations { (call(&context, question)) } }
        }
        @if !questions.permissions.is_empty() {
            section aria-labelledby="permissions" { h2 #permissions { (words.permissions) }
                @for question in &questions.permissions { (permission(&context, question)) } }
        }
        @if !questions.servers.is_empty() {
            section aria-labelledby="servers" { h2 #servers { (words.servers) }
                @for question in &questions.servers { (server(&context, question)) } }
        }
        @if !questions.definitions.is_empty() {
            section aria-labelledby="definitions" { h2 #definitions { (words.definitions) }
                ul { @for changed in &questions.definitions { li {
                    (foreign(&changed.server_id)) " " (foreign(&changed.tool_name)) " " (time(&changed.listed_at))
                } } } }
        }
    })
}

fn call(context: &Context, question: &CallQuestion) -> Markup {
    let words = &context.texts.approvals;
    let id = ("id", question.request_id.as_str());
    html! {
        article .question data-id=(question.request_id) {
            h3 { (foreign(&question.server_id)) " " (foreign(&question.tool_name)) }
            dl {
                dt { (words.asked_by) } dd { (foreign(&question.agent_id)) " " (time(&question.asked_at)) }
                dt { (words.risk) } dd { span .state data-state=(question.risk) { (question.risk) } " " (foreign(&question.reason)) }
                @if let Some(intent) = &question.intent { dt { (words.why) } dd { (foreign(intent)) } }
                @if let Some(estimate) = &question.estimate { dt { "≈" } dd { (foreign(estimate)) } }
                dt { (words.arguments) } dd { (foreign_block(question.arguments.get())) }
            }
            div .buttons {
                (action_button(context, &APPROVE, &words.approve_once, &[id]))
                @if !question.every_time {
                    (action_button(context, &APPROVE, &words.approve_8h, &[id, ("for", "8h")]))
                    (action_button(context, &APPROVE, &words.approve_always, &[id, ("always", "1")]))
                }
                (action_button(context, &DENY, &words.deny, &[id]))
            }
        }
    }
}

fn permission(context: &Context, question: &PermissionQuestion) -> Markup {
    let words = &context.texts.approvals;
    let id = ("id", question.request_id.as_str());
    html! {
        article .question data-id=(question.request_id) {
            h3 { (foreign(&question.server_id)) " " code { (question.permission) } }
            dl {
                @if let Some(tool) = &question.tool_name { dt { (words.needed_for) } dd { (foreign(tool)) } }
                dt { (words.asked_at) } dd { (time(&question.asked_at)) }
            }
            div .buttons {
                (action_button(context, &APPROVE, &words.approve, &[id]))
                (action_button(context, &APPROVE, &words.approve_8h, &[id, ("for", "8h")]))
                (action_button(context, &APPROVE, &words.approve_always, &[id, ("always", "1")]))
                (action_button(context, &DENY, &words.deny, &[id]))
            }
        }
    }
}

fn server(context: &Context, question: &ServerQuestion) -> Markup {
    let words = &context.texts.approvals;
    let id = ("id", question.request_id.as_str());
    let asked_for = serde_json::to_string_pretty(&question.asked_for).unwrap_or_default();
    html! {
        article .question data-id=(question.request_id) {
            h3 { (foreign(&question.server_id)) }
            dl { dt { (words.asked_by) } dd { (foreign(&question.agent_id)) " " (time(&question.asked_at)) } }
            (foreign_block(&asked_for))
            div .buttons {
                (action_button(context, &APPROVE, &words.approve, &[id]))
                (action_button(context, &DENY, &words.deny, &[id]))
            }
        }
    }
}
