//! The explanation of a decision on an agent.

use super::known::{KnownNames, server_field};
use crate::{
    commands::CommandError,
    page::{Context, Nav, error_box},
    pages::judgement::{CallArguments, judgement},
};
use futures_util::future::join;
use maud::{Markup, html};

/// Writes the form. If the address names an agent and a server, the answer comes first, and the form is folded below it.
pub(super) async fn explain(context: &Context) -> Result<Markup, CommandError> {
    let words = &context.texts.agents;
    let (agent, server) = (context.query.one("agent"), context.query.one("server"));
    let answer = async {
        match (agent, server) {
            (Some(agent), Some(server)) => Some(answer(context, agent, server).await),
            _ => None,
        }
    };
    // With an answer, the folded form reads the tools when its server is changed.
    let is_answered = agent.is_some() && server.is_some();
    let (known, answer) = join(KnownNames::read(context, !is_answered), answer).await;
    let form = html! {
        p .quiet { (words.explain_help) }
        (known.unwrap_or_default().lists())
        (explain_form(context, None))
    };
    Ok(html! {
        h2 { (words.explain) }
        @if let Some(answer) = answer {
            (answer)
            details .more { summary { (words.ask_again) } (form) }
        } @else { (form) }
    })
}

/// Returns the answer of the command, or its error next to the form.
async fn answer(context: &Context, agent: &str, server: &str) -> Markup {
    let query = &context.query;
    let arguments =
        CallArguments { agent, server, tool: query.one("tool"), arguments: query.one("arguments") };
    match arguments.judge(context).await {
        Ok(judged) => {
            html! { section .question aria-label=(context.texts.agents.answer) { (judgement(context, &judged)) } }
        }
        Err(error) => error_box(context, &error),
    }
}

/// Writes the form of the question.
pub(super) fn explain_form(context: &Context, agent: Option<&str>) -> Markup {
    let words = &context.texts.agents;
    let given = |name| context.query.one(name);
    html! {
        form .fields method="get" action=(Nav::Agents.path()) {
            input type="hidden" name="view" value="explain";
            @if let Some(agent) = agent { input type="hidden" name="agent" value=(agent); }
            @else { p { label for="explain-agent" { (words.agent) }
                input #explain-agent name="agent" required autocomplete="off" list="known-agents" value=[given("agent")]; } }
            p { label for="explain-server" { (words.server) } (server_field("explain-server", given("server"), None)) }
            p { label for="explain-tool" { (words.tool) }
                input #explain-tool name="tool" autocomplete="off" list="known-tools" aria-describedby="explain-tool-help" value=[given("tool")]; }
            p #explain-tool-help .quiet { (words.explain_tool_help) }
            p { label for="explain-arguments" { (words.arguments) }
                textarea #explain-arguments name="arguments" rows="3" spellcheck="false" placeholder="{\"path\": \"/tmp\"}" { (given("arguments").unwrap_or_default()) } }
            div .buttons { button type="submit" { (words.ask) } }
        }
    }
}
