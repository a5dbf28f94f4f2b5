//! Scopes: the rights of a token.

use std::{collections::BTreeSet, fmt, sync::Arc};

/// A set of scopes, in alphabetical order. Cheap to clone.
///
/// ```
/// use mgp_transport::seam::Scopes;
/// let scopes = Scopes::parse("mcp  files:read mcp");
/// assert!(scopes.contains("mcp") && !scopes.contains("files"));
/// assert_eq!(scopes.to_string(), "files:read mcp");
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Scopes(Arc<BTreeSet<Box<str>>>);

/// Returns `true` if a text can be one scope: visible ASCII without quotes and backslashes (RFC 6749, section 3.3).
#[must_use]
pub fn is_scope(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\')
}

impl Scopes {
    /// Reads a list of scopes separated by spaces.
    #[must_use]
    pub fn parse(list: &str) -> Self {
        list.split(' ').collect()
    }

    /// Returns `true` if the set contains a scope.
    #[must_use]
    pub fn contains(&self, scope: &str) -> bool {
        self.0.contains(scope)
    }

    /// Returns `true` if the set contains all scopes of another set.
    #[must_use]
    pub fn contains_all(&self, needed: &Self) -> bool {
        needed.0.is_subset(&self.0)
    }

    /// Returns the scopes that are in either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.iter().chain(other.iter()).collect()
    }

    /// Returns `true` if the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns an iterator over the scopes.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|scope| &**scope)
    }
}

impl<T: AsRef<str>> FromIterator<T> for Scopes {
    /// Collects scopes. A text that cannot be a scope is left out, because no challenge could contain it.
    fn from_iter<I: IntoIterator<Item = T>>(scopes: I) -> Self {
        let scopes = scopes.into_iter().filter(|scope| is_scope(scope.as_ref()));
        Self(Arc::new(scopes.map(|scope| scope.as_ref().into()).collect()))
    }
}

impl fmt::Display for Scopes {
    /// Writes the scopes separated by spaces, as challenges and tokens do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, scope) in self.iter().enumerate() {
            if at > 0 {
                f.write_str(" ")?;
            }
            f.write_str(scope)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scopes({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_scope_is_left_out() {
        let scopes: Scopes = ["a", "", "b\"c", "d\\e", "f\ng", "h i", "ü", "j:k/l"].into_iter().collect();
        assert_eq!(scopes.to_string(), "a j:k/l");
    }

    #[test]
    fn a_scope_is_not_part_of_a_longer_one() {
        let has = Scopes::parse("files:read admin");
        assert!(has.contains_all(&Scopes::parse("admin")) && has.contains_all(&Scopes::default()));
        assert!(!has.contains_all(&Scopes::parse("files")) && !has.contains_all(&Scopes::parse("admin x")));
        assert_eq!(has.union(&Scopes::parse("x")).to_string(), "admin files:read x");
    }
}
