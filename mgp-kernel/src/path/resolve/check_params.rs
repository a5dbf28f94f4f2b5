//! The params of a method that requests a check.

use mgp_transport::seam::Incoming;
use mgp_types::{json::RawObject, rpc::ErrorObject};
use std::mem;

/// The members of a check's params with the tool's name and its arguments, each with its alias.
const MEMBERS: [(&str, &str); 2] = [("name", "tool"), ("arguments", "parameters")];

/// Gives the params of a check the members of a call.
///
/// # Errors
/// -32602 if the params cannot be read, or contain a member and its alias.
pub(super) fn unify(message: &mut Incoming) -> Result<(), ErrorObject> {
    let mut params = mem::take(&mut message.params).into_object()?;
    for (name, other) in MEMBERS {
        rename(&mut params, name, other)?;
    }
    params.remove("scopes_held");
    message.params = params.into();
    Ok(())
}

fn rename(params: &mut RawObject, name: &'static str, other: &str) -> Result<(), ErrorObject> {
    match params.remove(other) {
        Some(_) if params.get(name).is_some() => Err(ErrorObject::invalid_params(format!(
            "invalid {other}: expected either {name} or {other}, found both"
        ))),
        Some(value) => {
            params.insert(name, value);
            Ok(())
        }
        None => Ok(()),
    }
}
