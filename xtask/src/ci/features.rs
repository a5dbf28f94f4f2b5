//! Each crate that ships, without features and with each of its features alone: none may need another by accident.

use cargo_metadata::Package;

use super::step::Outcome;
use crate::process::{ProcessEnd, cargo, run_shown};
use crate::workspace;

pub(super) fn run() -> Outcome {
    Outcome::of(check_all())
}

/// Checks run one after the other, in Cargo's own folder: two at a time would need a second folder, where most dependencies are built again.
fn check_all() -> Result<(), String> {
    let mut broken = Vec::new();
    for arguments in workspace::members()?.packages.iter().flat_map(variants) {
        if !check(&arguments)? {
            broken.push(arguments.get(2..).unwrap_or_default().join(" "));
        }
    }
    if broken.is_empty() { Ok(()) } else { Err(format!("errors or warnings with: {}", broken.join("; "))) }
}

/// Runs one check and shows what it prints. Returns whether it passed.
fn check(arguments: &[String]) -> Result<bool, String> {
    println!("-- cargo {}", arguments.join(" "));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let ProcessEnd { status, output } = run_shown(&mut cargo(&arguments))?;
    Ok(status.success() && !warns(&output))
}

/// Returns the `cargo check` calls for one crate; none for a crate that does not ship.
fn variants(package: &Package) -> Vec<Vec<String>> {
    if package.publish.as_ref().is_some_and(Vec::is_empty) {
        return Vec::new();
    }
    let base = ["check", "-p", package.name.as_str(), "--no-default-features"].map(str::to_owned).to_vec();
    let with = |feature: &str| [base.as_slice(), &["--features".to_owned(), feature.to_owned()]].concat();
    let features = package.features.keys().filter(|feature| *feature != "default");
    let alone: Vec<_> = features.map(|feature| with(feature)).collect();
    [vec![base.clone()], alone].concat()
}

/// Returns `true` for Cargo's line "warning: `x` (lib) generated 1 warning": a warning only of this choice of features.
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

    #[test]
    fn each_feature_but_the_default_is_tried_alone() {
        let lines: Vec<_> = variants(&package("null", r#"{"default": ["x"], "x": [], "full": ["x"]}"#))
            .iter()
            .map(|arguments| arguments.join(" "))
            .collect();
        assert_eq!(
            lines,
            [
                "check -p a --no-default-features",
                "check -p a --no-default-features --features full",
                "check -p a --no-default-features --features x",
            ]
        );
        assert!(variants(&package("[]", r#"{"x": []}"#)).is_empty());
    }

    #[test]
    fn a_warning_of_one_of_our_crates_counts() {
        assert!(warns("x\nwarning: `mgp-security` (lib) generated 1 warning\n"));
        assert!(!warns("warning: profiles for the non root package will be ignored\n"));
    }
}
