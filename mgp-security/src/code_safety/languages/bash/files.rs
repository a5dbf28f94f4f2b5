//! Files that code writes, and files that are connections.

use super::{
    walk::Walk,
    words::{OPAQUE, words},
};
use crate::code_safety::{
    capability::Capability, finding::Kind, languages::working_folder::is_in_working_folder,
};

/// Adds the findings of a redirection.
pub(super) fn redirect(walk: &mut Walk<'_>, at: usize) {
    let tree = walk.tree;
    let Some(destination) = tree.field(at, "destination") else { return };
    let mut targets = words(tree, walk.scope, destination).into_iter();
    let target = targets.next().filter(|_| targets.len() == 0).unwrap_or_else(|| OPAQUE.to_string());
    if tree.children(at).filter(|child| tree.items[*child].field == "destination").count() > 1 {
        walk.undecided(at, "words behind a redirection");
    }
    let operator = tree.children(at).map(|child| tree.text(child)).find(|text| text.contains(['<', '>']));
    let operator = operator.unwrap_or_default();
    let copies = operator.contains('&') && target.trim_end_matches('-').bytes().all(|b| b.is_ascii_digit());
    sets_variable(walk, at);
    if copies {
        return;
    }
    let lower = target.to_lowercase();
    let is_connection = lower.contains("/dev/tcp/") || lower.contains("/dev/udp/");
    if is_connection || tree.kind(destination) == "word" && tree.text(destination).contains("/dev/tcp") {
        return walk.add(at, Kind::Does(Capability::Socket, format!("'{}'", shown(&target))));
    }
    if operator.contains('>') {
        write(walk, at, &target, is_computed(walk, destination));
    } else if target.contains(OPAQUE) && tree.kind(destination) != "process_substitution" {
        walk.undecided(at, "input from a possible connection");
    }
}

/// Adds the variable that a redirection such as `{NAME}>` sets.
pub(super) fn sets_variable(walk: &mut Walk<'_>, at: usize) {
    if walk.tree.before(at) == Some('}') || walk.tree.text(at).starts_with('{') {
        walk.undecided(at, "a redirection that may set a variable");
    }
}

/// Adds the writing of a file.
pub(super) fn write(walk: &mut Walk<'_>, at: usize, target: &str, computed: bool) {
    const QUIET: [&str; 6] =
        ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2"];
    if QUIET.contains(&target) {
        return;
    }
    let disks =
        ["/dev/sd", "/dev/nvme", "/dev/hd", "/dev/vd", "/dev/disk", "/dev/mem", "/dev/kmem", "/dev/mmcblk"];
    let is_near =
        !target.contains(OPAQUE) && is_in_working_folder(target) && !(computed && target.contains('/'));
    let capability = match target {
        _ if disks.iter().any(|disk| target.starts_with(disk)) => Capability::DeleteTree,
        _ if is_near => Capability::Write,
        _ => Capability::WriteAnywhere,
    };
    walk.add(at, Kind::Does(capability, format!("'{}'", shown(target))));
}

/// Returns whether a word contains variables.
pub(super) fn is_computed(walk: &Walk<'_>, at: usize) -> bool {
    let tree = walk.tree;
    (at..tree.items[at].end).any(|at| matches!(tree.kind(at), "simple_expansion" | "expansion"))
}

/// Returns a word as a message shows it.
pub(super) fn shown(word: &str) -> String {
    word.chars().take(60).map(|c| if c == OPAQUE { '…' } else { c }).collect()
}
