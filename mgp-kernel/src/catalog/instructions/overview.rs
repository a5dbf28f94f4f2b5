//! The list of the servers behind the gateway, for one caller.

use super::{Greeter, Room};
use crate::{
    catalog::unavailable::waiting_groups,
    upstream::{EndpointAtStart, Server},
};
use mgp_transport::seam::Visibility;
use mgp_types::{context::Principal, lifecycle::ServerState};
use std::{borrow::Cow, collections::HashMap, fmt, sync::Arc};

/// One server in the list.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ServerLine {
    pub(super) id: String,
    /// The number of its tools that the caller may call.
    pub(super) tools: usize,
    /// The number of further tools that wait for an approval.
    pub(super) waiting: usize,
    /// The state of a server that is down, such as "starting" or "not connected"; `None` while the server is connected.
    pub(super) down: Option<Cow<'static, str>>,
}

/// Returns the servers that a principal may use, in their order.
pub(super) fn servers(greeter: &Greeter, principal: &Principal) -> Vec<ServerLine> {
    let (view, table) = (greeter.tools.offered.view(principal), greeter.tools.load());
    let (mut tools, mut waiting) = (HashMap::<_, usize>::new(), HashMap::<_, usize>::new());
    for named in table.names.iter().filter(|named| view.sees(named.tool.id())) {
        *tools.entry(named.tool.id().server_id.clone()).or_default() += 1;
    }
    for group in waiting_groups(&greeter.rights, &table, Some(principal)) {
        *waiting.entry(group.server_id.clone()).or_default() += group.tools.len();
    }
    let line = |server: &Arc<Server>| {
        let count = |of: &HashMap<Arc<str>, usize>| of.get(server.id()).copied().unwrap_or_default();
        let line = ServerLine {
            id: server.id().to_owned(),
            tools: count(&tools),
            waiting: count(&waiting),
            down: down(server),
        };
        // A server whose tools are unknown is included for a caller that may use all of it.
        let access = &greeter.rights.access;
        let granted = || {
            access.query(principal.id(), server.id(), None).allows()
                && access.key_reaches(principal, server.id())
        };
        (line.tools > 0 || line.waiting > 0 || granted()).then_some(line)
    };
    greeter.servers.load().iter().filter_map(line).collect()
}

/// Returns the words for a server that takes no calls. A server with unusable settings is off. For a server that is starting with a kept
/// listing, there are none, because its calls wait for it. A failed server is not starting, although it may be tried again.
fn down(server: &Server) -> Option<Cow<'static, str>> {
    if let Some(fault) = server.spec.endpoint.fault() {
        return Some(format!("off: {fault}").into());
    }
    if let Some(fault) = server.spec.endpoint_at_start.as_ref().and_then(EndpointAtStart::fault) {
        return Some(format!("off: {fault}").into());
    }
    if server.status().state == ServerState::Connected
        || server.is_on_demand()
        || server.connection.is_recalled()
    {
        return None;
    }
    Some(if server.connection.is_starting() { "starting" } else { "not connected" }.into())
}

impl fmt::Display for ServerLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, tools, waiting, down } = self;
        write!(f, "`{id}` (")?;
        if let Some(down) = down {
            return write!(f, "{down})");
        }
        match tools {
            0 => write!(f, "no tools")?,
            1 => write!(f, "1 tool")?,
            tools => write!(f, "{tools} tools")?,
        }
        match waiting {
            0 => write!(f, ")"),
            1 => write!(f, ", and 1 that waits for an approval)"),
            waiting => write!(f, ", and {waiting} that wait for an approval)"),
        }
    }
}

/// Returns the list of the first `count` servers, followed by the sentence `behind`.
pub(super) fn text(lines: &[ServerLine], count: usize, behind: &str) -> String {
    let mut parts: Vec<String> = lines[..count].iter().map(ToString::to_string).collect();
    if count < lines.len() {
        parts.push(format!("and {} more", lines.len() - count));
    }
    format!("Behind this gateway: {}. {behind}", parts.join(", "))
}

/// Returns the list of as many servers as fit; `None` if none fits.
pub(super) fn overview(lines: &[ServerLine], behind: &str, room: &mut Room) -> Option<String> {
    // The text grows with each server.
    let (mut fits, mut too_many) = (0, lines.len() + 1);
    while fits + 1 < too_many {
        let middle = fits.midpoint(too_many);
        if room.holds(&text(lines, middle, behind)) {
            fits = middle;
        } else {
            too_many = middle;
        }
    }
    (fits > 0).then(|| text(lines, fits, behind))
}
