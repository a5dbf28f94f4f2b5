//! The interface that adds and removes servers for the methods of §15.4 and §15.5.

use async_trait::async_trait;
use mgp_types::{
    context::Principal,
    discovery::{DeregisterServerResult, RegisterServerResult},
    rpc::{ErrorObject, RawParams},
};
use std::fmt;

/// A service that adds and removes servers on a caller's behalf: it checks the caller's right, records the request, and carries it out. A
/// registrar also gets unreadable params, because their refusal is recorded, too.
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
