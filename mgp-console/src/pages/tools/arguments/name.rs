//! The name of a field, which says where its value goes and of which type it is.

use std::fmt;

/// The name of the field that has all arguments as JSON, and that takes precedence over all others if it is not empty.
pub(in crate::pages::tools) const WHOLE: &str = "arguments";

/// The type of an argument, as far as a form knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pages::tools) enum ArgumentKind {
    Text,
    Integer,
    Number,
    Boolean,
    /// One of several values, each of which is JSON.
    Choice,
    /// A list of texts, one in a line.
    Texts,
    /// An object whose members have fields of their own.
    Group,
    /// Any other value, as JSON.
    Json,
}

impl ArgumentKind {
    const ALL: [(Self, &str); 8] = [
        (Self::Text, "text"),
        (Self::Integer, "integer"),
        (Self::Number, "number"),
        (Self::Boolean, "boolean"),
        (Self::Choice, "choice"),
        (Self::Texts, "texts"),
        (Self::Group, "group"),
        (Self::Json, "json"),
    ];

    fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// Returns the form of a value, for errors.
    pub(super) const fn expected(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Integer => "a whole number, such as 10",
            Self::Number => "a number, such as 2.5",
            Self::Boolean => "true or false",
            Self::Choice => "one of the values that the tool lists",
            Self::Texts => "one text in each line",
            Self::Group => "values for its fields",
            Self::Json => "JSON, such as {\"a\": [1, \"b\"]}",
        }
    }
}

/// The meaning of a field without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pages::tools) enum EmptyField {
    /// The argument is left out.
    LeftOut,
    /// The argument is missing.
    Missing,
    /// The argument is `null`.
    Null,
}

impl EmptyField {
    const ALL: [(Self, &str); 3] = [(Self::Missing, "!"), (Self::Null, "?"), (Self::LeftOut, "")];
}

/// The name of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::pages::tools) struct FieldName {
    pub(in crate::pages::tools) kind: ArgumentKind,
    pub(super) empty: EmptyField,
    /// The members that lead to the argument.
    pub(super) path: Vec<String>,
}

impl FieldName {
    pub(in crate::pages::tools) fn is_required(&self) -> bool {
        self.empty != EmptyField::LeftOut
    }

    /// Returns whether the field must not be empty, if its object is given.
    pub(in crate::pages::tools) fn needs_value(&self) -> bool {
        // The fields of an optional object are only needed with others of it, which the form does not know.
        self.empty == EmptyField::Missing && self.path.len() == 1
    }

    /// Reads the name of a field; `None` for other names.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let (start, pointer) = name.split_once('/')?;
        let (empty, mark) = EmptyField::ALL
            .into_iter()
            .find(|(_, mark)| !mark.is_empty() && start.ends_with(mark))
            .unwrap_or((EmptyField::LeftOut, ""));
        let start = &start[..start.len() - mark.len()];
        let (kind, _) = ArgumentKind::ALL.into_iter().find(|(_, name)| *name == start)?;
        let unescaped = |part: &str| part.replace("~1", "/").replace("~0", "~");
        Some(Self { kind, empty, path: pointer.split('/').map(unescaped).collect() })
    }
}

/// Writes the name: the kind, the mark of an empty field, and the JSON pointer of the argument.
impl fmt::Display for FieldName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.as_str())?;
        let mark = EmptyField::ALL.iter().find(|(empty, _)| *empty == self.empty);
        f.write_str(mark.map_or("", |(_, mark)| mark))?;
        self.path.iter().try_for_each(|part| write!(f, "/{}", part.replace('~', "~0").replace('/', "~1")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_was_written() {
        for (kind, name) in ArgumentKind::ALL {
            for (empty, mark) in EmptyField::ALL {
                for path in [&["a"][..], &["a", "b c"], &["a/b", "~1", ""], &["!", "?", "ä"]] {
                    let path = path.iter().map(|part| (*part).to_owned()).collect();
                    let written = FieldName { kind, empty, path };
                    let text = written.to_string();
                    assert!(text.starts_with(&format!("{name}{mark}/")), "{text}");
                    assert_eq!(FieldName::parse(&text), Some(written), "{text}");
                }
            }
        }
    }

    #[test]
    fn other_names_are_not_of_arguments() {
        for name in ["", "tool", "arguments", "text", "texts!", "other/a", "Text/a", "text!!/a", "/a"] {
            assert_eq!(FieldName::parse(name), None, "{name}");
        }
    }
}
