//! `completion/complete`, answered by the server that has the prompt or the resource template.

use super::{
    core::Core,
    forward::{Asked, forward, refuse, refuse_method, visible},
    prompts,
};
use mgp_transport::seam::{Incoming, Reply};
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};

/// Answers `completion/complete`.
pub(super) async fn complete(core: &Core, principal: &Principal, mut message: Incoming) -> Reply {
    let mut params = match std::mem::take(&mut message.params).into_object() {
        Ok(params) => params,
        Err(error) => return refuse_method(core, &message, error).await,
    };
    let Some(mut reference) = params.object("ref") else {
        let error = ErrorObject::invalid_params("invalid params: ref: expected an object");
        return refuse_method(core, &message, error).await;
    };
    let found = match reference.text("type").as_deref() {
        Some("ref/prompt") => reference.text("name").and_then(|name| {
            let (server, own) = prompts::find(core, principal, &name)?;
            reference.insert("name", RawJson::string(own.as_str()));
            Some((server, name))
        }),
        Some("ref/resource") => reference.text("uri").and_then(|uri| {
            let has = |template: &super::server::Named| template.name == uri;
            let mut servers = visible(core, principal).into_iter();
            let server = servers.find(|server| server.offers.resources().templates.iter().any(has))?;
            Some((server, uri.clone()))
        }),
        _ => return refuse_method(core, &message, unknown(&reference)).await,
    };
    let Some((server, subject)) = found else {
        let subject = reference.to_json();
        return refuse(core, principal, &Asked::of(&message), subject.as_str(), unknown(&reference)).await;
    };
    params.insert("ref", reference.to_json());
    message.params = params.into();
    forward(core, &server, principal, message, &subject).await
}

fn unknown(reference: &RawObject) -> ErrorObject {
    let shown: String = reference.to_json().as_str().chars().take(200).collect();
    ErrorObject::invalid_params(format!(
        "invalid params: ref: expected a known prompt or resource template, found {shown}"
    ))
}
