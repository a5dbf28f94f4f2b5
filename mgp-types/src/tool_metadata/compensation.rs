//! The call that undoes a call.

use crate::json::RawObject;

open_object! {
    /// The call that undoes a call of the tool: another tool of the same server, with the arguments that it gets.
    #[derive(Eq)]
    pub struct Compensation {
        /// The name of the tool that undoes, as its server calls it.
        required tool: String = "tool",
        /// The arguments. A string `$arguments/POINTER` or `$result/POINTER` stands for a value of the call's arguments or of its structured
        /// result, as a JSON pointer; `$$` at the beginning stands for one `$`.
        optional parameters: RawObject = "parameters",
        /// The effect of the compensation, for people.
        lenient description: String = "description",
    }
}

impl Compensation {
    /// Creates a compensation by a tool that takes no arguments.
    pub fn new(tool: impl Into<String>) -> Self {
        Self { tool: tool.into(), parameters: None, description: None, other: RawObject::new() }
    }

    /// Sets the arguments of the tool that undoes.
    #[must_use]
    pub fn parameters(self, parameters: RawObject) -> Self {
        Self { parameters: Some(parameters), ..self }
    }
}
