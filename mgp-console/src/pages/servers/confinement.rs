//! The confinement of a server's process, and the reasons for it.

use super::explanation::{ExplainedPart, Explanation, FileRule};
use crate::{
    commands::CommandError,
    page::{Context, foreign, foreign_whole},
};
use maud::{Markup, html};

/// The most files that are listed.
const MOST: usize = 500;

/// Returns the confinement of a server.
pub(super) async fn confinement(context: &Context, id: &str) -> Result<Markup, CommandError> {
    let explanation: Explanation = context.read(&["servers", "explain", "--", id]).await?;
    let words = &context.texts.server;
    let is_off = explanation.mode.as_deref() == Some("off");
    Ok(html! {
        section aria-labelledby="confinement" {
            h2 #confinement { (words.confinement) }
            @match &explanation.mode {
                None => p .empty { (words.no_process) },
                Some(mode) => {
                    div { span .state data-state=(if is_off { "restarting" } else { "connected" }) { (mode) } " " (foreign_whole(&explanation.reason)) }
                    p .quiet { (words.next_start) }
                },
            }
            (parts(context, &explanation, is_off))
        }
        @if explanation.mode.is_some() && !is_off { (files(context, &explanation.files)) }
    })
}

fn parts(context: &Context, explanation: &Explanation, is_off: bool) -> Markup {
    let Explanation { mode, private_folder, network, listening, limits, machine, secrets, .. } = explanation;
    let words = &context.texts.server;
    html! {
        dl {
            @if mode.is_some() && !is_off {
                @if let Some(folder) = private_folder { dt { (words.private_folder) } dd { (foreign(folder)) } }
                dt { (words.network) } dd { (part(network)) }
                dt { (words.listening) } dd { (part(listening)) }
                dt { (words.confined_by) } dd { (foreign(&machine.runner_in_words))
                    @if !machine.landlock.is_empty() { ", " (foreign(&machine.landlock)) } }
            }
            @if mode.is_some() { dt { (words.limits) } dd { (foreign(limits)) } }
            @if let Some(secrets) = secrets { dt { (words.secrets) } dd { (foreign(secrets)) } }
        }
        @for missing in &machine.missing { p .notice { (words.missing) " " (foreign(missing)) } }
    }
}

fn part(part: &ExplainedPart) -> Markup {
    html! { (foreign(&part.may)) @if !part.reason.is_empty() { " " div .quiet { (foreign_whole(&part.reason)) } } }
}

/// Returns the files, those with the same access for the same reason together.
fn files(context: &Context, files: &[FileRule]) -> Markup {
    let words = &context.texts.server;
    let shown = &files[..files.len().min(MOST)];
    let groups =
        shown.chunk_by(|first, second| (&first.access, &first.reason) == (&second.access, &second.reason));
    html! {
        section {
            h2 #files { (words.files) }
            div .scroll tabindex="0" role="region" aria-labelledby="files" { table {
                thead { tr { th scope="col" { (words.may) } th scope="col" { (words.reason) } th scope="col" { (words.files) } } }
                tbody { @for group in groups { tr {
                    th scope="row" { span .state data-state=(group[0].access) { (group[0].access) } }
                    td { (foreign_whole(&group[0].reason)) }
                    td .wide { ul .names { @for file in group { li { (foreign(&file.path)) } } } }
                } } }
            } }
            @if files.len() > MOST { p .quiet { (words.more_files.replace("{n}", &(files.len() - MOST).to_string())) } }
        }
    }
}
