//! Each crate that ships, without features and with each of its features alone: none may need another by accident.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cargo_metadata::Package;

use super::step::Outcome;
use crate::process::cargo;
use crate::workspace;

/// The target folders, of which the first is Cargo's own. A check keeps little more than one core busy, and holds the lock of its folder.
const FOLDERS: [Option<&str>; 2] = [None, Some("target/features")];

pub(super) fn run() -> Outcome {
    Outcome::of(check_all())
}

fn check_all() -> Result<(), String> {
    let packages: Vec<_> = workspace::members()?.packages.iter().map(variants).collect();
    let next = AtomicUsize::new(0);
    // From the last crate on, which has the most to build.
    let take = || packages.iter().rev().nth(next.fetch_add(1, Ordering::Relaxed));
    let work = |folder| {
        let mut broken = Vec::new();
        // All checks of a crate are made in one folder, because they share most of what they build.
        while let Some(checks) = take() {
            for arguments in checks {
                if !check(arguments, folder)? {
                    broken.push(arguments.get(2..).unwrap_or_default().join(" "));
                }
            }
        }
        Ok::<_, String>(broken)
    };
    let broken = thread::scope(|scope| {
        let work = &work;
        let threads = FOLDERS.map(|folder| scope.spawn(move || work(folder)));
        let mut all = Vec::new();
        for thread in threads {
            all.extend(thread.join().map_err(|_| "a thread that checks panicked".to_owned())??);
        }
        Ok::<_, String>(all)
    })?;
    if broken.is_empty() { Ok(()) } else { Err(format!("errors or warnings with: {}", broken.join("; "))) }
}

/// Runs one check and shows what it printed when it ended, so that two checks do not mix. Returns whether it passed.
fn check(arguments: &[String], folder: Option<&str>) -> Result<bool, String> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut command = cargo(&arguments);
    command.env("CARGO_TERM_COLOR", "never");
    if let Some(folder) = folder {
        command.env("CARGO_TARGET_DIR", workspace::root().join(folder));
    }
    let output = command.output().map_err(|error| format!("failed to run {command:?}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    println!("-- cargo {}\n{text}", arguments.join(" "));
    Ok(output.status.success() && !warns(&text))
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
