//! The formula of Homebrew: a template with the addresses and the checksums of the archives.

use crate::{pack::sum_of, platform::Platform, release::Release};
use std::{
    fs,
    path::{Path, PathBuf},
};

const TEMPLATE: &str = include_str!("../../files/formula.rb");

/// Writes the formula, from the archives in a folder.
pub(crate) fn make(release: &Release, folder: &Path) -> Result<PathBuf, String> {
    let mut sums = Vec::new();
    let used = Platform::ALL
        .into_iter()
        .filter(|platform| TEMPLATE.contains(&format!("{{url:{}}}", platform.target)));
    for platform in used {
        let archive = format!("{}.tar.gz", release.archive(platform));
        let sum = sum_of(&folder.join(&archive)).map_err(|error| {
            format!("the formula needs the archives of all its platforms in {}: {error}", folder.display())
        })?;
        sums.push((platform.target, archive, sum));
    }
    let path = folder.join(format!("{}.rb", release.name));
    let written = fs::write(&path, text(release, &sums));
    written.map_err(|error| format!("failed to write {}: {error}", path.display()))?;
    Ok(path)
}

/// Returns the formula with these archives and checksums.
fn text(release: &Release, sums: &[(&str, String, String)]) -> String {
    let mut text = release.fill(TEMPLATE).replace("{class}", &class(&release.name));
    for (target, archive, sum) in sums {
        let url = format!("{}/releases/download/v{}/{archive}", release.repository, release.version);
        text = text.replace(&format!("{{url:{target}}}"), &url).replace(&format!("{{sha256:{target}}}"), sum);
    }
    text
}

/// Returns the class of a formula: `MgpRs` for `mgp-rs`.
fn class(name: &str) -> String {
    let part = |part: &str| {
        let mut letters = part.chars();
        letters
            .next()
            .map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
            .unwrap_or_default()
    };
    name.split('-').map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_placeholder_is_left() {
        let release = Release::read(Some("x86_64-unknown-linux-gnu"), crate::program::FEATURES).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let error = make(&release, folder.path()).unwrap_err();
        assert!(error.contains("the formula needs the archives of all its platforms"), "{error}");
        for platform in Platform::ALL {
            let name = format!("{}.tar.gz", release.archive(platform));
            fs::write(folder.path().join(name), platform.target).unwrap();
        }
        let text = fs::read_to_string(make(&release, folder.path()).unwrap()).unwrap();
        assert!(text.starts_with("class MgpRs < Formula\n"), "{text}");
        // What is left in braces is Ruby's.
        let braces: Vec<_> = text.match_indices('{').map(|(at, _)| &text[at - 1..at + 2]).collect();
        assert!(braces.iter().all(|text| text.starts_with('#')), "{braces:?}");
        assert_eq!(text.matches("sha256 \"").count(), 4);
    }
}
