//! The output folder of cargo-mutants: one text file for each outcome, one mutant on each line.

use std::fs;
use std::path::Path;

/// The mutants by outcome. Mutants that do not build prove nothing and are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcomes {
    pub(super) caught: Vec<String>,
    /// Mutants whose tests never ended, which count as caught.
    pub(super) timeout: Vec<String>,
    pub(super) missed: Vec<String>,
}

impl Outcomes {
    pub(super) fn read(folder: &Path) -> Result<Self, String> {
        let list = |name: &str| {
            let path = folder.join(name);
            let text = fs::read_to_string(&path)
                .map_err(|error| format!("failed to read {}: {error}", path.display()))?;
            Ok::<_, String>(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
        };
        Ok(Self { caught: list("caught.txt")?, timeout: list("timeout.txt")?, missed: list("missed.txt")? })
    }

    /// Returns `true` if some mutant of this file was tried.
    pub(super) fn covers(&self, file: &str) -> bool {
        [&self.caught, &self.timeout, &self.missed]
            .into_iter()
            .flatten()
            .any(|mutant| file_of(mutant) == file)
    }
}

/// Returns the file that a mutant's name begins with.
pub(super) fn file_of(mutant: &str) -> &str {
    mutant.split(':').next().unwrap_or_default()
}

/// Turns "file:line:column: change" into "file: change".
pub(super) fn without_position(mutant: &str) -> String {
    match mutant.split_once(": ") {
        Some((place, change)) => format!("{}: {change}", file_of(place)),
        None => mutant.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_dropped_and_the_rest_is_kept() {
        let change = "a/src/b.rs: replace <impl X for Y>::z -> u8 with 1";
        assert_eq!(without_position("a/src/b.rs:12:5: replace <impl X for Y>::z -> u8 with 1"), change);
        assert_eq!(without_position(change), change);
    }

    #[test]
    fn a_folder_without_results_is_an_error_that_names_it() {
        let error = Outcomes::read(Path::new("no-such-folder")).unwrap_err();
        assert!(error.contains("no-such-folder"), "{error}");
    }
}
