//! `tools/list`: what a host is shown, in its mode of exposure and within its agent's rights.

use super::{core::Core, page::page, tasks::say_support};
use mgp_toolindex::exposure::{Listing, list};
use mgp_transport::seam::{Incoming, Reply, Session, Visibility};
use mgp_types::{
    context::Principal,
    negotiation::{Extension, Negotiated},
};

/// Answers `tools/list`, in one page.
pub(super) fn list_tools(core: &Core, caller: &Principal, message: &Incoming) -> Reply {
    let negotiated = message.session().and_then(Session::get::<Negotiated>);
    let listing = Listing {
        exposure: core.exposure,
        pinned: core.pinned.clone(),
        with_security: negotiated.is_some_and(|negotiated| negotiated.has(Extension::Security)),
    };
    let mut tools = list(&core.tools.load().names, &*core.offered.view(caller), &listing);
    say_support(core, message, &mut tools);
    page("tools", &tools)
}
