//! `[servers.confinement]`.

use super::checks::Checks;
use crate::config::{ServerConfinement, habits, path::KeyPath};
use mgp_types::context::ConfinementRunner;

/// The most of any resource that a limit may name: a number that no unit overflows.
const MAX: u64 = 1 << 30;

/// The fewest open files with which a program starts.
const MIN_OPEN_FILES: u64 = 16;

/// Checks the confinement of a server. The values of a disabled one are not expanded.
pub(super) fn confinement(
    confinement: &ServerConfinement,
    disabled: bool,
    path: &KeyPath,
    checks: &mut Checks<'_>,
) {
    for (key, list) in confinement.paths() {
        checks.count(path.key(key), list.len());
        for (i, text) in list.iter().enumerate() {
            let here = path.key(key).index(i);
            checks.path(here.clone(), text);
            let is_unknown = disabled && text.written().contains("${");
            let is_reported = habits::below_home(text.value()).is_some();
            if !is_unknown && !is_reported && !std::path::Path::new(text.value()).is_absolute() {
                checks.say(here, format!("{:?} is not an absolute path", text.written()));
            }
        }
    }
    if let Some(image) = &confinement.image {
        if image.is_empty() || image.starts_with('-') || image.contains(char::is_whitespace) {
            checks.say(path.key("image"), format!("{image:?} is not the name of an image"));
        } else if confinement.runner != Some(ConfinementRunner::Container) {
            let help = "runner = \"container\" runs the command in the image";
            checks.advise(path.key("image"), "only a server in a container has an image", help);
        }
    }
    let hosts = confinement.hosts.as_deref().unwrap_or_default();
    checks.count(path.key("hosts"), hosts.len());
    if let (Some(network), false) = (confinement.network, hosts.is_empty()) {
        let text = format!("contradicts network = {network}: expected one of the two");
        checks.say(path.key("hosts"), text);
    }
    if confinement.ports.as_ref().is_some_and(|ports| !ports.is_empty()) && !hosts.is_empty() {
        let help = "network = true gives the server this machine's network";
        checks.advise(path.key("ports"), "a server that reaches only some hosts cannot listen", help);
    }
    let ports = confinement.ports.as_deref().unwrap_or_default();
    checks.count(path.key("ports"), ports.len());
    for (i, port) in ports.iter().enumerate() {
        checks.range(path.key("ports").index(i), *port, 1..=u16::MAX);
    }
    let limits = [
        ("memory_mb", confinement.memory_mb, 16),
        ("processes", confinement.processes, 1),
        ("open_files", confinement.open_files, MIN_OPEN_FILES),
        ("file_mb", confinement.file_mb, 0),
        ("cpu_secs", confinement.cpu_secs, 1),
    ];
    for (key, limit, least) in limits {
        if let Some(limit) = limit {
            checks.range(path.key(key), limit, least..=MAX);
        }
    }
}
