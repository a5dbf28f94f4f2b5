//! The sentence about resources and prompts that a caller may not use, although it may use tools of their servers. A default policy, a policy
//! file and a rule for single tools do not open resources and prompts.

use crate::{
    catalog::tools::Tools,
    command_word,
    upstream::{Server, servers::Servers},
};
use mgp_security::access::AccessControl;
use mgp_transport::seam::Visibility;
use mgp_types::{access::DefaultPolicy, context::Principal};
use std::{collections::HashSet, sync::Arc};

/// The maximum number of servers in the sentence.
const MAX_NAMED: usize = 10;

/// Returns the sentence for a caller, if there are such resources or prompts.
pub(crate) fn closed_offers(servers: &Servers, tools: &Tools, principal: &Principal) -> Option<String> {
    // Resources and prompts outside of a key's scopes cannot be opened by a rule.
    if principal.key_scopes().is_some() {
        return None;
    }
    let (view, table, servers) = (tools.offered.view(principal), tools.load(), servers.load());
    let visible = table.names.iter().filter(|named| view.sees(named.tool.id()));
    let used: HashSet<Arc<str>> = visible.map(|named| named.tool.id().server_id.clone()).collect();
    let is_closed = |server: &&Arc<Server>| {
        used.contains(server.id()) && !view.sees_server(server.id()) && !server.offers.is_empty()
    };
    let closed: Vec<&str> = servers.iter().filter(is_closed).map(|server| server.id()).collect();
    let named: Vec<String> = closed.iter().take(MAX_NAMED).map(|id| format!("`{id}`")).collect();
    let more = match closed.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more servers"),
    };
    let server = match closed[..] {
        [] => return None,
        [server] => command_word(server).into_owned(),
        _ => "SERVER".to_owned(),
    };
    Some(format!(
        "Resources and prompts of {}{more} need a rule for the whole server, which agent {:?} does not have: `mgp access grant {} \
         {server}`.",
        named.join(", "),
        principal.id(),
        command_word(principal.id()),
    ))
}

/// Warns of a server that has just connected and whose resources and prompts nobody can use, because only its default policy opens it.
pub(crate) fn warn_of_closed_offers(access: &AccessControl, server: &Server) {
    let is_open_by_default = server.spec.default_policy == DefaultPolicy::OptOut;
    if is_open_by_default
        && server.connection.starts() == 1
        && !server.offers.is_empty()
        && access.agents_with_rules(server.id()).is_empty()
    {
        tracing::warn!(
            server = server.id(),
            "default_policy = \"opt-out\" opens its tools; its resources and prompts need a rule for the whole server"
        );
    }
}
