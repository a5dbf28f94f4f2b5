//! The signature of a function, read under the rules for its code.

use super::python;
use crate::{
    code_safety::{CodeRules, languages::Language, violation::Violation},
    syntax::Interrupt,
};
use mgp_types::code_safety::CodeRejection;
use serde_json::{Map, Value, json};

/// The signature of a function in submitted code.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    /// The name of the function.
    pub function: String,
    /// The documentation of the function, if any.
    pub documentation: Option<String>,
    /// The JSON Schemas of the parameters, in their order.
    pub(super) parameters: Vec<Parameter>,
}

/// A parameter of a function.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parameter {
    /// The name.
    pub(super) name: String,
    /// The JSON Schema of its values, with the default.
    pub(super) schema: Value,
    /// True if a call can leave it out.
    pub(super) optional: bool,
}

impl Signature {
    /// Returns the JSON Schema of an object with the function's parameters as members.
    #[must_use]
    pub fn input_schema(&self) -> Value {
        let properties: Map<_, _> =
            self.parameters.iter().map(|one| (one.name.clone(), one.schema.clone())).collect();
        let required: Vec<_> =
            self.parameters.iter().filter(|one| !one.optional).map(|one| one.name.as_str()).collect();
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }
}

impl CodeRules {
    /// Checks code, and reads the signature of one of its functions: the function that `function` names or, without a name, the only one
    /// whose name does not start with `_`. Only Python is supported.
    ///
    /// ```
    /// use mgp_security::code_safety::CodeRules;
    /// use mgp_types::code_safety::{CodeSafety, SafetyLevel};
    /// let declared = CodeSafety { level: SafetyLevel::Strict, language: Some("python".into()), ..Default::default() };
    /// let rules = CodeRules::of([&declared]);
    /// let signature = rules.signature("def area(width: float, height: float = 1.0) -> float:\n    return width * height", None)?;
    /// assert_eq!(signature.function, "area");
    /// assert_eq!(signature.input_schema()["required"][0], "width");
    /// # Ok::<(), Box<mgp_types::code_safety::CodeRejection>>(())
    /// ```
    ///
    /// # Errors
    /// The rejection (§7.4) of code that is not safe, or whose function cannot become a tool, with hints about code that would pass.
    pub fn signature(&self, code: &str, function: Option<&str>) -> Result<Signature, Box<CodeRejection>> {
        self.signature_until(code, function, Interrupt::NEVER)
    }

    /// Reads a signature. Refuses the code if the check is interrupted.
    pub(crate) fn signature_until(
        &self,
        code: &str,
        function: Option<&str>,
        interrupt: Interrupt<'_>,
    ) -> Result<Signature, Box<CodeRejection>> {
        self.check_until(code, interrupt)?;
        let refused = |text: String| self.rejection(vec![Violation::new(text)]);
        match self.language.as_deref().and_then(Language::of) {
            Some(Language::Python) => python::signature(code, function, interrupt).map_err(refused),
            _ => Err(refused("Unknown language: only functions of Python become tools".to_owned())),
        }
    }
}
