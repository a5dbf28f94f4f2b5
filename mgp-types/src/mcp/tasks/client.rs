//! A client's support for tasks.

use super::{TaskForm, extension::tasks_not_declared};
use crate::{
    mcp::{ClientCapabilities, ProtocolVersion},
    rpc::ErrorObject,
};

/// A client's support for tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientTasks {
    /// The client supports tasks in this form.
    Form(TaskForm),
    /// The client's revision has tasks, but the client did not declare that it accepts them as answers.
    Undeclared,
    /// The client's revision has no tasks.
    None,
}

impl ClientTasks {
    /// Returns the support of a client of a revision, with its capabilities.
    #[must_use]
    pub fn of(version: Option<ProtocolVersion>, said: &ClientCapabilities) -> Self {
        match version {
            Some(version) if version < ProtocolVersion::V2025_11_25 => Self::None,
            None => Self::None,
            Some(version) => match TaskForm::of(version) {
                TaskForm::Extension if !said.takes_tasks() => Self::Undeclared,
                form => Self::Form(form),
            },
        }
    }

    /// Returns the form, if the client has one.
    #[must_use]
    pub fn form(self) -> Option<TaskForm> {
        match self {
            Self::Form(form) => Some(form),
            Self::Undeclared | Self::None => None,
        }
    }

    /// Returns the form of a client that sends a request about tasks.
    ///
    /// # Errors
    /// -32021 if the client did not declare that it accepts tasks, and -32601 if its revision does not have the method.
    pub fn form_for(self, method: &str) -> Result<TaskForm, ErrorObject> {
        match self {
            Self::Form(form) if form.has(method) => Ok(form),
            Self::Undeclared => Err(tasks_not_declared()),
            Self::Form(_) | Self::None => Err(ErrorObject::method_not_found(method)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revision_and_declaration_decide_a_client_s_task_support() {
        let (plain, declared) = (ClientCapabilities::default(), ClientCapabilities::default().with_tasks());
        let stateless = Some(ProtocolVersion::V2026_07_28);
        assert_eq!(ClientTasks::of(stateless, &plain), ClientTasks::Undeclared);
        assert_eq!(ClientTasks::of(stateless, &declared).form(), Some(TaskForm::Extension));
        let core = ClientTasks::of(Some(ProtocolVersion::V2025_11_25), &plain);
        assert_eq!(core.form(), Some(TaskForm::Core));
        for none in [None, Some(ProtocolVersion::V2025_06_18)] {
            assert_eq!(ClientTasks::of(none, &declared), ClientTasks::None);
        }
        let code = |client: ClientTasks, method| client.form_for(method).unwrap_err().code;
        assert_eq!(code(ClientTasks::Undeclared, "tasks/get"), -32021);
        assert_eq!((code(core, "tasks/update"), code(ClientTasks::None, "tasks/get")), (-32601, -32601));
    }
}
