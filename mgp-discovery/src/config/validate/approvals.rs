//! `[approvals]`.

use super::{checks::Checks, oauth::is_local, server};
use crate::config::{ApprovalsConfig, NotifyKind, NotifyTarget, path::KeyPath};
use url::Url;

/// The most targets that are notified.
const MAX_TARGETS: usize = 8;

pub(super) fn approvals(config: &ApprovalsConfig, checks: &mut Checks<'_>) {
    let path = KeyPath::root().key("approvals").key("notify");
    let count = config.notify.len();
    if count > MAX_TARGETS {
        checks.say(path.clone(), format!("{count} targets: expected at most {MAX_TARGETS}"));
    }
    for (i, entry) in config.notify.iter().enumerate() {
        target(entry, &path.index(i), checks);
    }
}

fn target(target: &NotifyTarget, path: &KeyPath, checks: &mut Checks<'_>) {
    let kind = target.kind.as_str();
    let is_command = target.kind == NotifyKind::Command;
    match (&target.url, is_command) {
        (Some(_), true) => checks.say_of_key(
            path.key("url"),
            "of a target of kind \"command\": expected argv, the program and its arguments",
        ),
        (None, false) => {
            checks.say(path.clone(), format!("a target of kind {kind:?} without url: expected its URL"));
        }
        (Some(url), false) => {
            // A URL that names a secret is checked when it is used. The value is not shown, because it may hold a key.
            if let Some(url) = url.text().literal() {
                address(&url, &path.key("url"), checks);
            }
        }
        (None, true) => {}
    }
    if let Some(token) = &target.token {
        if target.kind == NotifyKind::Ntfy {
            server::header_value(token, &path.key("token"), checks);
        } else {
            checks.say_of_key(
                path.key("token"),
                format!("of a target of kind {kind:?}: expected a token only for \"ntfy\""),
            );
        }
    }
    let has_program = target.argv.first().is_some_and(|program| !program.value().is_empty());
    if is_command && !has_program {
        checks.say(
            path.clone(),
            "a target of kind \"command\" without a program: expected argv = [\"PROGRAM\", ...]",
        );
    } else if !is_command && !target.argv.is_empty() {
        checks.say_of_key(path.key("argv"), format!("of a target of kind {kind:?}: expected url"));
    }
    checks.count(path.key("argv"), target.argv.len());
    for (i, argument) in target.argv.iter().enumerate() {
        checks.text(path.key("argv").index(i), argument.value());
    }
}

/// Checks that a URL uses TLS, or is one of this machine.
fn address(text: &str, path: &KeyPath, checks: &mut Checks<'_>) {
    server::address(text, path, "write the key into approvals.notify[].token instead", checks);
    if let Ok(url) = Url::parse(text)
        && url.scheme() == "http"
        && !is_local(&url)
    {
        checks.say(
            path.clone(),
            "an address without TLS on another machine: expected one that begins with https://",
        );
    }
}
