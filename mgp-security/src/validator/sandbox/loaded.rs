//! Files that programs load or run by themselves, so that writing one is writing code for later.

use crate::validator::table::{self, Words};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `loaded.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("loaded.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    folders: Words,
    names: Words,
    starts: Words,
    ends: Words,
}

/// Folders of a project for scripts that others run.
const SCRIPTS: &[&str] = &["scripts", "script", "bin", "tools", "ci", "tasks"];

/// Returns whether a program loads or runs a file by its name or path.
pub(super) fn is_loaded(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let inside = |list: &[&str]| folders.split('/').any(|part| list.contains(&part));
    let configures = || {
        let (start, end) = name.rsplit_once('.').unwrap_or((name, ""));
        ["js", "cjs", "mjs", "ts", "mts", "cts"].contains(&end)
            && (start.ends_with(".config") || start.ends_with(".conf"))
    };
    if ["/tmp/", "/var/tmp/"].iter().any(|free| path.starts_with(free)) {
        return false;
    }
    let is_script = || {
        !name.contains('.')
            || [".sh", ".py", ".js", ".mjs", ".ts", ".rb", ".pl", ".bash"]
                .iter()
                .any(|end| name.ends_with(end))
    };
    inside(&TABLE.folders)
        || path.ends_with(".git") && !folders.is_empty()
        || TABLE.names.contains(&name)
        || TABLE.folders.contains(&name) && !["target", "vendor", "wrapper", "classes"].contains(&name)
        || TABLE.starts.iter().any(|start| name.starts_with(start))
        || TABLE.ends.iter().any(|end| name.ends_with(end))
        || configures()
        || inside(SCRIPTS) && is_script()
}

/// Suffixes of the names of files with data or prose.
pub(super) const INERT: &[&str] =
    &[".log", ".txt", ".md", ".csv", ".out", ".html", ".json", ".css", ".svg", ".bak", ".diff", ".patch"];

/// Returns whether no program runs a file by its name: a test runner finds its tests even in prose.
pub(super) fn is_inert(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let tested = name.starts_with("test") && [".txt", ".md", ".rst"].iter().any(|end| name.ends_with(end));
    !is_loaded(path) && !tested && INERT.iter().any(|end| name.ends_with(end))
}
