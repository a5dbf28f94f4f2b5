//! One server: its state, its buttons, and one of its views.

use super::{
    confinement::confinement, definitions::definitions, facts::facts, failure::with_last_error,
    history::history, log::server_log, offers::offers, report::Gateways, runs::runs, state::buttons,
};
use crate::{
    commands::CommandError,
    form::address,
    page::{Context, Nav, Tab, error_box, foreign, tabs},
};
use maud::{Markup, html};
use mgp_types::printable::quoted;

/// A view of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    Overview,
    Log,
    History,
    Confinement,
    Definitions,
}

impl View {
    const ALL: [Self; 5] = [Self::Overview, Self::Log, Self::History, Self::Confinement, Self::Definitions];

    /// Returns the value of the field `view`.
    const fn name(self) -> &'static str {
        match self {
            Self::Overview => "overview",
            Self::Log => "log",
            Self::History => "history",
            Self::Confinement => "confinement",
            Self::Definitions => "definitions",
        }
    }

    fn label(self, context: &Context) -> &str {
        let words = &context.texts.server;
        match self {
            Self::Overview => &words.overview,
            Self::Log => &words.log,
            Self::History => &words.history,
            Self::Confinement => &words.confinement,
            Self::Definitions => &words.definitions,
        }
    }
}

/// Writes the view of a server that the address names.
pub(super) async fn detail(context: &Context, id: &str) -> Result<Markup, CommandError> {
    let gateways: Gateways = context.read(&["status", "--tools", &format!("--server={id}")]).await?;
    let words = &context.texts.server;
    let found: Vec<_> = gateways.servers().filter(|(_, server)| server.id == id).collect();
    let Some((_, first)) = found.first() else {
        let message = words.unknown.replace("{name}", &quoted(id).to_string());
        let help = Some(words.unknown_help.clone());
        return Err(CommandError { help, ..CommandError::new("not_found", message) });
    };
    let first = with_last_error(context, first).await;
    let mut found = found.clone();
    found[0].1 = &first;
    let named = context.query.one("view");
    let view = View::ALL.into_iter().find(|view| Some(view.name()) == named).unwrap_or(View::Overview);
    let middle = match view {
        View::Overview => Ok(
            html! { (facts(context, &found)) (runs(context, &first).await) (offers(context, id, &gateways)) },
        ),
        View::Log => server_log(context, id).await,
        View::History => history(context, id).await,
        View::Confinement => confinement(context, id).await,
        View::Definitions => definitions(context, id).await,
    };
    Ok(html! {
        p .back { a href=(Nav::Servers.path()) { (words.all) } }
        div .title { h1 { (foreign(id)) } (buttons(context, &first)) }
        (tabs(&words.views, View::ALL.map(|item| tab(context, id, item, view))))
        (middle.unwrap_or_else(|error| error_box(context, &error)))
    })
}

fn tab<'a>(context: &'a Context, id: &str, view: View, shown: View) -> Tab<'a> {
    let name = if view == View::Overview { "" } else { view.name() };
    let address = address(Nav::Servers.path(), &[("id", id), ("view", name)]);
    Tab { title: view.label(context), address, is_current: view == shown }
}
