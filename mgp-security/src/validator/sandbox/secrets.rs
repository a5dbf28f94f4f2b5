//! Tables of the files and folders that contain secrets.

use crate::validator::table::{self, Words};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `secrets.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("secrets.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    open_in_etc: Words,
    names: Words,
    ends: Words,
    folders: Words,
    personal: Words,
}

/// Hidden entries of a home folder that contain no secret. Every other one may.
const OPEN_IN_HOME: &[&str] =
    &[".bashrc", ".zshrc", ".profile", ".vimrc", ".tmux.conf", ".inputrc", ".gitignore"];

/// Folders below a hidden one of the home folder that contain only programs.
const PROGRAMS_IN_HOME: &[&str] = &[".cargo/bin", ".local/bin", ".nvm", ".pyenv", ".rbenv", ".rustup"];

/// Prefixes of these names.
const STARTS: &[&str] =
    &["krb5cc_", "service-account", "service_account", "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa"];

/// Returns whether a path, in lower case, is or may be that of a secret.
pub(super) fn may_hold_secrets(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    if let Some(rest) = in_home(path) {
        let first = rest.split('/').next().unwrap_or_default();
        let programs = PROGRAMS_IN_HOME.iter().any(|folder| rest.starts_with(folder));
        if first.starts_with('.') && first.len() > 1 && !OPEN_IN_HOME.contains(&first) && !programs {
            return true;
        }
    }
    if let Some(rest) = path.strip_prefix("/etc/") {
        let first = rest.split('/').next().unwrap_or_default();
        if !TABLE.open_in_etc.contains(&first) {
            return true;
        }
    }
    let environment = name.starts_with(".env")
        && !(name.ends_with(".example") || name.ends_with(".sample") || name.ends_with(".template"));
    // Expressions of JavaScript.
    let expression = ["process.env", "meta.env"].iter().any(|end| name.ends_with(end));
    path.starts_with("/var/lib/")
        || environment
        || TABLE.names.contains(&name)
        || STARTS.iter().any(|start| name.starts_with(start))
        || !expression && TABLE.ends.iter().any(|end| name.len() > end.len() && name.ends_with(end))
        || folders.split('/').any(|part| TABLE.folders.contains(&part))
}

/// Returns the part of a path below a home folder.
pub(super) fn in_home(path: &str) -> Option<&str> {
    if let Some(rest) = path.strip_prefix("~") {
        return rest.split_once('/').map(|(_, rest)| rest);
    }
    let rest = ["/home/", "/users/", "/Users/"].iter().find_map(|top| path.strip_prefix(top))?;
    rest.split_once('/').map(|(_, rest)| rest)
}

/// Returns whether a folder looks like a project: one in a home folder that is not personal, or a usual project folder of
/// containers.
pub(super) fn is_project(path: &str) -> bool {
    const TOPS: &[&str] =
        &["workspace", "workspaces", "repo", "project", "app", "testbed", "src", "code", "work", "build"];
    if path.split('/').any(|part| part == ".." || part.starts_with('.') && part.len() > 1) {
        return false;
    }
    if path.contains(['\0', ';', '|', '&', '$', '`', '\n', '(']) {
        return false;
    }
    if let Some(rest) = in_home(path) {
        let first = rest.split('/').next().unwrap_or_default().to_ascii_lowercase();
        return !first.is_empty() && !TABLE.personal.contains(&&*first) && !path.starts_with('~');
    }
    match path.strip_prefix('/') {
        Some(rest) => TOPS.contains(&rest.split('/').next().unwrap_or_default()),
        None => !path.starts_with('~'),
    }
}
