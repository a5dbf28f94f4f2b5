//! `prompts/get`.

use super::PromptMethods;
use crate::catalog::{instructions::closed_offers, prompt_names::find};
use mgp_transport::seam::{Incoming, Reply, RouteError};
use mgp_types::{json::RawJson, printable::quoted, rpc::ErrorObject};

/// Answers `prompts/get`.
pub(super) async fn get(
    PromptMethods { forwarder, tools }: PromptMethods,
    mut message: Incoming,
) -> Result<Reply, RouteError> {
    let principal = message.caller()?;
    let mut params = std::mem::take(&mut message.params).into_object()?;
    let name = params.text("name").ok_or_else(|| {
        ErrorObject::invalid_params("invalid params: missing name: expected the name of a prompt")
    })?;
    let found = || find(&forwarder.servers, &forwarder.visible(&principal), &name);
    if found().is_none() {
        // The prompt may still be listed.
        forwarder.servers.first_lists().await;
    }
    let Some((server, own)) = found() else {
        let closed = closed_offers(&forwarder.servers, &tools, &principal);
        let closed = closed.map(|closed| format!(". {closed}")).unwrap_or_default();
        let error = ErrorObject::invalid_params(format!("unknown prompt: {}{closed}", quoted(&name)));
        return Err(RouteError::about(name, error));
    };
    params.insert("name", RawJson::string(own.as_str()));
    message.params = params.into();
    forwarder.forward(&server, &principal, message, &name).await
}
