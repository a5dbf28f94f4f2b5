//! The reason why a server is not connected: what would help first, then the whole error.

use crate::{
    form::address,
    page::{Context, Nav, foreign_block},
};
use maud::{Markup, html};
use mgp_types::{
    audit::AuditEvent,
    lifecycle::{ServerReport, ServerState},
};
use serde::Deserialize;

/// The beginnings of the part of an error that says what would help.
const REMEDIES: [&str; 2] = ["; confined, it may ", "; the gateway refused its connection "];
/// The beginning of the part that names the command for the confinement, which has a page.
const EXPLAINED: &str = "; `mgp servers explain ";

/// An error of a start, in its parts.
#[derive(Debug, PartialEq, Eq)]
struct Failure<'a> {
    error: &'a str,
    /// The refusal of the confinement, and the setting that would allow it.
    remedy: Option<&'a str>,
    is_confined: bool,
}

impl<'a> Failure<'a> {
    fn of(reason: &'a str) -> Self {
        let (rest, is_confined) = match reason.rfind(EXPLAINED) {
            Some(at) => (&reason[..at], true),
            None => (reason, false),
        };
        let remedy = REMEDIES.iter().filter_map(|start| rest.rfind(start)).max().filter(|_| is_confined);
        match remedy {
            Some(at) => Self { error: &rest[..at], remedy: Some(&rest[at + "; ".len()..]), is_confined },
            None => Self { error: rest, remedy: None, is_confined },
        }
    }
}

/// The output of `mgp audit`.
#[derive(Debug, Deserialize)]
struct Events {
    events: Vec<AuditEvent>,
}

/// Returns the report on a server; on one that starts again and again, with the latest error as the reason, which the start hides.
pub(super) async fn with_last_error(context: &Context, server: &ServerReport) -> ServerReport {
    let mut server = server.clone();
    if server.restarts > 0 && server.state == ServerState::Connecting {
        let of_server = format!("--server={}", server.id);
        let command = ["audit", "--last=1", "--type=SERVER_DISCONNECTED", &of_server];
        let events = context.read::<Events>(&command).await.map(|read| read.events).unwrap_or_default();
        let reason = events.last().and_then(|event| event.details.as_ref()?.text("reason"));
        server.reason = reason.unwrap_or(server.reason);
    }
    server
}

/// Returns the reason with what would help in front, and the way to the confinement.
pub(super) fn failure(context: &Context, id: &str, reason: &str) -> Markup {
    let words = &context.texts.server;
    let Failure { error, remedy, is_confined } = Failure::of(reason);
    let confinement = address(Nav::Servers.path(), &[("id", id), ("view", "confinement")]);
    html! {
        @if let Some(remedy) = remedy { p { strong { (words.remedy) } } (foreign_block(remedy)) }
        @if is_confined { p { a href=(confinement) { (words.what_it_may) } } }
        @if remedy.is_some() { p { (words.error) } }
        (foreign_block(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::context;

    const REASON: &str = "failed to shake hands: exit status: 126; it last wrote to stderr: /a: Permission denied; confined, it may not use /a: \
        confinement.execute opens it, unless a script starts it: then name the program itself as `command`; `mgp servers explain hg` shows what it may do";

    #[test]
    fn the_remedy_comes_first() {
        let shown = failure(&context(), "hg", REASON).into_string();
        let [remedy, link, error] =
            ["confinement.execute opens it", "/servers?id=hg&amp;view=confinement", "failed to shake"]
                .map(|part| shown.find(part).unwrap_or_else(|| panic!("{part}: {shown}")));
        assert!(remedy < link && link < error, "{shown}");
        assert!(!shown.contains("mgp servers explain"), "{shown}");
    }

    #[test]
    fn another_error_is_shown_as_it_is() {
        let text = "no such file; confined, it may <b>";
        assert_eq!(Failure::of(text), Failure { error: text, remedy: None, is_confined: false });
        let shown = failure(&context(), "hg", text).into_string();
        assert!(!shown.contains("confinement") && shown.contains("&lt;b&gt;"), "{shown}");
        let known = Failure::of("it ended; `mgp servers explain hg` shows what it may do");
        assert_eq!(known, Failure { error: "it ended", remedy: None, is_confined: true });
    }
}
