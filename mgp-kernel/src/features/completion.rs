//! `completion/complete`, answered by the server that has the prompt or the resource template.

use super::forward::Forwarder;
use crate::{catalog::prompt_names, upstream::NamedEntry};
use mgp_transport::seam::{Incoming, Reply, Role, RouteError, Routes};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::Complete,
    rpc::ErrorObject,
};

/// Returns `completion/complete`.
pub(crate) fn routes() -> Routes<Forwarder> {
    Routes::new().route(Complete, Role::Anyone, complete)
}

async fn complete(forwarder: Forwarder, mut message: Incoming) -> Result<Reply, RouteError> {
    forwarder.servers.first_lists().await;
    let principal = message.caller()?;
    let mut params = std::mem::take(&mut message.params).into_object()?;
    let mut reference = params
        .object("ref")
        .ok_or_else(|| ErrorObject::invalid_params("invalid params: ref: expected an object"))?;
    let found = match reference.text("type").as_deref() {
        Some("ref/prompt") => reference.text("name").and_then(|name| {
            let (server, own) =
                prompt_names::find(&forwarder.servers, &forwarder.visible(&principal), &name)?;
            reference.insert("name", RawJson::string(own.as_str()));
            Some((server, name))
        }),
        Some("ref/resource") => reference.text("uri").and_then(|uri| {
            let has = |template: &NamedEntry| template.name == uri;
            let mut servers = forwarder.visible(&principal).into_iter();
            let server = servers.find(|server| server.offers.resources().templates.iter().any(has))?;
            Some((server, uri.clone()))
        }),
        _ => return Err(unknown(&reference).into()),
    };
    let Some((server, subject)) = found else {
        return Err(RouteError::about(reference.to_json().as_str(), unknown(&reference)));
    };
    params.insert("ref", reference.to_json());
    message.params = params.into();
    forwarder.forward(&server, &principal, message, &subject).await
}

fn unknown(reference: &RawObject) -> ErrorObject {
    let shown: String = reference.to_json().as_str().chars().take(200).collect();
    ErrorObject::invalid_params(format!(
        "invalid params: ref: expected a known prompt or resource template, found {shown}"
    ))
}
