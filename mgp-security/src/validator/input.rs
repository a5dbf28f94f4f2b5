//! The input of a validator.

use super::Violation;
use crate::profile::{Leaves, ToolProfile};
use mgp_types::json::{Deep, Part};
use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

/// A part of the arguments: a string, a number, or a member's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// The JSON pointer (RFC 6901) from the arguments to the part; for a name, to the object that has the member.
    pub pointer: String,
    /// The string or the name, unescaped; a number in decimal.
    pub text: String,
    /// The kind of the part.
    pub kind: LeafKind,
}

/// A kind of part of the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LeafKind {
    /// A string.
    Text,
    /// A number.
    Number,
    /// A member's name.
    Name,
}

impl Leaf {
    /// Creates a string at a pointer.
    pub fn new(pointer: impl Into<String>, text: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), text: text.into(), kind: LeafKind::Text }
    }

    /// Creates a member's name, in the object at a pointer.
    pub fn name(pointer: impl Into<String>, name: impl Into<String>) -> Self {
        Self { kind: LeafKind::Name, ..Self::new(pointer, name) }
    }

    /// Creates a number at a pointer.
    pub fn number(pointer: impl Into<String>, number: f64) -> Self {
        Self { kind: LeafKind::Number, ..Self::new(pointer, number.to_string()) }
    }

    /// Returns whether this is an ordinary member's name: a single word, which runs, writes and reaches nothing.
    pub(super) fn is_plain_name(&self) -> bool {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        self.kind == LeafKind::Name && self.text.chars().all(plain)
    }

    /// Returns the location of the part, as a violation states it.
    pub(super) fn place(&self) -> impl fmt::Display {
        let what = if self.kind == LeafKind::Name { "a member's name in " } else { "" };
        format!("{what}{:?}", self.pointer)
    }

    /// Returns the name of the member that contains the part. For an item of an array, that is the array's member; for a name, it is the
    /// member that contains the object.
    #[must_use]
    pub fn key(&self) -> &str {
        let named = |part: &&str| !part.is_empty() && !part.bytes().all(|b| b.is_ascii_digit());
        self.pointer.rsplit('/').find(named).unwrap_or_default()
    }
}

/// The input of a validator: the parts of the arguments, and the profile of the tool.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The strings, the numbers and the members' names, in the order of the arguments.
    pub leaves: &'a [Leaf],
    /// The profile of the tool.
    pub profile: &'a ToolProfile,
    /// The end of the time limit; `None` for no limit. A validator that inspects many parts calls
    /// [`in_time`](Self::in_time) before each.
    pub deadline: Option<Instant>,
    /// True once the verdict is no longer awaited; `None` if it always is.
    pub abandoned: Option<&'a AtomicBool>,
}

impl<'a> Input<'a> {
    /// Creates an input without a time limit.
    #[must_use]
    pub fn new(leaves: &'a [Leaf], profile: &'a ToolProfile) -> Self {
        Self { leaves, profile, deadline: None, abandoned: None }
    }

    /// Checks that the time limit has not expired, and that the verdict is still awaited.
    ///
    /// # Errors
    /// The refusal of the call, if the validator should stop.
    pub fn in_time(&self) -> Result<(), Violation> {
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let is_abandoned = self.abandoned.is_some_and(|abandoned| abandoned.load(Ordering::Relaxed));
        if is_late || is_abandoned {
            return Err(Violation::late(format_args!("{} strings, numbers and names", self.leaves.len())));
        }
        Ok(())
    }
}

/// The most bytes of pointers for each byte of the arguments. A member's name is repeated in the pointer of every part inside the member.
const POINTERS: usize = 32;

/// The number of bytes of pointers that arguments of any length may have.
const FEW_POINTERS: usize = 4 << 20;

/// Returns the parts of the arguments that `which` includes. `length` is the length of the arguments as text, in bytes.
///
/// # Errors
/// The reason, if long names contain so many parts that their pointers would exhaust the memory.
pub(super) fn leaves_of(arguments: &Deep, length: usize, which: &Leaves) -> Result<Vec<Leaf>, String> {
    let limit = length.saturating_mul(POINTERS).max(FEW_POINTERS);
    let (mut leaves, mut bytes) = (Vec::new(), 0usize);
    arguments.for_each_part(&mut |pointer, part| {
        if bytes <= limit && which.includes(pointer) {
            bytes += pointer.len();
            leaves.push(match part {
                Part::Text(text) => Leaf::new(pointer, text),
                Part::Number(number) => Leaf::number(pointer, number),
                Part::Name(name) => Leaf::name(pointer, name),
            });
        }
    });
    if bytes > limit {
        return Err(format!(
            "members' names are too long for what stands in them: expected at most {limit} bytes of pointers to all parts"
        ));
    }
    Ok(leaves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::json::{RawJson, read_deep};

    fn pointers(which: &Leaves) -> Vec<String> {
        let json = RawJson::parse(r#"{"a":{"b":"x","c":["y"]},"ab":"z","n":1.5}"#).unwrap();
        let leaves = leaves_of(&read_deep(&json).unwrap(), json.as_bytes().len(), which).unwrap();
        leaves.into_iter().map(|leaf| format!("{} {}", leaf.pointer, leaf.text)).collect()
    }

    #[test]
    fn every_value_and_name_is_checked_unless_pointers_narrow_it() {
        let all = [" a", "/a b", "/a/b x", "/a c", "/a/c/0 y", " ab", "/ab z", " n", "/n 1.5"];
        assert_eq!(pointers(&Leaves::All), all);
        assert_eq!(pointers(&Leaves::At(vec!["/a".into()])), ["/a b", "/a/b x", "/a c", "/a/c/0 y"]);
        assert_eq!(pointers(&Leaves::At(vec!["/a/c/0".into(), "/ab".into()])), ["/a/c/0 y", "/ab z"]);
        assert_eq!(pointers(&Leaves::At(vec![String::new()])), all);
    }

    #[test]
    fn short_arguments_may_have_a_long_name_around_some_parts() {
        let json = format!(r#"{{"{}":[{}1]}}"#, "n".repeat(1000), "1,".repeat(200));
        let json = RawJson::parse(json).unwrap();
        let leaves = leaves_of(&read_deep(&json).unwrap(), json.as_bytes().len(), &Leaves::All);
        assert_eq!(leaves.unwrap().len(), 202);
    }

    #[test]
    fn a_name_is_located_at_its_object() {
        let name = Leaf::name("/hosts", "127.1");
        assert_eq!(
            (name.key(), name.place().to_string().as_str()),
            ("hosts", r#"a member's name in "/hosts""#)
        );
        assert!(!Leaf::name("", "rm -rf").is_plain_name() && Leaf::name("", "X-A_b.1").is_plain_name());
    }

    #[test]
    fn an_item_of_an_array_has_the_array_s_key() {
        assert_eq!(Leaf::new("/hosts/0", "x").key(), "hosts");
        assert_eq!(Leaf::new("", "x").key(), "");
    }
}
