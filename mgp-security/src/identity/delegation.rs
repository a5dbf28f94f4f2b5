//! The delegation chain of a request: `params._mgp.delegation`, or the `delegation` of `_meta.mgp`.

use mgp_types::{
    error::ErrorCode,
    json::{RawJson, RawObject},
    mgp_member::MGP_MEMBER,
    rpc::{ErrorObject, RawParams},
};

/// The most agents that a chain holds.
pub const MAX_DELEGATION: usize = 3;

/// The longest agent id in a chain, in bytes.
const MAX_ID: usize = 256;

/// The key of the chain.
const DELEGATION: &str = "delegation";

/// Reads the agents on whose behalf a request is made, in the order of the request. The list is empty if the request names nobody.
/// Invalid members next to a chain, or around it, do not hide the chain.
///
/// # Errors
/// 1000 if the chain is too long; -32602 if it is not a list of agent ids, if two chains differ, or if a member that may hold a chain
/// can be read in more than one way.
pub(super) fn read_chain(params: &RawParams) -> Result<Vec<String>, ErrorObject> {
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
        (Some(own), Some(other)) if own != other => Err(ErrorObject::invalid_params(
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

fn chain_in(mgp: &RawJson) -> Result<Option<Vec<String>>, ErrorObject> {
    let malformed = |what: String| {
        ErrorObject::invalid_params(format!(
            "invalid _mgp.delegation: expected a list of at most {MAX_DELEGATION} agent ids, found {what}"
        ))
    };
    let Some(chain) = readable(mgp)?.and_then(|mut mgp| mgp.remove(DELEGATION)) else { return Ok(None) };
    let ids: Vec<String> = chain.decode().map_err(|_| malformed(chain.kind().to_owned()))?;
    if ids.len() > MAX_DELEGATION {
        return Err(ErrorCode::PermissionDenied.error(format!(
            "the delegation chain is too long: expected at most {MAX_DELEGATION} agents, found {}",
            ids.len()
        )));
    }
    if ids.iter().any(|id| id.is_empty() || id.len() > MAX_ID) {
        return Err(malformed(format!("an empty id, or one of more than {MAX_ID} bytes")));
    }
    Ok(Some(ids))
}
