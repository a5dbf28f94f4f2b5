//! Packs each published crate, and checks the list of its files.

use super::step::Outcome;
use crate::process::{cargo, run_shown};
use crate::workspace;

/// The files that every package contains.
const EXPECTED: &[&str] = &["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];
/// The files that some packages contain: those that cargo adds, and the program that runs before a build.
const ALLOWED: &[&str] = &[".cargo_vcs_info.json", "Cargo.lock", "Cargo.toml.orig", "build.rs"];
/// The folders of a package, with the extensions of their files.
const FOLDERS: &[(&str, &[&str])] = &[
    (
        "src/",
        &["bin", "cedarschema", "css", "html", "js", "json", "md", "py", "rs", "svg", "toml", "tsv", "txt"],
    ),
    ("examples/", &["rs"]),
    ("docs/", &["md"]),
];

pub(super) fn run() -> Outcome {
    Outcome::of(packages())
}

fn packages() -> Result<(), String> {
    let members = workspace::members()?;
    let published = members.packages.iter().filter(|package| workspace::is_published(package));
    let names: Vec<_> = published.map(|package| package.name.as_str()).collect();
    // Packing needs only crates that a build has already fetched.
    let mut pack = cargo(&["package", "--offline", "--no-verify", "--allow-dirty"]);
    for name in &names {
        pack.args(["-p", name]);
    }
    let packed = run_shown(&mut pack)?.status;
    if !packed.success() {
        return Err(format!("cargo package ended with {packed}"));
    }
    let mut findings = Vec::new();
    for name in names {
        let list = cargo(&["package", "--offline", "--list", "--allow-dirty", "-p", name]).output();
        let list = list.map_err(|error| format!("failed to list the files of {name}: {error}"))?;
        findings.extend(
            judge(&String::from_utf8_lossy(&list.stdout)).map(|finding| format!("{name}: {finding}")),
        );
    }
    if findings.is_empty() { Ok(()) } else { Err(findings.join("\n")) }
}

/// Names the files of a list that do not belong in a package, and the missing ones.
fn judge(list: &str) -> impl Iterator<Item = String> {
    let belongs = |path: &str| {
        let is_of = |(folder, extensions): &(&str, &[&str])| {
            path.starts_with(folder)
                && path.rsplit_once('.').is_some_and(|(_, end)| extensions.contains(&end))
        };
        EXPECTED.contains(&path) || ALLOWED.contains(&path) || FOLDERS.iter().any(is_of)
    };
    let strangers =
        list.lines().filter(move |path| !belongs(path)).map(|path| format!("{path} does not belong"));
    let missing = EXPECTED.iter().filter(move |path| !list.lines().any(|line| line == **path));
    strangers.chain(missing.map(|path| format!("{path} is missing")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extra_and_missing_files_are_named() {
        let list = "Cargo.lock\nCargo.toml\nLICENSE-MIT\nREADME.md\nsrc/a.rs\nsrc/a.bin\ndocs/a.md\nsrc/a.pem\ntests/a.rs\n";
        let findings: Vec<_> = judge(list).collect();
        assert_eq!(
            findings,
            ["src/a.pem does not belong", "tests/a.rs does not belong", "LICENSE-APACHE is missing"]
        );
    }
}
