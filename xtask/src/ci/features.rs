//! Checks each published crate with fewer features than the tests enable, so that no crate depends on features of the others.

use std::path::Path;

use cargo_metadata::Package;

use super::step::Outcome;
use crate::lanes::in_lanes;
use crate::process::{ProcessEnd, cargo, run_in_target};
use crate::workspace;

/// Checks each crate without features, with its default features, with `full`, and with all of its features.
pub(super) fn check_feature_sets() -> Outcome {
    Outcome::of(check_all(feature_sets))
}

/// Checks each crate with each of its features as the only one.
pub(super) fn check_each_feature() -> Outcome {
    Outcome::of(check_all(single_features))
}

/// Runs the checks that `choose` names for each crate, two crates at a time: the compiler checks a crate on one core.
///
/// Cargo locks its folder during a check, so the second lane has a separate folder.
fn check_all(choose: fn(&Package) -> Vec<Vec<String>>) -> Result<(), String> {
    let workspace = workspace::members()?;
    // The last crates need most of the others and take longest: they come first.
    let published = workspace.packages.iter().filter(|package| workspace::is_published(package)).rev();
    let crates: Vec<&Package> = published.collect();
    let folders =
        [workspace.target_directory.clone().into_std_path_buf(), workspace::second_target(&workspace)];
    let broken = in_lanes(&folders, &crates, |folder, package| {
        let mut broken = Vec::new();
        for features in choose(package) {
            let arguments = [&["check", "-p", package.name.as_str()].map(str::to_owned), &*features].concat();
            if !check(&arguments, folder)? {
                broken.push(arguments.get(2..).unwrap_or_default().join(" "));
            }
        }
        Ok(broken)
    })?;
    let broken = broken.concat();
    if broken.is_empty() { Ok(()) } else { Err(format!("errors or warnings with: {}", broken.join("; "))) }
}

/// Runs one check in a target folder. Returns whether it passed.
fn check(arguments: &[String], target: &Path) -> Result<bool, String> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let ProcessEnd { status, output } = run_in_target(&mut cargo(&arguments), target)?;
    Ok(status.success() && !warns(&output))
}

/// Returns the options for no features, the default ones, those for users, and all of them, each choice once.
fn feature_sets(package: &Package) -> Vec<Vec<String>> {
    let has_default = package.features.get("default").is_some_and(|features| !features.is_empty());
    let has_any = package.features.keys().any(|feature| feature != "default");
    let has_full = package.features.contains_key("full");
    let choices = [
        (true, "--no-default-features"),
        (has_default, ""),
        // Without the features that only the tests and the fuzzer use.
        (has_full, "--features full"),
        (has_any, "--all-features"),
    ];
    let chosen = choices.iter().filter(|(is_new, _)| *is_new);
    chosen.map(|(_, option)| option.split_whitespace().map(str::to_owned).collect()).collect()
}

/// Returns the options that enable only one feature each, except `full`, which is the sum of many.
fn single_features(package: &Package) -> Vec<Vec<String>> {
    let features = package.features.keys().filter(|feature| !["default", "full"].contains(&feature.as_str()));
    features
        .map(|feature| ["--no-default-features", "--features", feature].map(str::to_owned).to_vec())
        .collect()
}

/// Returns `true` for Cargo's line "warning: `x` (lib) generated 1 warning", which is specific to this choice of features.
fn warns(output: &str) -> bool {
    output.lines().any(|line| line.starts_with("warning: `") && line.contains(" generated "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(publish: &str, features: &str) -> Package {
        let text = format!(
            r#"{{"name": "a", "version": "1.0.0", "id": "a", "dependencies": [], "targets": [],
                "manifest_path": "/a/Cargo.toml", "publish": {publish}, "features": {features}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    fn lines(options: &[Vec<String>]) -> Vec<String> {
        options.iter().map(|options| options.join(" ")).collect()
    }

    #[test]
    fn each_choice_of_features_is_checked_once() {
        let choices = |features| lines(&feature_sets(&package("null", features)));
        assert_eq!(choices("{}"), ["--no-default-features"]);
        assert_eq!(choices(r#"{"default": [], "x": []}"#), ["--no-default-features", "--all-features"]);
        let with_default = r#"{"default": ["x"], "x": [], "y": []}"#;
        assert_eq!(choices(with_default), ["--no-default-features", "", "--all-features"]);
        let with_full = r#"{"full": ["x"], "x": [], "fuzzing": []}"#;
        assert_eq!(choices(with_full), ["--no-default-features", "--features full", "--all-features"]);
    }

    #[test]
    fn each_feature_is_tried_by_itself() {
        let features = r#"{"default": ["x"], "x": [], "y": [], "full": ["x", "y"]}"#;
        assert_eq!(
            lines(&single_features(&package("null", features))),
            ["--no-default-features --features x", "--no-default-features --features y"]
        );
    }

    #[test]
    fn a_warning_of_one_of_our_crates_counts() {
        assert!(warns("x\nwarning: `mgp-security` (lib) generated 1 warning\n"));
        assert!(!warns("warning: profiles for the non root package will be ignored\n"));
    }
}
