//! The session of a request: the host's own or, for a host without one, the session named by a handle of an earlier answer.

use crate::catalog::tools::Tools;
use mgp_server_sdk::era;
use mgp_toolindex::session::{OpenSession, ToolSession};
#[cfg(feature = "child")]
use mgp_transport::seam::Peer;
use mgp_transport::seam::{Incoming, Session};
use mgp_types::{
    context::{Principal, SessionTag, ToolId},
    json::RawObject,
    mgp_member::{self, MGP_MEMBER},
    negotiation::{Extension, Negotiation},
    rpc::ErrorObject,
};
use std::collections::HashSet;

/// The member of `_mgp` with the handle of a session.
const SESSION: &str = "session";

/// Returns whether params may contain a handle. Only searches the text, because this runs for every call.
pub(crate) fn may_name_session(params: &RawObject) -> bool {
    [MGP_MEMBER, "_meta"].iter().any(|key| params.get(key).is_some_and(|value| value.may_hold(SESSION)))
}

/// Takes the handle out of a call's params, because it only concerns the host and the kernel.
pub(crate) fn take_session(params: &mut RawObject) -> Option<String> {
    let found = named_session(params);
    params.edit(MGP_MEMBER, |mgp| mgp.remove(SESSION).is_some());
    params.edit("_meta", |meta| {
        let mut taken = false;
        meta.edit("mgp", |mgp| {
            taken = mgp.remove(SESSION).is_some();
            taken
        });
        taken
    });
    found
}

fn named_session(params: &RawObject) -> Option<String> {
    mgp_member::read(params)?.text(SESSION)
}

/// The tools of the session of a request.
#[derive(Debug)]
pub(super) enum HostSession {
    /// The host's own session.
    Own(ToolSession),
    /// The session that the handle opens.
    Named { handle: String, opened: OpenSession },
}

impl HostSession {
    /// Returns the session of a request: the one that the request names, else the host's own, else a new one. `named` takes
    /// precedence over the params.
    ///
    /// # Errors
    /// -32602 for a handle that does not belong to this principal.
    pub(super) fn of(
        tools: &Tools,
        principal: &Principal,
        message: &Incoming,
        named: Option<String>,
    ) -> Result<Self, ErrorObject> {
        let brought = || named_session(message.params.object().ok()?);
        let handle = match (named.or_else(brought), own(message)) {
            (Some(handle), _) => handle,
            (None, Some(session)) => return Ok(Self::Own(session)),
            (None, None) => tools.handles.issue(&principal.caller())?,
        };
        let opened = tools.handles.open(&principal.caller(), &handle)?;
        Ok(Self::Named { handle, opened })
    }

    pub(super) fn tools(&self) -> &ToolSession {
        match self {
            Self::Own(tools) => tools,
            Self::Named { opened, .. } => &opened.tools,
        }
    }

    /// Keeps the session for the next request, and returns its handle for the host.
    pub(super) fn keep(self, tools: &Tools, principal: &Principal) -> Option<String> {
        match self {
            Self::Own(_) => None,
            Self::Named { handle, opened } => {
                tools.handles.keep(&principal.caller(), &opened);
                Some(handle)
            }
        }
    }
}

/// Returns the tools of the host's own session; `None` if the host has none.
pub(super) fn own(message: &Incoming) -> Option<ToolSession> {
    own_of(message.session()?)
}

fn own_of(session: &Session) -> Option<ToolSession> {
    if let Some(tools) = session.get() {
        return Some(tools);
    }
    era::has_session(session).then(|| session.get_or_insert_with(ToolSession::default))
}

/// Returns whether the host has no session of its own.
fn has_none(message: &Incoming) -> bool {
    message.session().is_some_and(|session| !era::has_session(session))
}

/// Returns whether the host is shown security metadata.
pub(crate) fn with_security(message: &Incoming) -> bool {
    let negotiated = message.session().and_then(Session::get::<Negotiation>);
    negotiated.is_some_and(|negotiated| negotiated.has(Extension::Security))
}

/// Returns the host of a request, if the session is the host's own and ends with its connection.
#[cfg(feature = "child")]
pub(crate) fn host_of(message: &Incoming, session: &ToolSession) -> Option<Peer> {
    let is_own = own(message).is_some_and(|own| own.is_same(session));
    message.peer().filter(|_| is_own).map(Peer::unbound)
}

/// Returns the tag of the session that a handle names, or else of the host's own; `None` if there is neither.
pub(crate) fn session_tag(tools: &Tools, session: &Session, handle: Option<&str>) -> Option<SessionTag> {
    let Some(handle) = handle else { return own_of(session).map(|own| own.tag()) };
    let caller = session.get::<Principal>()?.caller();
    tools.handles.open(&caller, handle).ok().map(|opened| opened.tools.tag())
}

/// The part of a list that depends on the host's session.
pub(crate) struct ShownOfSession {
    /// The principal, acting in the session.
    pub(crate) principal: Principal,
    /// The tools that the session has loaded or used.
    pub(crate) cached: HashSet<ToolId>,
    /// True if the host is shown security metadata.
    pub(crate) with_security: bool,
    /// True if the host negotiated tools created from its agent's code.
    pub(crate) with_creation: bool,
    /// True if the host names its session in arguments.
    pub(crate) with_handles: bool,
}

/// Returns the part of a list that depends on the host's session.
pub(crate) async fn shown_of_session(
    tools: &Tools,
    principal: &Principal,
    message: &Incoming,
) -> ShownOfSession {
    let with_security = with_security(message);
    let negotiated = message.session().and_then(Session::get::<Negotiation>);
    // The kernel offers the extension only if it creates tools.
    let with_creation = negotiated.is_some_and(|negotiated| negotiated.has(Extension::ToolCreation));
    let own = message.session().and_then(Session::get::<ToolSession>).filter(|session| !session.is_empty());
    let principal = own.as_ref().map_or_else(|| principal.clone(), |own| principal.in_session(own.tag()));
    let cached = match own {
        Some(session) => {
            tools.can_count().await;
            // The list itself reports the changes.
            let settled = tools.sessions.settle(&principal, &session, with_security);
            settled.cached.iter().map(|named| named.tool.id().clone()).collect()
        }
        None => HashSet::new(),
    };
    ShownOfSession { principal, cached, with_security, with_creation, with_handles: has_none(message) }
}
