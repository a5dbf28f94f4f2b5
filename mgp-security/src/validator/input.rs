//! What a validator looks at.

use crate::profile::{Leaves, ToolProfile};
use mgp_types::json::Deep;

/// One string inside the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// The JSON pointer (RFC 6901) that leads to it from the arguments.
    pub pointer: String,
    /// The string, unescaped.
    pub text: String,
}

impl Leaf {
    /// A string at a pointer.
    pub fn new(pointer: impl Into<String>, text: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), text: text.into() }
    }

    /// The name of the member that holds it; an item of an array has the array's.
    #[must_use]
    pub fn key(&self) -> &str {
        let named = |part: &&str| !part.is_empty() && !part.bytes().all(|b| b.is_ascii_digit());
        self.pointer.rsplit('/').find(named).unwrap_or_default()
    }
}

/// What a validator looks at: the strings of the arguments, and what is known of the tool.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The strings, in the order in which they stand in the arguments.
    pub leaves: &'a [Leaf],
    /// The tool.
    pub profile: &'a ToolProfile,
}

/// The strings of the arguments that a profile asks to look at.
pub(super) fn leaves_of(arguments: &Deep, which: &Leaves) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    arguments.for_each_string(&mut |pointer, text| {
        if which.includes(pointer) {
            leaves.push(Leaf::new(pointer, text));
        }
    });
    leaves
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::json::{RawJson, read_deep};

    fn pointers(which: &Leaves) -> Vec<String> {
        let json = RawJson::parse(r#"{"a":{"b":"x","c":["y"]},"ab":"z","n":1}"#).unwrap();
        leaves_of(&read_deep(&json).unwrap(), which).into_iter().map(|leaf| leaf.pointer).collect()
    }

    #[test]
    fn every_string_is_looked_at_unless_pointers_narrow_it() {
        assert_eq!(pointers(&Leaves::All), ["/a/b", "/a/c/0", "/ab"]);
        assert_eq!(pointers(&Leaves::At(vec!["/a".into()])), ["/a/b", "/a/c/0"]);
        assert_eq!(pointers(&Leaves::At(vec!["/a/c/0".into(), "/ab".into()])), ["/a/c/0", "/ab"]);
        assert_eq!(pointers(&Leaves::At(vec![String::new()])).len(), 3);
    }

    #[test]
    fn an_item_of_an_array_has_the_array_s_key() {
        assert_eq!(Leaf::new("/hosts/0", "x").key(), "hosts");
        assert_eq!(Leaf::new("", "x").key(), "");
    }
}
