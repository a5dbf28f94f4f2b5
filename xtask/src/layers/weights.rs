//! The number of crates that a user of one crate pays for, and the crates that must not be among them.

use super::table::Weight;
use crate::process::cargo;
use std::collections::BTreeSet;

/// Checks the whole dependency tree of crates with some of their features, as `cargo tree` lists it.
pub(super) fn check(weights: &[Weight]) -> Result<Vec<String>, String> {
    let mut findings = Vec::new();
    for weight in weights {
        findings.extend(judge(weight, &tree(weight)?));
    }
    Ok(findings)
}

/// Returns the names and versions of all normal dependencies, with the crate itself.
fn tree(weight: &Weight) -> Result<BTreeSet<String>, String> {
    let mut command =
        cargo(&["tree", "--locked", "--edges=normal", "--prefix=none", "--no-default-features"]);
    command
        .arg(format!("--package={}", weight.name))
        .arg(format!("--features={}", weight.features.join(",")));
    let output = command.output();
    let output = output.map_err(|error| format!("failed to run cargo tree: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo tree failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    // "name v1.2.3 (path) (*)"
    let named = text.lines().filter_map(|line| {
        let mut words = line.split(' ');
        Some(format!("{} {}", words.next()?, words.next()?))
    });
    Ok(named.collect())
}

fn judge(weight: &Weight, tree: &BTreeSet<String>) -> Vec<String> {
    let with = match weight.features {
        [] => format!("{} without features", weight.name),
        features => format!("{} with {}", weight.name, features.join(", ")),
    };
    let mut findings = Vec::new();
    if tree.len() > weight.most {
        findings.push(format!("{with} is {} crates: expected at most {}", tree.len(), weight.most));
    }
    for never in weight.never {
        if tree.iter().any(|one| one.split(' ').next() == Some(never)) {
            findings.push(format!("{with} holds {never}"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_crates_and_a_forbidden_one_are_found() {
        let weight = Weight { name: "a", features: &["x", "y"], most: 2, never: &["tantivy"] };
        let tree = |names: &[&str]| names.iter().map(|name| format!("{name} v1.0.0")).collect();
        assert_eq!(judge(&weight, &tree(&["a", "b"])), [] as [String; 0]);
        assert_eq!(
            judge(&weight, &tree(&["a", "b", "tantivy"])),
            ["a with x, y is 3 crates: expected at most 2", "a with x, y holds tantivy"]
        );
        let bare = Weight { features: &[], ..weight };
        assert_eq!(
            judge(&bare, &tree(&["a", "b", "c"])),
            ["a without features is 3 crates: expected at most 2"]
        );
    }
}
