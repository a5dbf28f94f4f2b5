//! Judges the files that a command reads and writes.

use super::{finding::Finding, secrets};
use crate::validator::{
    shell::{OPAQUE, Word},
    table::{self, Words},
};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `paths.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("paths.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    hidden: Words,
    running: Words,
    secrets: Words,
    perhaps_secrets: Words,
}

/// Devices that anything may read and write.
const DEVICES: &[&str] = &["null", "zero", "random", "urandom", "full", "stdin", "stdout", "stderr", "tty"];

/// Folders in which files of projects are, wherever the project is.
const FREE: &[&str] =
    &["/tmp/", "/var/tmp/", "/workspace/", "/workspaces/", "/repo/", "/project/", "/app/", "/testbed/"];

/// Judges a file that a command reads. Words that name no file cannot be told apart, and are judged too.
pub(super) fn judge_read(word: &Word) -> Option<Finding> {
    let text = word.text.to_ascii_lowercase();
    let path = normal(&text);
    // A variable at the start may be empty.
    let absolute =
        Some(path.trim_start_matches(OPAQUE)).filter(|rest| rest.starts_with('/')).unwrap_or(&path);
    if let Some(found) = device(absolute) {
        return Some(found);
    }
    if absolute.starts_with("/proc/")
        && !["/proc/cpuinfo", "/proc/meminfo", "/proc/version", "/proc/loadavg"].contains(&absolute)
    {
        let open =
            ["/proc/mounts", "/proc/uptime", "/proc/stat", "/proc/net/", "/proc/filesystems", "/proc/swaps"];
        let private = ["environ", "mem", "maps", "root", "cwd", "fd", "cmdline", "*", "?"]
            .iter()
            .any(|part| absolute.contains(part));
        if private {
            return Some(Finding::harm("another process's state"));
        }
        if !open.iter().any(|open| absolute.starts_with(open)) {
            return Some(Finding::doubt("another process's state"));
        }
    }
    if TABLE.secrets.iter().any(|secret| path.contains(secret)) && looks_like_path(&path) {
        return Some(Finding::harm("a file of secrets"));
    }
    if TABLE.perhaps_secrets.iter().any(|secret| path.contains(secret)) && looks_like_path(&path) {
        return Some(Finding::doubt("a file that may hold secrets"));
    }
    let spaced = path.starts_with(['/', '~']) && path.len() < 200 && !path.contains(['\n', ';', '|']);
    if secrets::may_hold_secrets(absolute) && (looks_like_path(&path) || spaced) {
        return Some(Finding::doubt("a file that may hold secrets"));
    }
    let relative_tilde =
        |rest: &str| rest.starts_with(['-', '+']) || rest.starts_with(|c: char| c.is_ascii_digit());
    if path.strip_prefix('~').is_some_and(relative_tilde) {
        return Some(Finding::doubt("a path outside the folder that is not known"));
    }
    if absolute == "/etc/passwd"
        || path.strip_prefix("/root").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    {
        return Some(Finding::doubt("a file of the system's accounts"));
    }
    let hidden = |part: &str| {
        part.strip_prefix('.').is_some_and(|rest| {
            rest.contains(OPAQUE) && !rest.starts_with('.')
                || word.pattern && rest.contains(['*', '?', '[']) && !rest.starts_with('.')
        })
    };
    if path.split('/').any(hidden) {
        return Some(Finding::doubt("a hidden file whose name is not known"));
    }
    let outside = path.starts_with(['/', '~']) || absolute.starts_with('/');
    let unknown = path.starts_with(['/', '~']) && path.contains(OPAQUE);
    if outside && (unknown || (word.pattern && hides(absolute))) {
        return Some(Finding::doubt("a path outside the folder that is not known"));
    }
    None
}

/// Returns whether a pattern may match a secret: it is in one of the first folders, or in a hidden name.
fn hides(path: &str) -> bool {
    let special = |part: &str| part.contains(['*', '?', '[']);
    path.split('/').take(4).any(special) && !FREE.iter().any(|free| path.starts_with(free))
        || path.split('/').any(|part| part.starts_with('.') && special(part))
}

/// Returns whether a text is a path rather than a sentence that mentions one.
fn looks_like_path(text: &str) -> bool {
    !text.contains(' ')
}

/// Judges a file that a command writes, creates or removes.
pub(super) fn judge_write(word: &Word) -> Option<Finding> {
    let path = normal(&word.text);
    if path.is_empty() {
        return None;
    }
    if let Some(found) = device(&path) {
        return Some(found);
    }
    if path.starts_with("/dev/") {
        return None;
    }
    if path.contains(OPAQUE) {
        return Some(Finding::doubt("a file whose name is not known"));
    }
    let parts = || path.split('/').filter(|part| !part.is_empty());
    let climbs = parts().any(|part| part == "..");
    let mut hidden = parts().filter(|part| part.starts_with('.') && !part.chars().all(|c| c == '.'));
    let odd = hidden.find(|part| !TABLE.hidden.contains(part));
    if let Some(part) = odd {
        let harms = TABLE.running.contains(&part) || part.starts_with(".bash") || part.starts_with(".zsh");
        return Some(if harms {
            Finding::harm("a hidden file that programs run or trust")
        } else {
            Finding::doubt("a hidden file")
        });
    }
    if path.contains(":\\") || path.starts_with('\\') {
        return Some(Finding::doubt("a file outside the folder"));
    }
    if path.starts_with('~') || climbs {
        return Some(Finding::doubt("a file outside the folder"));
    }
    if !path.starts_with('/') || FREE.iter().any(|free| path.starts_with(free)) {
        return None;
    }
    let system = path == "/"
        || [
            "/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/sys", "/proc", "/System",
            "/Library",
        ]
        .iter()
        .any(|top| path.strip_prefix(top).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
    let system = system && !path.starts_with("/usr/local/");
    if system {
        return Some(Finding::harm("a file of the system"));
    }
    Some(Finding::doubt("a file outside the folder"))
}

/// Returns the harm in the name of a device.
fn device(path: &str) -> Option<Finding> {
    let name = path.strip_prefix("/dev/")?;
    let free = DEVICES.contains(&name)
        || name.strip_prefix("fd/").is_some_and(|fd| fd.bytes().all(|b| b.is_ascii_digit()));
    (!free).then(|| {
        let network = name.starts_with("tcp") || name.starts_with("udp");
        Finding::harm(if network { "a connection to the network" } else { "a device" })
    })
}

/// Returns a path without empty parts, and without parts that mean the folder itself, or that a later `..` removes.
pub(super) fn normal(text: &str) -> String {
    let absolute = text.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." if parts
                .last()
                .is_some_and(|last| *last != ".." && !last.starts_with('~') && !last.contains(OPAQUE)) =>
            {
                parts.pop();
            }
            ".." if absolute && parts.is_empty() => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if absolute { format!("/{joined}") } else { joined }
}

/// Returns whether a word names a target that discards what is written.
pub(super) fn is_sink(word: &Word) -> bool {
    ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"].contains(&word.text.as_str())
        || word.text.strip_prefix("/dev/fd/").is_some_and(|fd| fd.bytes().all(|b| b.is_ascii_digit()))
}

/// Returns whether a value may be the start of a path to a file outside the folder, or to a hidden one.
pub(super) fn composes(value: &Word) -> bool {
    let hidden =
        value.text.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric()));
    value.text.starts_with(['/', '~']) || hidden
}
