//! Programs of this machine that use the gateway, or could.

use crate::{
    actions::{CONNECT, DISCONNECT},
    commands::CommandError,
    form::{address, link},
    page::{Context, Nav, Submit, element_id, foreign, foreign_block},
};
use maud::{Markup, html};
use serde::Deserialize;

/// The most programs that are shown.
const HOSTS: usize = 100;

/// The answer of `mgp connect` and `mgp disconnect` with `--dry-run`.
#[derive(Debug, Deserialize)]
struct ConnectReport {
    #[serde(default)]
    file: Option<String>,
    #[serde(default)]
    servers: Vec<String>,
    hosts: Vec<HostReport>,
    #[serde(default)]
    remarks: Vec<String>,
}

/// The report on the file of a program.
#[derive(Debug, Deserialize)]
struct HostReport {
    host: String,
    file: String,
    state: String,
    #[serde(default)]
    difference: Vec<String>,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    help: Option<String>,
}

/// Writes the programs, each with the difference that the command would make.
pub(super) async fn connect(context: &Context) -> Result<Markup, CommandError> {
    let words = &context.texts.agents;
    if let Some(host) = context.query.one("disconnect") {
        return disconnect(context, host).await;
    }
    let report: ConnectReport = match context.read(&["connect", "--dry-run"]).await {
        Ok(report) => report,
        Err(error) if &*error.kind == "not_found" => {
            return Ok(html! { h2 { (words.connect) } p .empty { strong { (foreign(&error.message)) } " "
            @if let Some(help) = &error.help { (foreign(help)) } } });
        }
        Err(error) => return Err(error),
    };
    Ok(html! {
        h2 { (words.connect) }
        p .quiet { (words.connect_help) }
        @if let Some(file) = &report.file { p { (words.gateway_file) " " (foreign(file))
            @if !report.servers.is_empty() { " · " (words.servers_added) " " @for server in report.servers.iter().take(50) { (foreign(server)) " " } } } }
        @if !report.remarks.is_empty() { details { summary { (words.remarks) " (" (report.remarks.len()) ")" }
            ul { @for remark in report.remarks.iter().take(50) { li { (foreign(remark)) } } } } }
        @for (at, host) in report.hosts.iter().take(HOSTS).enumerate() { (one(context, host, at)) }
    })
}

fn one(context: &Context, host: &HostReport, at: usize) -> Markup {
    let words = &context.texts.agents;
    let [heading, own] = ["host", "connect"].map(|name| element_id(name, &at.to_string()));
    html! {
        article .question aria-labelledby=(heading) {
            div .head { h3 id=(heading) { (foreign(&host.host)) } (state(context, &host.state)) }
            p .quiet { (foreign(&host.file)) }
            @if let Some(reason) = &host.reason { p { (foreign(reason)) } }
            @if let Some(help) = &host.help { p .help { (foreign(help)) } }
            @if !host.difference.is_empty() { (foreign_block(&host.difference.join("\n"))) }
            @match host.state.as_str() {
                "planned" => form {
                    input type="hidden" name="host" value=(host.host);
                    div .buttons { (Submit::new(&CONNECT, &words.connect_it).named_by(&own, &heading).asks(&words.connect_question).show(context)) }
                },
                "already_connected" => p { a href=(address(Nav::Agents.path(), &[("view", "connect"), ("disconnect", &host.host)])) { (words.disconnect) } },
                _ => {}
            }
        }
    }
}

/// Writes the difference that puts a program's servers back.
async fn disconnect(context: &Context, host: &str) -> Result<Markup, CommandError> {
    let words = &context.texts.agents;
    let report: ConnectReport = context.read(&["disconnect", "--dry-run", "--", host]).await?;
    Ok(html! {
        p { a href=(link(Nav::Agents.path(), "view", "connect")) { (words.all_programs) } }
        h2 { (words.disconnect) " " (foreign(host)) }
        @for found in report.hosts.iter().take(HOSTS) {
            p .quiet { (foreign(&found.file)) }
            @if let Some(reason) = &found.reason { p { (foreign(reason)) } }
            (foreign_block(&found.difference.join("\n")))
        }
        form {
            input type="hidden" name="host" value=(host);
            div .buttons { (Submit::new(&DISCONNECT, &words.disconnect_it).asks(&words.disconnect_question).show(context)) }
        }
    })
}

fn state(context: &Context, state: &str) -> Markup {
    let words = &context.texts.agents;
    let (mark, text) = match state {
        "already_connected" | "connected" => ("SUCCESS", &words.is_connected),
        "planned" => ("BLOCKED", &words.is_not_connected),
        "failed" => ("FAILURE", &words.cannot_be_connected),
        _ => ("BLOCKED", &words.is_not_connected),
    };
    html! { span .state data-state=(mark) { (text) } }
}
