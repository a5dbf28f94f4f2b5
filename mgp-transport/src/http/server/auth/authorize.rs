//! The check that a token allows the method that a message names.

use super::Authority;
use crate::{
    http::server::{limits::BodyLease, refusal::Refusal},
    seam::{Extensions, TokenGrant},
};
use mgp_types::{
    json::RawObject,
    rpc::{Frame, RawParams},
    tool_index::MetaTool,
};
use std::sync::Arc;

const CALL: &str = "tools/call";

impl Authority {
    /// Refuses a message whose token does not allow its method, or the tool that it calls; a response has no method. Returns the
    /// message's context: the token's grant, and the lease of the body that the message's params are slices of.
    ///
    /// A kernel checks again once it has resolved the tool's name.
    pub(in crate::http::server) fn authorize(
        &self,
        granted: Option<&TokenGrant>,
        frame: &Frame,
        lease: Option<&Arc<BodyLease>>,
    ) -> Result<Extensions, Refusal> {
        let mut context = Extensions::new();
        if let Some(lease) = lease {
            context.insert(lease.clone());
        }
        let Some(granted) = granted else { return Ok(context) };
        let (method, params, id) = match frame {
            Frame::Request { id, method, params } => (method, params, Some(id)),
            Frame::Notification { method, params } => (method, params, None),
            Frame::Response { .. } => return Ok(context),
        };
        let checked = if *method == CALL {
            let (outer, inner) = called(params);
            granted
                .check(CALL, outer.as_deref())
                .and_then(|()| inner.map_or(Ok(()), |inner| granted.check(CALL, Some(&inner))))
        } else {
            granted.check(method, None)
        };
        checked.map_err(|denied| Refusal::denied(denied, self.resource.get()).of(id))?;
        context.insert(granted.clone());
        Ok(context)
    }
}

/// Returns the tool that a call names. If that is the kernel's own tool for calling others, also returns the tool that is called
/// through it.
fn called(params: &RawParams) -> (Option<String>, Option<String>) {
    let Ok(params) = params.object() else { return (None, None) };
    let outer = params.text("name");
    let through = outer.as_ref().is_some_and(|name| name.parse() == Ok(MetaTool::Call));
    let inner = || params.get("arguments").and_then(|it| RawObject::from_json(it).ok())?.text("name");
    (outer, if through { inner() } else { None })
}
