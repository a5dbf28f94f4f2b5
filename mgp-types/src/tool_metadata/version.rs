//! The step from one version of a tool to another.

use semver::Version;
use serde::Serialize;
use std::fmt;

/// The step from one version to another, by the rules of semantic versioning. Ordered: the last is the least compatible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VersionStep {
    /// The version is the same, or an older one.
    None,
    /// Nothing was added, and nothing breaks.
    Patch,
    /// Something was added, and nothing breaks.
    Minor,
    /// Callers may break.
    Major,
}

impl fmt::Display for VersionStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        })
    }
}

/// Returns the step between two versions. Before 1.0.0, the second number counts breaking changes, and the third all others.
/// Pre-releases of one version may differ in anything.
///
/// ```
/// use mgp_types::tool_metadata::{VersionStep, step_between};
/// let step = |old: &str, new: &str| Ok::<_, semver::Error>(step_between(&old.parse()?, &new.parse()?));
/// assert_eq!(step("1.2.3", "1.3.0")?, VersionStep::Minor);
/// assert_eq!(step("0.2.3", "0.3.0")?, VersionStep::Major);
/// assert_eq!(step("1.2.3", "1.2.2")?, VersionStep::None);
/// # Ok::<(), semver::Error>(())
/// ```
#[must_use]
pub fn step_between(old: &Version, new: &Version) -> VersionStep {
    if new.cmp_precedence(old).is_le() {
        return VersionStep::None;
    }
    match (new.major != old.major, new.minor != old.minor) {
        (true, _) => VersionStep::Major,
        (false, true) if old.major == 0 => VersionStep::Major,
        (false, true) => VersionStep::Minor,
        // No number is left for only additions.
        (false, false) if old.major == 0 => VersionStep::Minor,
        // Pre-releases of one version may differ in anything.
        (false, false) if new.patch == old.patch => VersionStep::Major,
        (false, false) => VersionStep::Patch,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_differing_number_decides_the_step() {
        for (old, new, step) in [
            ("1.2.3", "1.2.3", VersionStep::None),
            ("1.2.3", "1.2.3+build", VersionStep::None),
            ("2.0.0", "1.9.9", VersionStep::None),
            ("1.0.0", "1.0.0-rc.1", VersionStep::None),
            ("1.2.3", "1.2.4", VersionStep::Patch),
            ("1.2.3", "1.3.0", VersionStep::Minor),
            ("1.9.9", "2.0.0", VersionStep::Major),
            ("0.9.0", "1.0.0", VersionStep::Major),
            ("0.2.3", "0.2.4", VersionStep::Minor),
            ("0.2.3", "0.3.0", VersionStep::Major),
            ("2.0.0-rc.1", "2.0.0-rc.2", VersionStep::Major),
            ("2.0.0-rc.1", "2.0.0", VersionStep::Major),
        ] {
            assert_eq!(step_between(&old.parse().unwrap(), &new.parse().unwrap()), step, "{old} to {new}");
        }
    }
}
