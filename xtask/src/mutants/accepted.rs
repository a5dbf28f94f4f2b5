//! The mutants that may survive, each with its reason.

use super::outcome::without_position;

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AcceptedMutant {
    /// The mutant's name in cargo-mutants, without line and column, which change.
    pub(super) mutant: String,
    pub(super) line: usize,
}

/// Reads "MUTANT -- REASON" lines; empty lines and those with `#` are remarks.
pub(super) fn parse(text: &str) -> Result<Vec<AcceptedMutant>, String> {
    let mut list = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (mutant, reason) = line.rsplit_once(" -- ").unwrap_or((line, ""));
        if reason.trim().is_empty() {
            return Err(format!("line {}: `{mutant}` has no reason: expected `MUTANT -- REASON`", index + 1));
        }
        list.push(AcceptedMutant { mutant: without_position(mutant.trim()), line: index + 1 });
    }
    Ok(list)
}

/// The comparison of the survivors with the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Comparison {
    pub(super) accepted: usize,
    /// Survivors without a line, by their names in cargo-mutants.
    pub(super) missed: Vec<String>,
    /// Lines without a survivor.
    pub(super) stale: Vec<AcceptedMutant>,
}

/// Compares survivors with the list. One line accepts one survivor: a second one of the same name needs another line.
pub(super) fn compare(survivors: &[String], mut list: Vec<AcceptedMutant>) -> Comparison {
    let mut comparison = Comparison::default();
    for survivor in survivors {
        let name = without_position(survivor);
        match list.iter().position(|accepted| accepted.mutant == name) {
            Some(index) => {
                list.remove(index);
                comparison.accepted += 1;
            }
            None => comparison.missed.push(survivor.clone()),
        }
    }
    comparison.stale = list;
    comparison
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURVIVOR: &str = "a/src/b.rs:3:7: replace x -> bool with true";

    fn list(text: &str) -> Vec<AcceptedMutant> {
        parse(text).unwrap()
    }

    #[test]
    fn a_survivor_with_a_reason_is_accepted_on_any_line() {
        let list = list("# remark\n\na/src/b.rs:9:1: replace x -> bool with true -- both are the same\n");
        let comparison = compare(&[SURVIVOR.to_owned()], list);
        assert_eq!(comparison, Comparison { accepted: 1, ..Comparison::default() });
    }

    #[test]
    fn a_second_survivor_of_the_same_name_is_missed() {
        let survivors = [SURVIVOR.to_owned(), SURVIVOR.replace(":3:", ":5:")];
        let comparison = compare(&survivors, list("a/src/b.rs: replace x -> bool with true -- same"));
        assert_eq!((comparison.accepted, comparison.missed), (1, vec![survivors[1].clone()]));
    }

    #[test]
    fn a_line_without_a_survivor_is_stale() {
        let comparison = compare(&[], list("a/src/b.rs: replace x -> bool with true -- same"));
        assert_eq!(comparison.stale.len(), 1);
    }

    #[test]
    fn a_line_without_a_reason_is_refused() {
        for line in ["a/src/b.rs: replace x", "a/src/b.rs: replace x -- "] {
            assert!(parse(line).unwrap_err().starts_with("line 1: `a/src/b.rs: replace x"), "{line}");
        }
    }
}
