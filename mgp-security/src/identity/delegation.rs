//! On whose behalf an agent calls: `params._mgp.delegation`, or that of `_meta.mgp` where there is no `_mgp`.

use mgp_types::{
    context::Principal,
    error::ErrorCode,
    json::{RawJson, RawObject},
    mgp_member::MGP_MEMBER,
    rpc::{ErrorObject, RawParams},
};
use std::sync::Arc;

/// How many agents a chain holds at most.
pub const MAX_DELEGATION: usize = 3;

/// The longest agent id in a chain, in bytes.
const MAX_ID: usize = 256;

/// The agents on whose behalf a call is made. A call has the rights that its caller and each of them have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delegation(Arc<[Principal]>);

impl Delegation {
    /// A chain of agents.
    #[must_use]
    pub fn new(agents: impl IntoIterator<Item = Principal>) -> Self {
        Self(agents.into_iter().collect())
    }

    /// The agents, in the order in which the request names them.
    #[must_use]
    pub fn agents(&self) -> &[Principal] {
        &self.0
    }

    /// The ids as JSON.
    pub(super) fn to_json(&self) -> RawJson {
        let ids: Vec<_> = self.0.iter().map(Principal::id).collect();
        RawJson::from_value(&ids).unwrap_or_else(|_| RawJson::null())
    }

    /// Reads the chain of a request; none where it names nobody.
    ///
    /// # Errors
    /// 1000 where the chain is too long, -32602 where it is no list of agent ids.
    pub(super) fn read(params: &RawParams) -> Result<Option<Self>, ErrorObject> {
        let params = params.object()?;
        let places =
            [params.get(MGP_MEMBER).cloned(), params.object("_meta").and_then(|mut meta| meta.remove("mgp"))];
        // To MCP these are members like any other: where one is no object, it is not ours.
        let Some(mgp) = places.into_iter().flatten().find(RawJson::is_object) else {
            return Ok(None);
        };
        let malformed = |what: String| {
            ErrorObject::invalid_params(format!(
                "invalid _mgp.delegation: expected a list of at most {MAX_DELEGATION} agent ids, found {what}"
            ))
        };
        let Some(chain) = RawObject::from_json(&mgp).map_err(ErrorObject::from)?.remove("delegation") else {
            return Ok(None);
        };
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
        Ok((!ids.is_empty()).then(|| Self::new(ids.iter().map(|id| Principal::agent(id)))))
    }
}
