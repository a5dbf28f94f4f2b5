//! §16.6 Tools that are created from an agent's code.
//!
//! The specification leaves the form of the exchange open. The code is sent as the member `creation` of `mgp/tools/request`, and the
//! terms are the member `creation` of the answer's `_mgp`.

use crate::code_safety::SafetyLevel;
use serde::{Deserialize, Serialize};

/// The code of a tool to create: one function, whose parameters become the tool's arguments.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolCreation {
    /// The language of the code, such as `python`.
    pub language: String,
    /// The code: a module that defines the function.
    pub code: String,
    /// The name of the function. `None` stands for the only one whose name does not start with `_`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// A description of the tool, for models. `None` stands for the function's documentation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The terms on which a tool is created from an agent's code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CreationTerms {
    /// The allowed languages of the code.
    pub languages: Vec<String>,
    /// The level at which the code is checked (§7.2).
    pub level: SafetyLevel,
    /// The imports that are allowed.
    pub allowed_imports: Vec<String>,
    /// The longest code, in bytes.
    pub max_code_size_bytes: u64,
    /// The number of tools that the session can still create.
    pub tools_left: u64,
    /// The same information in words, for a model, with the form of the next request.
    pub hint: String,
}
