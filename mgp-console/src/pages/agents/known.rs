//! The names that forms offer: of agents, servers and tools.

use super::{
    access::{AccessList, KeyList},
    people::{Events, people},
    status::Status,
};
use crate::{commands::CommandError, page::Context};
use futures_util::future::join3;
use maud::{Markup, html};

/// The most names of each kind that a form offers.
const OFFERED: usize = 500;

/// The names of agents and servers, and of the tools of one server.
#[derive(Debug, Default)]
pub(super) struct KnownNames {
    pub(super) agents: Vec<String>,
    pub(super) servers: Vec<String>,
    pub(super) tools: Vec<String>,
}

impl KnownNames {
    /// Reads the names. The tools are those of the server that the address or the form names, if they are wanted.
    ///
    /// # Errors
    /// The error of the rules or of the keys. Without a gateway that runs, there are no servers.
    pub(super) async fn read(context: &Context, with_tools: bool) -> Result<Self, CommandError> {
        let access = context.read::<AccessList>(&["access", "list"]);
        let keys = context.read::<KeyList>(&["keys", "list"]);
        let (access, keys, status) = join3(access, keys, status_for_names(context, with_tools)).await;
        Ok(Self::of(context, &access?, &keys?, &status.unwrap_or_default()))
    }

    /// Returns the names in answers of commands.
    pub(super) fn of(context: &Context, access: &AccessList, keys: &KeyList, status: &Status) -> Self {
        let agents = people(access, keys, status, &Events::default()).into_keys().collect();
        let servers = status.servers().into_iter().map(str::to_owned).collect();
        let tools = context.query.one("server").map(|server| status.tools(server)).unwrap_or_default();
        Self { agents, servers, tools }
    }

    /// Writes the lists to which fields of forms refer.
    pub(super) fn lists(&self) -> Markup {
        html! {
            (list("known-agents", &self.agents))
            (list("known-servers", &self.servers))
            (list("known-tools", &self.tools))
        }
    }
}

/// Reads the servers, with the names of tools if they are wanted and a form names a server.
pub(super) async fn status_for_names(context: &Context, with_tools: bool) -> Result<Status, CommandError> {
    if with_tools && context.query.has("server") {
        return context.read(&["status", "--tools", "--no-checks"]).await;
    }
    Status::read(context).await
}

fn list(id: &str, names: &[String]) -> Markup {
    html! { datalist id=(id) { @for name in names.iter().take(OFFERED) { option value=(name) {} } } }
}

/// Writes a field for a server. After a new value, the names of its tools are read.
pub(super) fn server_field(id: &str, value: Option<&str>, described_by: Option<&str>) -> Markup {
    html! {
        input id=(id) name="server" required autocomplete="off" list="known-servers" value=[value] aria-describedby=[described_by]
            hx-get="/agents?view=rules" hx-trigger="change" hx-select="#known-tools" hx-target="#known-tools" hx-swap="outerHTML";
    }
}
