//! The command or URL of a server, and the way to change it.

use super::configured::ConfiguredServer;
use crate::{
    form::address,
    page::{Context, Nav, foreign},
};
use maud::{Markup, html};
use mgp_types::lifecycle::{RegistrationReport, ServerReport};

/// The most arguments that are shown.
const MOST: usize = 100;

/// Returns the program, the arguments and the names of the variables of a server, with the way to change them.
pub(super) async fn runs(context: &Context, server: &ServerReport) -> Markup {
    let words = &context.texts.server;
    let (shown, change) = if server.registered {
        let registration = server.registration.clone().unwrap_or_default();
        let RegistrationReport { command, url, variables, .. } = &registration;
        let fields = [("view", "add"), ("from", "command"), ("change", server.id.as_str())];
        (facts(context, command, url.as_deref(), variables), address(Nav::Servers.path(), &fields))
    } else {
        match ConfiguredServer::find(context, &server.id).await {
            Some(ConfiguredServer { file, line, command, url, variables }) => {
                let place = address(Nav::Settings.path(), &[("file", &file)]);
                (facts(context, &command, url.as_deref(), &variables), format!("{place}#L{line}"))
            }
            None => (html! {}, Nav::Settings.path().to_owned()),
        }
    };
    html! {
        section .card aria-labelledby="runs" {
            div .title {
                h2 #runs { (words.runs) }
                a .button href=(change) { @if server.registered { (words.change) } @else { (words.change_in_settings) } }
            }
            (shown)
        }
    }
}

fn facts(context: &Context, command: &[String], url: Option<&str>, variables: &[String]) -> Markup {
    let words = &context.texts.server;
    html! {
        dl {
            (command_facts(context, command))
            @if let Some(url) = url { dt { (words.url) } dd { (foreign(url)) } }
            @if !variables.is_empty() { dt { (words.variables) } dd { (boxes(variables)) } }
        }
    }
}

/// Returns a program and its arguments, each in a box of its own, so that a wrong split of them is seen.
pub(super) fn command_facts(context: &Context, command: &[String]) -> Markup {
    let words = &context.texts.server;
    html! {
        @if let Some((program, arguments)) = command.split_first() {
            dt { (words.program) } dd { (boxes(std::slice::from_ref(program))) }
            dt { (words.arguments) } dd { @if arguments.is_empty() { (words.no_arguments) } @else { (boxes(arguments)) } }
        }
    }
}

fn boxes(texts: &[String]) -> Markup {
    html! {
        ol .boxes {
            @for text in texts.iter().take(MOST) { li { (foreign(text)) } }
            @if texts.len() > MOST { li { "… " (texts.len() - MOST) } }
        }
    }
}
