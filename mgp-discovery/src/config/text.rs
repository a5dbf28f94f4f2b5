//! Strings in which `${VAR}` and `${VAR:-default}` expand, and secret ones among them.

use super::secret_source::{SecretReader, SecretSource};
use serde::{Deserialize, Serialize};
use std::{fmt, ops::Range};

/// A string in which `${VAR}` stands for a variable of the environment, `${VAR:-default}` for its value or for a default if it is unset or
/// empty, and `$${` for `${`. `${keyring:NAME}`, `${file:PATH}` and `${command:PROGRAM ARGS}` stand for [secrets](SecretSource), which are read
/// later.
///
/// A `Text` keeps both the text of the file and its expanded value. Only the text of the file is ever shown or written.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Text {
    written: String,
    value: String,
    /// The secrets that are not read yet, by the places of their sources in the value.
    sources: Vec<(Range<usize>, SecretSource)>,
}

impl Text {
    /// Returns the value, with its variables expanded. A secret that is not read yet is as in the file.
    #[must_use]
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Returns the text as written in the file.
    #[must_use]
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Returns whether the text has a variable, set or not.
    pub(crate) fn has_variables(&self) -> bool {
        starts(&self.written).next().is_some()
    }

    /// Returns the value of a text that holds neither variables nor secrets; `None` for any other text.
    #[must_use]
    pub fn literal(&self) -> Option<String> {
        let mut text = self.clone();
        (!self.has_variables() && text.expand(&|_| None).is_ok()).then_some(text.value)
    }

    /// Returns the first source of a secret, also in a default.
    pub(crate) fn source(&self) -> Option<&str> {
        starts(&self.written).find_map(|at| {
            let inner = &self.written[at + "${".len()..];
            SecretSource::split(inner).map(|_| &self.written[at..])
        })
    }

    /// Replaces the variables with their values.
    ///
    /// # Errors
    /// If a variable without a default is not set, or if its name or closing brace is missing.
    pub(crate) fn expand(&mut self, lookup: &dyn Fn(&str) -> Option<String>) -> Result<(), ExpandError> {
        let mut expanded = Self::default();
        expand(&self.written, lookup, 0, &mut expanded)?;
        (self.value, self.sources) = (expanded.value, expanded.sources);
        Ok(())
    }

    /// Returns the sources of the secrets that are not read yet.
    pub fn sources(&self) -> impl Iterator<Item = &SecretSource> {
        self.sources.iter().map(|(_, source)| source)
    }

    /// Returns the value with the secrets that it names.
    ///
    /// # Errors
    /// A sentence with the reason why a secret cannot be read.
    pub async fn with_secrets(&self, reader: &dyn SecretReader) -> Result<String, String> {
        let mut read = Vec::new();
        for source in self.sources() {
            read.push((source.clone(), reader.read(source).await?));
        }
        let mut text = self.clone();
        text.fill(&|source| Some(read.iter().find(|(known, _)| known == source)?.1.clone()));
        Ok(text.value)
    }

    /// Puts secrets into the value.
    pub(crate) fn fill(&mut self, secret: &dyn Fn(&SecretSource) -> Option<String>) {
        // From the end, so that the places stay.
        while let Some((place, source)) = self.sources.pop() {
            self.value.replace_range(place, &secret(&source).unwrap_or_default());
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Text {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "x-type": "string, `${VAR}`" })
    }
}

impl From<String> for Text {
    /// Creates a text that is not expanded yet: until then its value is the text itself.
    fn from(written: String) -> Self {
        Self { value: written.clone(), written, sources: Vec::new() }
    }
}

impl From<&str> for Text {
    fn from(written: &str) -> Self {
        written.to_owned().into()
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.written
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.written, f)
    }
}

/// A [`Text`] that is never logged: a key, a password, a header.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Secret(Text);

impl Secret {
    /// Returns the secret itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        self.0.value()
    }

    /// Returns the text as written in the file, which may be the secret itself.
    #[must_use]
    pub fn written(&self) -> &str {
        self.0.written()
    }

    /// Returns the text that holds the secret.
    #[must_use]
    pub fn text(&self) -> &Text {
        &self.0
    }

    pub(crate) fn text_mut(&mut self) -> &mut Text {
        &mut self.0
    }
}

impl From<String> for Secret {
    fn from(written: String) -> Self {
        Self(Text::from(written))
    }
}

impl From<&str> for Secret {
    fn from(written: &str) -> Self {
        written.to_owned().into()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"***\"")
    }
}

/// The reason that a string could not be expanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ExpandError {
    /// The variable is not set.
    Unset(String),
    /// `${` is not followed by a name and `}`.
    Malformed(String),
    /// A source of a secret cannot be used for this reason.
    Source(String),
}

impl From<String> for ExpandError {
    fn from(reason: String) -> Self {
        Self::Source(reason)
    }
}

/// The deepest nesting of variables in defaults of variables.
const MAX_NESTING: usize = 4;

fn expand(
    written: &str,
    lookup: &dyn Fn(&str) -> Option<String>,
    nesting: usize,
    Text { value, sources, .. }: &mut Text,
) -> Result<(), ExpandError> {
    let mut rest = written;
    while let Some(at) = rest.find("${") {
        let before = &rest[..at];
        rest = &rest[at + 2..];
        if let Some(before) = before.strip_suffix('$') {
            value.push_str(before);
            value.push_str("${");
            continue;
        }
        value.push_str(before);
        let malformed = || ExpandError::Malformed(rest.chars().take(32).collect());
        let end = end_of_variable(rest).ok_or_else(malformed)?;
        if let Some((kind, argument)) = SecretSource::split(&rest[..end]) {
            let source = SecretSource::read(kind, argument, |word| literal(word, lookup))?;
            let start = value.len();
            value.push_str(&format!("${{{}}}", &rest[..end]));
            sources.push((start..value.len(), source));
            rest = &rest[end + 1..];
            continue;
        }
        let (name, default) = match rest[..end].split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (&rest[..end], None),
        };
        if !is_name(name) || nesting > MAX_NESTING {
            return Err(malformed());
        }
        let found = lookup(name);
        match default {
            Some(default) => match found.filter(|found| !found.is_empty()) {
                Some(found) => value.push_str(&found),
                None => {
                    let mut inner = Text::default();
                    expand(default, lookup, nesting + 1, &mut inner)?;
                    let start = value.len();
                    value.push_str(&inner.value);
                    let moved = |(at, source): (Range<usize>, _)| (start + at.start..start + at.end, source);
                    sources.extend(inner.sources.into_iter().map(moved));
                }
            },
            None => value.push_str(&found.ok_or_else(|| ExpandError::Unset(name.to_owned()))?),
        }
        rest = &rest[end + 1..];
    }
    value.push_str(rest);
    Ok(())
}

/// Returns a part of a source with its variables expanded. It cannot hold another source.
fn literal(written: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Result<String, ExpandError> {
    let mut text = Text::default();
    expand(written, lookup, 0, &mut text)?;
    match text.sources.is_empty() {
        true => Ok(text.value),
        false => Err(ExpandError::Source("a secret cannot name another secret".to_owned())),
    }
}

/// Returns the places where a text may have variables: those of `${` without another `$` before it.
fn starts(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices("${").map(|(at, _)| at).filter(|at| !text[..*at].ends_with('$'))
}

/// Returns the first variable or secret of a text, such as `${HOME}`, `${PORT:-80}` or `${keyring:github}`.
pub(super) fn variable_in(text: &str) -> Option<&str> {
    starts(text).find_map(|at| {
        let inner = &text[at + "${".len()..];
        let end = end_of_variable(inner)?;
        let name = inner[..end].split_once(":-").map_or(&inner[..end], |(name, _)| name);
        (is_name(name) || SecretSource::split(&inner[..end]).is_some())
            .then(|| &text[at..at + "${".len() + end + 1])
    })
}

/// Returns the offset of the `}` that ends a variable, given the text after `${`. The default may contain variables, too.
fn end_of_variable(text: &str) -> Option<usize> {
    let (mut open, mut last) = (1_usize, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' if last == b'$' => open += 1,
            b'}' if open == 1 => return Some(at),
            b'}' => open -= 1,
            _ => {}
        }
        last = byte;
    }
    None
}

fn is_name(name: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(legal) && !name.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(written: &str) -> Result<String, ExpandError> {
        let lookup = |name: &str| match name {
            "KEY" => Some("s3cret".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        let mut text = Text::from(written);
        text.expand(&lookup).map(|()| text.value)
    }

    #[test]
    fn variables_expand_and_a_doubled_dollar_is_literal() {
        assert_eq!(expanded("a ${KEY}b${KEY}").unwrap(), "a s3cretbs3cret");
        assert_eq!(expanded("$${KEY} $KEY $ }").unwrap(), "${KEY} $KEY $ }");
        assert_eq!(expanded("$$${KEY}").unwrap(), "$${KEY}");
    }

    #[test]
    fn a_default_replaces_an_unset_or_empty_variable() {
        assert_eq!(expanded("${KEY:-x} ${OTHER:-a:-b c} ${OTHER:-}.").unwrap(), "s3cret a:-b c .");
        assert_eq!(expanded("${EMPTY}|${EMPTY:-x}").unwrap(), "|x");
        assert_eq!(expanded("${OTHER:-${KEY}-${NO:-$${y}}}!").unwrap(), "s3cret-${y}!");
        assert_eq!(expanded("${KEY:-${OTHER}}").unwrap(), "s3cret", "a default that is not used is not read");
        assert_eq!(expanded("${OTHER:-${NO}}"), Err(ExpandError::Unset("NO".into())));
        let nested = |depth: usize| format!("{}x{}", "${NO:-".repeat(depth), "}".repeat(depth));
        assert_eq!(expanded(&nested(MAX_NESTING + 1)).unwrap(), "x");
        assert!(matches!(expanded(&nested(100_000)), Err(ExpandError::Malformed(_))));
    }

    #[test]
    fn an_unset_or_broken_variable_is_an_error() {
        assert_eq!(expanded("${OTHER}"), Err(ExpandError::Unset("OTHER".into())));
        for broken in ["${", "${}", "${A B}", "${KEY", "${1}", "${:-x}", "${KEY:x}", "${KEY-x}", "${KEY:-x"] {
            assert!(matches!(expanded(broken), Err(ExpandError::Malformed(_))), "{broken}");
        }
    }

    #[test]
    fn secrets_are_filled_in_after_variables() {
        let filled = |written: &str| {
            let mut text = Text::from(written);
            text.expand(&|name| (name == "DIR").then(|| "/a b".to_owned())).map(|()| {
                let sources: Vec<_> = text.sources().cloned().collect();
                text.fill(&|source| Some(format!("<{source:?}>")));
                assert_eq!(text.sources().count(), 0);
                (text.value, sources)
            })
        };
        let stored = |name: &str| SecretSource::Keyring(name.to_owned());
        let (value, sources) = filled("é ${keyring:a} ${NO:-x${keyring:b.1}y}$${keyring:c}").unwrap();
        assert_eq!(sources, [stored("a"), stored("b.1")]);
        assert_eq!(value, "é <Keyring(\"a\")> x<Keyring(\"b.1\")>y${keyring:c}");
        let words =
            |words: &[&str]| SecretSource::Command(words.iter().map(|&word| word.to_owned()).collect());
        for (written, expected) in [
            ("${file:${DIR}/key}", SecretSource::File("/a b/key".into())),
            ("${command:op read 'op://v/k l' ${DIR}}", words(&["op", "read", "op://v/k l", "/a b"])),
        ] {
            assert_eq!(filled(written).unwrap().1, [expected], "{written}");
        }
        assert_eq!(filled("${file:-x}${command:-y}").unwrap(), ("xy".to_owned(), vec![]));
        for broken in [
            "${keyring:}",
            "${keyring:a b}",
            "${keyring:../a}",
            "${file:}",
            "${file:key}",
            "${command:}",
            "${command: }",
            "${command:a 'b}",
            "${command:a ${keyring:b}}",
        ] {
            assert!(matches!(filled(broken), Err(ExpandError::Source(_))), "{broken}");
        }
        assert_eq!(filled("${file:${NO}/x}"), Err(ExpandError::Unset("NO".into())));
        assert!(filled(&format!("${{keyring:{}}}", "a".repeat(129))).is_err());
    }

    #[test]
    fn an_expanded_value_is_neither_shown_nor_written() {
        let mut text = Text::from("--key=${KEY}");
        text.expand(&|_| Some("s3cret".into())).unwrap();
        assert_eq!(text.value(), "--key=s3cret");
        assert_eq!(format!("{text:?}"), "\"--key=${KEY}\"");
        assert_eq!(serde_json::to_string(&text).unwrap(), "\"--key=${KEY}\"");
        assert_eq!(format!("{:?}", Secret::from("s3cret")), "\"***\"");
    }
}
