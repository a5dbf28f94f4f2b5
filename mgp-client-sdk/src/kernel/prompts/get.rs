//! `prompts/get`.

use super::find;
use crate::kernel::{
    core::Core,
    forward::{Asked, forward, refuse, refuse_method},
};
use mgp_transport::seam::{Incoming, Reply};
use mgp_types::{context::Principal, json::RawJson, rpc::ErrorObject};

/// Answers `prompts/get`.
pub(in crate::kernel) async fn get(core: &Core, principal: &Principal, mut message: Incoming) -> Reply {
    let mut params = match std::mem::take(&mut message.params).into_object() {
        Ok(params) => params,
        Err(error) => return refuse_method(core, &message, error).await,
    };
    let Some(name) = params.text("name") else {
        let error =
            ErrorObject::invalid_params("invalid params: missing name: expected the name of a prompt");
        return refuse_method(core, &message, error).await;
    };
    let Some((server, own)) = find(core, principal, &name) else {
        let error = ErrorObject::invalid_params(format!("unknown prompt: {name:?}"));
        return refuse(core, principal, &Asked::of(&message), &name, error).await;
    };
    params.insert("name", RawJson::string(own.as_str()));
    message.params = params.into();
    forward(core, &server, principal, message, &name).await
}
