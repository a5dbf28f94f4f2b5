//! The inputs that the user of a server has to give it: variables, headers, arguments.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A value that is given, has a default, or is requested from the user. The spellings of older registries are also read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Input {
    /// The name of the variable or the header; of an argument, its flag.
    pub name: Option<String>,
    /// The purpose of the value.
    pub description: Option<String>,
    /// The value itself. `{name}` stands for one of `variables`.
    pub value: Option<String>,
    /// The value that is used if none is given.
    pub default: Option<String>,
    /// An example of a value.
    pub placeholder: Option<String>,
    /// The kind of value, such as `number`.
    pub format: Option<String>,
    /// The values that it may have.
    pub choices: Option<Vec<String>>,
    /// True if a value is required.
    #[serde(alias = "is_required")]
    pub is_required: Option<bool>,
    /// True if the value is secret.
    #[serde(alias = "is_secret")]
    pub is_secret: Option<bool>,
    /// The values for the names in `value`.
    pub variables: Option<BTreeMap<String, Input>>,
}

/// An argument of a program.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Argument {
    /// The kind of argument: with or without a flag.
    #[serde(rename = "type")]
    pub kind: ArgumentKind,
    /// The name of an argument without a flag.
    #[serde(alias = "value_hint")]
    pub value_hint: Option<String>,
    /// The value of the argument.
    #[serde(flatten)]
    pub input: Input,
}

/// The kind of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArgumentKind {
    /// An argument without a flag.
    #[default]
    Positional,
    /// An argument with a flag before its value.
    Named,
}

impl Input {
    /// Returns whether a value is required.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.is_required.unwrap_or_default()
    }

    /// Returns whether the value is secret.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        self.is_secret.unwrap_or_default()
    }
}

impl Argument {
    /// Returns whether the argument is a flag without a value: the entry does not describe a value.
    #[must_use]
    pub fn is_switch(&self) -> bool {
        let Input { value, default, description, placeholder, format, choices, variables, .. } = &self.input;
        self.kind == ArgumentKind::Named
            && [value, default, description, placeholder].iter().all(|text| text.is_none())
            && format.as_deref().is_none_or(|format| format == "boolean")
            && choices.is_none()
            && variables.is_none()
    }
}
