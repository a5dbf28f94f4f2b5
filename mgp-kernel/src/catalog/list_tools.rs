//! `tools/list`: the tools that a host is shown, in its mode of exposure and within its agent's rights.

use super::{
    apps::fit_to_apps,
    quotas::say_quotas,
    task_support::say_support,
    tool_index::{ShownOfSession, shown_of_session},
    tools::{LastChange, Tools},
};
use crate::{ground::page::page, upstream::servers::Servers};
use mgp_security::limits::quota::Quotas;
use mgp_toolindex::{
    exposure::{ListSettings, list},
    meta_tools::{say_reading, say_transactions},
};
use mgp_transport::seam::{Incoming, Reply, Role, RouteError, Routes, Visibility};
use mgp_types::mcp::ListTools;
use std::sync::Arc;

/// The parts of the kernel for making a list.
type ListParts = (Arc<Servers>, Arc<Tools>, Quotas, OptionalTools);

/// The kernel's own tools that depend on the operator's settings, in addition to those in every list of an exposure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OptionalTools {
    /// True for the tool for transactions.
    pub(crate) transactions: bool,
    /// True for the tool that reads kept results.
    pub(crate) reading: bool,
    /// True if the meta-tools may recommend servers of registries, and are therefore always listed.
    pub(crate) recommends: bool,
}

/// Returns `tools/list`.
pub(crate) fn routes() -> Routes<ListParts> {
    Routes::new().route(ListTools, Role::Anyone, list_tools)
}

/// Answers `tools/list`, in one page.
async fn list_tools(
    (servers, tools, quotas, optional): ListParts,
    message: Incoming,
) -> Result<Reply, RouteError> {
    if tools.lists_by_servers() {
        servers.first_lists().await;
    } else {
        servers.try_unlisted();
    }
    let now = tools.last_change.now();
    let caller = message.caller()?;
    let ShownOfSession { principal, cached, with_security, with_creation, with_handles } =
        shown_of_session(&tools, &caller, &message).await;
    let direct = tools.direct_listing(&servers, &principal, optional.recommends).await;
    let listing = ListSettings {
        exposure: tools.exposure,
        direct,
        pinned: tools.pinned.clone(),
        cached,
        with_security,
        with_handles,
        with_creation,
    };
    let table = tools.load();
    let mut shown = list(&table.names, &*tools.offered.view(&principal), &listing);
    if optional.transactions {
        say_transactions(&mut shown);
    }
    if optional.reading {
        say_reading(&mut shown);
    }
    fit_to_apps(&tools, &table, (&principal, message.session()), with_security, &mut shown);
    say_support(&servers, &table, &message, &mut shown);
    say_quotas(&quotas, &table, &message, principal.id(), &mut shown).await;
    if let Some(session) = message.session() {
        LastChange::listed(session, now);
    }
    Ok(page("tools", &shown))
}
