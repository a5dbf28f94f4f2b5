//! A set of extensions.

use super::Extension;
use std::fmt;

/// A set of extensions, stored in a few bits so that every message can carry it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ExtensionSet(u16);

impl ExtensionSet {
    /// No extension.
    pub const EMPTY: Self = Self(0);

    /// Every extension.
    pub const ALL: Self = Self((1 << Extension::ALL.len()) - 1);

    /// Returns `true` if the set contains an extension.
    #[must_use]
    pub const fn contains(self, extension: Extension) -> bool {
        self.0 & (1 << extension as u8) != 0
    }

    /// Adds an extension.
    pub const fn insert(&mut self, extension: Extension) {
        self.0 |= 1 << extension as u8;
    }

    /// Returns the extensions that are in both sets.
    #[must_use]
    pub const fn intersect(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns `true` if the set contains every extension of another.
    #[must_use]
    pub const fn contains_all(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns `true` if the set contains no extension.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the extensions, in the order of the specification.
    pub fn iter(self) -> impl Iterator<Item = Extension> {
        Extension::ALL.into_iter().filter(move |extension| self.contains(*extension))
    }

    /// Returns the set of extensions that names stand for; unknown names are left out.
    pub fn from_spellings<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Self {
        names.into_iter().flat_map(|name| Extension::from_spelling(name.as_ref()).iter()).collect()
    }
}

impl FromIterator<Extension> for ExtensionSet {
    fn from_iter<I: IntoIterator<Item = Extension>>(extensions: I) -> Self {
        let mut set = Self::EMPTY;
        for extension in extensions {
            set.insert(extension);
        }
        set
    }
}

impl fmt::Debug for ExtensionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_full_set_holds_all_in_order() {
        assert!(ExtensionSet::ALL.iter().eq(Extension::ALL));
        assert_eq!(ExtensionSet::ALL.iter().count(), 13);
        assert!(ExtensionSet::EMPTY.is_empty() && ExtensionSet::EMPTY.iter().next().is_none());
    }

    #[test]
    fn any_part_of_a_split_extension_represents_it() {
        let set = ExtensionSet::from_spellings(["events", "tool_security", "error_handling", "x"]);
        assert!(set.iter().eq([Extension::Security, Extension::Events]));
        assert!(set.intersect(ExtensionSet::from_spellings(["security"])).iter().eq([Extension::Security]));
    }
}
