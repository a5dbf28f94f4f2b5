//! What adds and removes servers for the methods of §15.4 and §15.5.

use async_trait::async_trait;
use mgp_types::{
    context::Principal,
    discovery::{DeregisterServerResult, RegisterServerResult},
    rpc::{ErrorObject, RawParams},
};
use std::fmt;

/// Adds and removes servers on somebody's behalf: checks the right to it, records it, and has it done. What cannot even be read is
/// its business too, because a refusal is recorded as well.
#[async_trait]
pub trait Registrar: fmt::Debug + Send + Sync + 'static {
    /// Adds a server (§15.4).
    async fn register(
        &self,
        caller: &Principal,
        params: &RawParams,
    ) -> Result<RegisterServerResult, ErrorObject>;

    /// Removes a server (§15.5).
    async fn deregister(
        &self,
        caller: &Principal,
        params: &RawParams,
    ) -> Result<DeregisterServerResult, ErrorObject>;
}
