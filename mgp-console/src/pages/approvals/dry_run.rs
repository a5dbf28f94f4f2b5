//! The judgement on a call that waits, as a dry run of it has it.

use super::questions::Questions;
use crate::{
    commands::CommandError,
    page::{Context, Nav},
    pages::judgement::{CallArguments, judgement},
};
use maud::{Markup, html};

/// Writes the judgement on the call of a question.
pub(super) async fn dry_run(context: &Context, id: &str) -> Result<Markup, CommandError> {
    let words = &context.texts.approvals;
    let shown: Questions = context.read(&["approve", "--show", "--", id]).await?;
    let unknown = || CommandError::new("not_found", words.no_call.clone());
    let call = shown.confirmations.first().ok_or_else(unknown)?;
    let arguments = CallArguments {
        agent: &call.agent_id,
        server: &call.server_id,
        tool: Some(&call.tool_name),
        arguments: Some(call.arguments.get()),
    };
    let judged = arguments.judge(context).await?;
    Ok(html! {
        h1 { (words.dry_run) }
        p { a href=(Nav::Approvals.path()) { (words.back) } }
        (judgement(context, &judged))
    })
}
