//! One difference.

use serde::Serialize;
use serde_json::Value;
use std::fmt;

/// The effect of a difference on the users of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// A call that was valid may be refused, or a result may be invalid for its reader.
    Breaking,
    /// Calls and results that were valid still are.
    Compatible,
    /// Text that a model or a person reads.
    Text,
    /// The tool claims to do less harm than before.
    LowerRisk,
    /// The tool admits more harm than before.
    HigherRisk,
}

impl Effect {
    /// Returns the words for the effect.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Breaking => "breaking",
            Self::Compatible => "compatible",
            Self::Text => "text",
            Self::LowerRisk => "claims less risk",
            Self::HigherRisk => "admits more risk",
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One difference between two definitions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The JSON pointer to the changed part of the definition.
    pub path: String,
    /// The effect of the difference.
    pub effect: Effect,
    /// The value before; `None` if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// The value after; `None` if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
}

impl Difference {
    /// Returns the difference without the values, for readers such as a model, which must not read a new text.
    pub(crate) fn without_values(&self) -> impl Serialize + use<> {
        #[derive(Serialize)]
        struct Place {
            path: String,
            effect: Effect,
        }
        Place { path: self.path.chars().take(MAX_PATH).collect(), effect: self.effect }
    }
}

/// The longest part of a path that an event names, in characters, because servers choose the names of parameters.
const MAX_PATH: usize = 200;
