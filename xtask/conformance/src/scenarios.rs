//! The list of scenarios in the repository: `cargo xtask compatibility` reads it without an installed suite.

use crate::{
    legs::plan,
    results::Kind,
    revision::Revision,
    suite::{ListedScenario, Requirements, Side},
};
use std::fs;
use xtask_install::workspace;

/// The path of the list in the workspace.
const PATH: &str = "xtask/conformance/scenarios.txt";
/// The error if the list differs from the suite's scenarios and our table of scenarios that must pass.
pub(crate) const DIFFERS: &str = "xtask/conformance/scenarios.txt is out of date: run `cargo xtask conformance --list > xtask/conformance/scenarios.txt`";

const HEAD: &str = "\
# Side, revision, whether it counts, name. Written by `cargo xtask conformance --list`.
# scored: the revision requires it. must-pass: it has to pass here. shown: it is run, and whether it passes changes nothing.
";

/// Reads the list in the repository.
pub(crate) fn kept() -> Result<String, String> {
    let path = workspace::root().join(PATH);
    fs::read_to_string(&path).map_err(|error| format!("failed to read {}: {error}", path.display()))
}

/// Returns the list as it should be: one line for each scenario of each side and revision.
pub(crate) fn text(
    listed: &[ListedScenario],
    requirements: &[(Revision, Requirements)],
) -> Result<String, String> {
    let mut text = HEAD.to_owned();
    for side in [Side::Server, Side::Client] {
        for (revision, requirements) in requirements {
            let plan = plan(side, *revision, listed, requirements)?;
            let rest = plan.rest.iter().map(|extra| (&extra.name, extra.kind));
            for (name, kind) in plan.set.iter().map(|(name, kind)| (name, *kind)).chain(rest) {
                let (side, revision, counts) = (side.as_str(), revision.as_str(), word(kind));
                text.push_str(&format!("{side} {revision} {counts} {name}\n"));
            }
        }
    }
    Ok(text)
}

const fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Scored => "scored",
        Kind::MustPass => "must-pass",
        Kind::Shown => "shown",
    }
}
