//! The delegation chain of a request: `params._mgp.delegation`, or the `delegation` of `_meta.mgp`.

use mgp_types::{
    error::ErrorCode,
    json::{RawJson, RawObject},
    mgp_member::MGP_MEMBER,
    rpc::{ErrorObject, RawParams},
};
use serde::Deserialize;

/// The most agents that a chain holds.
pub const MAX_DELEGATION: usize = 3;

/// The longest agent id in a chain, in bytes.
const MAX_ID: usize = 256;

/// The key of the chain.
const DELEGATION: &str = "delegation";

/// The longest reason of a delegation, in bytes.
const MAX_REASON: usize = 1024;

/// The agents on whose behalf a request is made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Delegation {
    /// The agents, in the order of the request. Empty if the request names nobody.
    pub(super) chain: Vec<String>,
    /// The reason that the request states, which only the trail uses.
    pub(super) reason: Option<String>,
}

/// The object form of later drafts.
#[derive(Deserialize)]
struct DelegationObject {
    chain: Vec<String>,
    #[serde(default)]
    reason: Option<String>,
}

/// Reads the agents on whose behalf a request is made: a list, or an object with the list as its `chain` and a `reason`.
/// Invalid members next to a chain, or around it, do not hide the chain.
///
/// # Errors
/// 1000 if the chain is too long; -32602 if it is not a list of agent ids, if two chains differ, or if a member that may hold a chain
/// can be read in more than one way.
pub(super) fn read_chain(params: &RawParams) -> Result<Delegation, ErrorObject> {
    let params = params.object()?;
    let own = match params.get(MGP_MEMBER) {
        Some(mgp) => chain_in(mgp)?,
        None => None,
    };
    let in_meta = match params.get("_meta").map(readable).transpose()?.flatten() {
        Some(meta) => meta.get("mgp").map(chain_in).transpose()?.flatten(),
        None => None,
    };
    match (own, in_meta) {
        (Some(own), Some(other)) if own.chain != other.chain => Err(ErrorObject::invalid_params(
            "invalid _meta.mgp.delegation: expected none next to _mgp.delegation, or the same agents",
        )),
        (own, in_meta) => Ok(own.or(in_meta).unwrap_or_default()),
    }
}

/// Reads a member that may contain a chain. To MCP, such members are ordinary: a member that is not an object is ignored.
fn readable(member: &RawJson) -> Result<Option<RawObject>, ErrorObject> {
    // Searched as text first, because few requests contain a chain.
    if !member.is_object() || !member.may_hold(DELEGATION) {
        return Ok(None);
    }
    Ok(Some(RawObject::from_json(member)?))
}

fn chain_in(mgp: &RawJson) -> Result<Option<Delegation>, ErrorObject> {
    let malformed = |what: String| {
        ErrorObject::invalid_params(format!(
            "invalid _mgp.delegation: expected a list of at most {MAX_DELEGATION} agent ids, or an object with it as chain and a reason, found {what}"
        ))
    };
    let Some(chain) = readable(mgp)?.and_then(|mut mgp| mgp.remove(DELEGATION)) else { return Ok(None) };
    let read = match chain.is_object() {
        true => chain.decode().map(|DelegationObject { chain, reason }| (chain, reason)),
        false => chain.decode().map(|chain: Vec<String>| (chain, None)),
    };
    let (ids, reason) = read.map_err(|_| malformed(chain.kind().to_owned()))?;
    if ids.len() > MAX_DELEGATION {
        return Err(ErrorCode::PermissionDenied.error(format!(
            "the delegation chain is too long: expected at most {MAX_DELEGATION} agents, found {}",
            ids.len()
        )));
    }
    if ids.iter().any(|id| id.is_empty() || id.len() > MAX_ID) {
        return Err(malformed(format!("an empty id, or one of more than {MAX_ID} bytes")));
    }
    if let Some(reason) = reason.as_ref().filter(|reason| reason.len() > MAX_REASON) {
        return Err(malformed(format!("a reason of {} bytes, expected at most {MAX_REASON}", reason.len())));
    }
    Ok(Some(Delegation { chain: ids, reason }))
}
