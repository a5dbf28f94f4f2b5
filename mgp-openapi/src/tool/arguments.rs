//! The names of a tool's arguments: those of parameters and members, made unique.

use super::name::plain;
use crate::limits::MAX_NAME;
use std::collections::HashSet;

/// The names that arguments of a tool have taken.
#[derive(Debug, Default)]
pub(super) struct ArgumentNames {
    taken: HashSet<String>,
}

impl ArgumentNames {
    /// Returns the name of an argument. If another argument has it already, the place follows, such as `_query`, and
    /// then a number.
    ///
    /// The result has only letters, digits, `_`, `-` and `.`, because some hosts refuse other names of arguments.
    pub(super) fn take(&mut self, name: &str, place: &str) -> String {
        let base: Vec<String> = name.split('.').map(plain).filter(|part| !part.is_empty()).collect();
        let base = if base.is_empty() { place.to_owned() } else { base.join(".") };
        let base = base.get(..MAX_NAME).unwrap_or(&base).to_owned();
        let mut candidate = base.clone();
        for number in 1_u32.. {
            if self.taken.insert(candidate.clone()) {
                break;
            }
            let suffix = if number == 1 { format!("_{place}") } else { format!("_{place}_{number}") };
            let head = base.get(..MAX_NAME.saturating_sub(suffix.len())).unwrap_or(&base);
            candidate = format!("{head}{suffix}");
        }
        candidate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_plain() {
        let mut names = ArgumentNames::default();
        let mut take = |name, place| names.take(name, place);
        assert_eq!(take("id", "path"), "id");
        assert_eq!(take("id", "query"), "id_query");
        assert_eq!(take("id", "body"), "id_body");
        assert_eq!(take("id", "query"), "id_query_2");
        assert_eq!(take("filter[name]", "query"), "filter_name");
        assert_eq!(take("$top", "query"), "top");
        assert_eq!(take("api.key", "query"), "api.key");
        assert_eq!(take("§", "header"), "header");
        let long = "x".repeat(100);
        assert_eq!((take(&long, "query").len(), take(&long, "query").len()), (64, 64));
    }
}
