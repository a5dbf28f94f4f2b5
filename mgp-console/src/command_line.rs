//! Command lines of fields.

use crate::form::Form;
use mgp_types::printable::quoted;

/// A field of a form that an action cannot use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FieldError {
    /// A field that the action needs is not there.
    #[error("the field `{0}` is missing")]
    Missing(&'static str),
    /// The value of a field would be an option of the command.
    #[error("the field `{0}` begins with `-`: expected a text that does not begin with `-`")]
    Option(&'static str),
    /// A field that needs a value has none.
    #[error("{} is empty: expected {expected}", quoted(name))]
    Empty {
        /// The name, as its form shows it.
        name: String,
        /// The form of a value.
        expected: &'static str,
    },
    /// A value has another form than the field needs.
    #[error("{} is {}: expected {expected}", quoted(name), quoted(value))]
    Wrong {
        /// The name, as its form shows it.
        name: String,
        /// The value.
        value: String,
        /// The form of a value.
        expected: &'static str,
    },
}

impl Form {
    /// Returns a field that an action needs.
    pub(crate) fn needed(&self, name: &'static str) -> Result<&str, FieldError> {
        self.one(name).ok_or(FieldError::Missing(name))
    }
}

/// The words of a command line. Values of fields never become options: an option's value follows `=`, and other values follow `--`.
#[derive(Debug, Default)]
pub(crate) struct Words {
    options: Vec<String>,
    values: Vec<String>,
}

impl Words {
    /// Starts with the names of a command and its subcommand.
    pub(crate) fn of(command: &[&str]) -> Self {
        Self { options: command.iter().map(|word| (*word).to_owned()).collect(), values: Vec::new() }
    }

    /// Adds an option without a value, if it is wanted.
    pub(crate) fn flag(mut self, name: &str, wanted: bool) -> Self {
        if wanted {
            self.options.push(format!("--{name}"));
        }
        self
    }

    /// Adds an option with a value, if there is one.
    pub(crate) fn option(mut self, name: &str, value: Option<&str>) -> Self {
        self.options.extend(value.map(|value| format!("--{name}={value}")));
        self
    }

    /// Adds an option for each value.
    pub(crate) fn options<'a>(mut self, name: &str, values: impl Iterator<Item = &'a str>) -> Self {
        self.options.extend(values.map(|value| format!("--{name}={value}")));
        self
    }

    /// Adds a value that stands in front of `--`, because the command takes other values after it.
    ///
    /// # Errors
    /// If the value looks like an option.
    pub(crate) fn name(mut self, field: &'static str, value: &str) -> Result<Self, FieldError> {
        if value.starts_with('-') {
            return Err(FieldError::Option(field));
        }
        self.options.push(value.to_owned());
        Ok(self)
    }

    /// Adds a value that stands for itself.
    pub(crate) fn value(mut self, value: &str) -> Self {
        self.values.push(value.to_owned());
        self
    }

    /// Returns the words.
    pub(crate) fn finish(mut self) -> Vec<String> {
        if !self.values.is_empty() {
            self.options.push("--".to_owned());
            self.options.append(&mut self.values);
        }
        self.options
    }
}

/// Returns the words as a shell takes them.
pub(crate) fn command_line(words: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:@,+".contains(c);
    let quote = |word: &String| match word {
        word if !word.is_empty() && word.chars().all(is_plain) => word.clone(),
        word => format!("'{}'", mgp_types::printable::printable(word).replace('\'', r"'\''")),
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_a_field_never_becomes_an_option() {
        let words = Words::of(&["approve"])
            .flag("deny", true)
            .option("for", Some("--always"))
            .value("--all")
            .finish();
        assert_eq!(words, ["approve", "--deny", "--for=--always", "--", "--all"]);
        assert_eq!(Words::of(&["add"]).name("name", "--yes").unwrap_err(), FieldError::Option("name"));
    }
}
