//! A field of the form.

use super::name::{ArgumentKind, FieldName};
use mgp_types::json::RawJson;

/// A field of the form of a tool's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::pages::tools) struct ArgumentField {
    pub(in crate::pages::tools) name: FieldName,
    pub(in crate::pages::tools) description: Option<String>,
    pub(in crate::pages::tools) default: Option<RawJson>,
    /// The bounds of a number.
    pub(in crate::pages::tools) bounds: Option<String>,
    /// The values to choose from.
    pub(in crate::pages::tools) choices: Vec<RawJson>,
    /// The fields of a group.
    pub(in crate::pages::tools) fields: Vec<Self>,
}

impl ArgumentField {
    pub(in crate::pages::tools) const fn kind(&self) -> ArgumentKind {
        self.name.kind
    }

    /// Returns the name of the argument in its object.
    pub(in crate::pages::tools) fn label(&self) -> &str {
        self.name.path.last().map_or("", String::as_str)
    }

    /// Returns the text that the field has at first. Only an argument that is required is filled in: a server has the defaults of the others.
    pub(in crate::pages::tools) fn first_value(&self) -> String {
        let default = self.default.as_ref().filter(|_| self.name.is_required());
        match (self.kind(), default) {
            (_, None) => String::new(),
            (ArgumentKind::Text, Some(default)) => default.to_text().unwrap_or_default(),
            (ArgumentKind::Texts, Some(default)) => {
                default.decode::<Vec<String>>().unwrap_or_default().join("\n")
            }
            (_, Some(default)) => default.as_str().to_owned(),
        }
    }
}
