//! The extensions of MCP that pass between hosts and servers.

use mgp_types::mcp::APPS_EXTENSION;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, SeqAccess, Visitor},
};
use std::{collections::BTreeSet, fmt};

/// The names of extensions that pass between hosts and servers. MGP and tasks always pass, in a form of their own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PassedExtensions {
    /// Every extension, known here or not.
    #[default]
    All,
    /// The extensions that are known here.
    Known,
    /// These extensions.
    Named(BTreeSet<String>),
}

impl PassedExtensions {
    /// The extensions that are known here.
    pub const KNOWN: [&str; 2] = ["io.modelcontextprotocol/skills", APPS_EXTENSION];

    /// Returns whether an extension passes.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Known => Self::KNOWN.contains(&name),
            Self::Named(names) => names.contains(name),
        }
    }
}

impl Serialize for PassedExtensions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::All => serializer.serialize_str("all"),
            Self::Known => serializer.serialize_str("known"),
            Self::Named(names) => names.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for PassedExtensions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordOrNames)
    }
}

struct WordOrNames;

impl<'de> Visitor<'de> for WordOrNames {
    type Value = PassedExtensions;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"all\", \"known\" or a list of names of extensions")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Self::Value, E> {
        match word {
            "all" => Ok(PassedExtensions::All),
            "known" => Ok(PassedExtensions::Known),
            _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<Self::Value, A::Error> {
        let mut found = BTreeSet::new();
        while let Some(name) = names.next_element()? {
            found.insert(name);
        }
        Ok(PassedExtensions::Named(found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_all_the_known_ones_or_named() {
        let read = |text: &str| serde_json::from_str::<PassedExtensions>(text);
        for (text, passes) in [
            (r#""all""#, [true, true]),
            (r#""known""#, [true, false]),
            (r#"["com.example/x"]"#, [false, true]),
            ("[]", [false, false]),
        ] {
            let extensions = read(text).unwrap();
            let found = ["io.modelcontextprotocol/ui", "com.example/x"].map(|name| extensions.has(name));
            assert_eq!(found, passes, "{text}");
            assert_eq!(serde_json::to_string(&extensions).unwrap(), text);
        }
        for text in [r#""some""#, "3", "[1]", "null"] {
            read(text).unwrap_err();
        }
        let error = read(r#""some""#).unwrap_err().to_string();
        assert!(error.contains(r#"expected "all", "known" or a list of names of extensions"#), "{error}");
    }
}
