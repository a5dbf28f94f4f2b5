//! The middle of the page.

use super::{
    arguments::whole, calls::calls, decided::decided, definitions::definitions, dry_run::dry_run,
    permissions, questions::Questions, servers::servers,
};
use crate::{
    commands::CommandError,
    page::{Context, Nav, view_tabs},
};
use maud::{Markup, html};

/// Writes the page, or one of its views.
pub(crate) async fn approvals(context: Context) -> Result<Markup, CommandError> {
    if let Some(id) = context.query.one("call") {
        return whole(&context, id).await;
    }
    if let Some(id) = context.query.one("dry-run") {
        return dry_run(&context, id).await;
    }
    let words = &context.texts.approvals;
    let is_decided = context.query.one("view") == Some("decided");
    let middle = if is_decided { decided(&context).await? } else { open(&context).await? };
    let views = [("", words.open_tab.as_str()), ("decided", words.decided_tab.as_str())];
    Ok(html! {
        h1 { (words.title) }
        (view_tabs(&context, Nav::Approvals.path(), &words.views, &views))
        (middle)
    })
}

/// Writes the open questions.
async fn open(context: &Context) -> Result<Markup, CommandError> {
    let questions: Questions = context.read(&["approve"]).await?;
    let words = &context.texts.approvals;
    Ok(html! {
        p #stale .stale role="status" hidden data-shown=(questions.mark()) { (words.stale) " " button type="button" data-renew="" { (words.renew) } }
        div data-renewed="" hx-get=[Some("")] hx-trigger="questions from:body" hx-select="#page" hx-target="#page" hx-swap="outerHTML" {}
        p { button type="button" #notify hidden { (words.notify) } span #notify-state .quiet role="status"
            data-on=(words.notify_on) data-off=(words.notify_off) {} }
        @if questions.is_empty() { p .empty { strong { (words.nothing) } " " (words.nothing_help) } }
        @if !questions.confirmations.is_empty() { (calls(context, &questions.confirmations)) }
        @if !questions.permissions.is_empty() { (permissions::permissions(context, &questions.permissions)) }
        @if !questions.servers.is_empty() { (servers(context, &questions.servers)) }
        @if !questions.definitions.is_empty() { (definitions(context, &questions.definitions)) }
        (permissions::unreadable(context, &questions.unreadable))
    })
}
