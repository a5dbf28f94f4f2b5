//! The names of a project's build outputs, and of its scripts.

use crate::validator::{
    shell::Word,
    table::{self, Words},
};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `project_names.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("project_names.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    outputs: Words,
    made: Words,
}

/// Folders of a project for its scripts and programs.
const SCRIPTS: &[&str] =
    &["scripts", "script", "bin", "tools", "ci", "target", "build", "out", "dist", "hack"];

/// Returns whether a word names the output of a build, inside the folder, or a folder for temporary files.
pub(super) fn is_output(word: &Word) -> bool {
    let Some(text) = word.known().filter(|_| !word.splits) else { return false };
    let text = text.trim_start_matches("./").trim_end_matches('/');
    let plain = |part: &str| {
        !part.is_empty()
            && part.chars().all(|c| c.is_alphanumeric() || "_-.@".contains(c))
            && !part.contains("..")
    };
    if let Some(rest) = text.strip_prefix("/tmp/") {
        return rest.split('/').all(plain) && !rest.starts_with('.');
    }
    let parts: Vec<&str> = text.split('/').collect();
    let made = |part: &&str| TABLE.outputs.contains(part) || part.ends_with(".egg-info");
    if word.pattern {
        // A folder of each of several packages.
        let [packages @ .., last] = &parts[..] else { return false };
        let each = |part: &&str| *part == "*" || plain(part);
        return made(last) && plain(packages.first().unwrap_or(&"")) && packages.iter().all(each);
    }
    !text.starts_with(['/', '~', '-']) && parts.iter().all(|part| plain(part)) && parts.iter().any(made)
}

/// Returns whether a pattern of `find -name` matches only files that tools make.
pub(super) fn is_made(pattern: &str) -> bool {
    TABLE.made.contains(&pattern) || TABLE.outputs.contains(&pattern)
}

/// Returns whether a path is that of a script or program of the project, in a folder for these.
pub(super) fn is_project_script(word: &Word) -> bool {
    let Some(text) = word.known().filter(|_| !word.pattern && !word.splits) else { return false };
    let text = text.strip_prefix("./").unwrap_or(text);
    let plain = |part: &str| {
        part.chars().all(|c| c.is_alphanumeric() || "_-".contains(c) || c == '.')
            && !part.starts_with('.')
            && !part.is_empty()
    };
    let mut parts = text.split('/');
    let top = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    let named = |part: &&str| !part.to_ascii_lowercase().contains("install");
    let vendored = text.starts_with("vendor/bin/");
    (SCRIPTS.contains(&top) || vendored)
        && !rest.is_empty()
        && rest.iter().all(|part| plain(part))
        && rest.iter().all(named)
}
