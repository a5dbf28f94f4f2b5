//! The delegation of a request: `params._mgp.delegation`, or that of `_meta.mgp`.

use mgp_types::{
    error::ErrorCode,
    json::{RawJson, RawObject},
    mgp_member::MGP_MEMBER,
    rpc::{ErrorObject, RawParams},
};

/// How many agents a chain holds at most.
pub const MAX_DELEGATION: usize = 3;

/// The longest agent id in a chain, in bytes.
const MAX_ID: usize = 256;

/// The key of the chain.
const DELEGATION: &str = "delegation";

/// Reads the agents on whose behalf a request is made, in the order in which it names them; none where it names nobody. What stands
/// beside a chain, or around it, does not hide it.
///
/// # Errors
/// 1000 where the chain is too long, -32602 where it is no list of agent ids, where two chains differ, and where a member that may
/// hold one cannot be read in one way only.
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
            "invalid _meta.mgp.delegation: expected none beside _mgp.delegation, or the same agents",
        )),
        (own, in_meta) => Ok(own.or(in_meta).unwrap_or_default()),
    }
}

/// A member that may hold a chain. To MCP these are members like any other: one that is no object is not ours.
fn readable(member: &RawJson) -> Result<Option<RawObject>, ErrorObject> {
    // Looked for as text, because few requests hold one.
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
