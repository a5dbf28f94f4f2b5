//! `prompts/get`.

use super::find;
use crate::kernel::{catalog::instructions::closed_offers, features::forward::Forwarder};
use mgp_transport::seam::{Incoming, Reply, RouteError};
use mgp_types::{json::RawJson, printable::quoted, rpc::ErrorObject};

/// Answers `prompts/get`.
pub(super) async fn get(forwarder: Forwarder, mut message: Incoming) -> Result<Reply, RouteError> {
    let principal = message.caller()?;
    let mut params = std::mem::take(&mut message.params).into_object()?;
    let name = params.text("name").ok_or_else(|| {
        ErrorObject::invalid_params("invalid params: missing name: expected the name of a prompt")
    })?;
    if find(&forwarder, &principal, &name).is_none() {
        // The prompt may still be listed.
        forwarder.servers.first_lists().await;
    }
    let Some((server, own)) = find(&forwarder, &principal, &name) else {
        let closed = closed_offers(&forwarder.servers, &forwarder.tools, &principal);
        let closed = closed.map(|closed| format!(". {closed}")).unwrap_or_default();
        let error = ErrorObject::invalid_params(format!("unknown prompt: {}{closed}", quoted(&name)));
        return Err(RouteError::about(name, error));
    };
    params.insert("name", RawJson::string(own.as_str()));
    message.params = params.into();
    forwarder.forward(&server, &principal, message, &name).await
}
