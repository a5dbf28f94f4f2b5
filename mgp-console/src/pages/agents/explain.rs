//! The explanation of a decision on an agent.

use super::status::Status;
use crate::{
    commands::CommandError,
    page::{Context, Nav, error_box},
    pages::judgement::{CallArguments, judgement},
};
use futures_util::future::join;
use maud::{Markup, html};

/// Writes the form, and the answer if the address names an agent and a server.
pub(super) async fn explain(context: &Context) -> Result<Markup, CommandError> {
    let words = &context.texts.agents;
    let (agent, server) = (context.query.one("agent"), context.query.one("server"));
    let answer = async {
        match (agent, server) {
            (Some(agent), Some(server)) => Some(answer(context, agent, server).await),
            _ => None,
        }
    };
    let (status, answer) = join(Status::read(context), answer).await;
    let status = status.unwrap_or_default();
    Ok(html! {
        h2 { (words.explain) }
        p .quiet { (words.explain_help) }
        (explain_form(context, None, &status.servers()))
        @if let Some(answer) = answer { (answer) }
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
pub(super) fn explain_form(context: &Context, agent: Option<&str>, servers: &[&str]) -> Markup {
    let words = &context.texts.agents;
    let given = |name| context.query.one(name);
    html! {
        form .fields method="get" action=(Nav::Agents.path()) {
            input type="hidden" name="view" value="explain";
            @if let Some(agent) = agent { input type="hidden" name="agent" value=(agent); }
            @else { p { label for="explain-agent" { (words.agent) }
                input #explain-agent name="agent" required autocomplete="off" value=[given("agent")]; } }
            p { label for="explain-server" { (words.server) }
                input #explain-server name="server" required autocomplete="off" list="known-servers" value=[given("server")]; }
            datalist #known-servers { @for server in servers.iter().take(200) { option value=(server) {} } }
            p { label for="explain-tool" { (words.tool) }
                input #explain-tool name="tool" autocomplete="off" aria-describedby="explain-tool-help" value=[given("tool")]; }
            p #explain-tool-help .quiet { (words.explain_tool_help) }
            p { label for="explain-arguments" { (words.arguments) }
                textarea #explain-arguments name="arguments" rows="3" spellcheck="false" placeholder="{\"path\": \"/tmp\"}" { (given("arguments").unwrap_or_default()) } }
            div .buttons { button type="submit" { (words.ask) } }
        }
    }
}
