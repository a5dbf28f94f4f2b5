//! The form in which a check is requested.

use mgp_transport::seam::Incoming;
use mgp_types::{
    json::{RawJson, RawObject},
    rpc::{Call, ErrorObject, Method},
    tool_check::{CanExecute, CheckPermissions, CheckTool, ValidateTool},
};
use std::mem;

/// The form in which a check is requested. A message with this mark is a dry run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DryRunForm {
    /// By `mgp/tools/check` or `tools/validate`.
    Method,
    /// By a method whose answer is about permissions.
    Permissions,
    /// By `mgp_tools_call` with `dry_run`.
    MetaTool,
}

/// The members of a check's params with the tool's name and its arguments, each with its alias.
const MEMBERS: [(&str, &str); 2] = [("name", "tool"), ("arguments", "parameters")];

impl DryRunForm {
    /// Returns the form of a method that requests a check.
    pub(crate) fn of(method: &Method) -> Option<Self> {
        match &**method {
            CheckTool::METHOD | ValidateTool::METHOD => Some(Self::Method),
            CanExecute::METHOD | CheckPermissions::METHOD => Some(Self::Permissions),
            _ => None,
        }
    }

    /// Returns whether a dry run judges its arguments. A question about permissions has none.
    pub(crate) fn judges_arguments(form: Option<&Self>, arguments: Option<&RawJson>) -> bool {
        form != Some(&Self::Permissions) || arguments.is_some()
    }

    /// Marks a message as a dry run in this form, and gives its params the members of a call.
    ///
    /// # Errors
    /// -32602 if the params cannot be read, or contain a member and its alias.
    pub(crate) fn mark(self, message: &mut Incoming) -> Result<(), ErrorObject> {
        let mut params = mem::take(&mut message.params).into_object()?;
        for (name, other) in MEMBERS {
            rename(&mut params, name, other)?;
        }
        params.remove("scopes_held");
        message.params = params.into();
        message.ext.insert(self);
        Ok(())
    }
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
