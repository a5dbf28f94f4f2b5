//! What somebody who runs a server has to give it: variables, headers, arguments.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A value that is given, has a default, or is asked for. Names of older registries are read too.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Input {
    /// The variable or the header; of an argument, its flag.
    pub name: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// The value itself. `{name}` stands for one of `variables`.
    pub value: Option<String>,
    /// The value where none is given.
    pub default: Option<String>,
    /// What a value looks like.
    pub placeholder: Option<String>,
    /// What kind of value it is, such as `number`.
    pub format: Option<String>,
    /// The values that it may have.
    pub choices: Option<Vec<String>>,
    /// Whether there must be a value.
    #[serde(alias = "is_required")]
    pub is_required: Option<bool>,
    /// Whether nobody may see it.
    #[serde(alias = "is_secret")]
    pub is_secret: Option<bool>,
    /// What stands for the names in `value`.
    pub variables: Option<BTreeMap<String, Input>>,
}

/// An argument of a program.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Argument {
    /// Whether it has a flag before it.
    #[serde(rename = "type")]
    pub kind: ArgumentKind,
    /// What it is called where it has no flag.
    #[serde(alias = "value_hint")]
    pub value_hint: Option<String>,
    /// Its value.
    #[serde(flatten)]
    pub input: Input,
}

/// Whether an argument has a flag before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArgumentKind {
    /// It has none.
    #[default]
    Positional,
    /// It has one.
    Named,
}

impl Input {
    /// Whether there must be a value.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.is_required.unwrap_or_default()
    }

    /// Whether nobody may see it.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        self.is_secret.unwrap_or_default()
    }
}

impl Argument {
    /// Whether it is a flag that has no value: nothing is said of one.
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
