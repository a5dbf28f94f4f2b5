//! The runners that confine a process, and those that this machine has.

use super::{ConfinementRunner, MissingPart, Profile};

/// A runner, with the part that this machine lacks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerState {
    /// The runner.
    pub runner: ConfinementRunner,
    /// The missing part; `None` if the runner can be used.
    pub missing: Option<MissingPart>,
}

impl RunnerState {
    /// Tries all runners of this machine, each once in a process. May block for seconds.
    #[must_use]
    pub fn of_machine() -> Vec<Self> {
        let runners = ConfinementRunner::ALL.iter().filter(|runner| **runner != ConfinementRunner::Auto);
        runners.map(|runner| Self::of(*runner)).collect()
    }

    /// Tries a runner, once in a process. May block for seconds.
    #[must_use]
    pub fn of(runner: ConfinementRunner) -> Self {
        Self { runner, missing: missing(runner) }
    }

    /// Returns the runner that confines a server with a profile. May block for seconds.
    #[must_use]
    pub fn of_profile(profile: &Profile) -> Self {
        let runner = match profile.runner {
            ConfinementRunner::Auto if prefers_bubblewrap() => ConfinementRunner::Bubblewrap,
            ConfinementRunner::Auto => ConfinementRunner::Native,
            runner => runner,
        };
        Self::of(runner)
    }

    /// Returns the words for the runner on this system.
    #[must_use]
    pub const fn in_words(&self) -> &'static str {
        match self.runner {
            ConfinementRunner::Auto => "an automatic choice",
            ConfinementRunner::Native if cfg!(target_os = "macos") => "a profile of Seatbelt",
            ConfinementRunner::Native => "the gateway's own namespaces",
            ConfinementRunner::Bubblewrap => "bubblewrap's namespaces",
            ConfinementRunner::Container => "a container",
        }
    }
}

/// Returns the part that this machine lacks for a runner.
fn missing(runner: ConfinementRunner) -> Option<MissingPart> {
    match runner {
        ConfinementRunner::Auto => None,
        ConfinementRunner::Native => missing_native(),
        ConfinementRunner::Bubblewrap => missing_bubblewrap(),
        ConfinementRunner::Container => missing_engine(),
    }
}

#[cfg(target_os = "linux")]
fn missing_native() -> Option<MissingPart> {
    let refused = super::linux::refused_namespaces()?;
    // The settings say more than the error of a trial.
    let known = super::MachineFacts { has_bubblewrap: false, ..super::MachineFacts::of_machine() }.missing();
    Some(known.into_iter().next().unwrap_or_else(|| MissingPart {
        part: format!("user namespaces, which this machine refuses the gateway: {refused}"),
        remedy: "permit them, or install bubblewrap, as in docs/confinement.md#runners",
    }))
}

#[cfg(not(target_os = "linux"))]
fn missing_native() -> Option<MissingPart> {
    if cfg!(target_os = "macos") && std::path::Path::new("/usr/bin/sandbox-exec").is_file() {
        return None;
    }
    let part = "confinement by the system, which only Linux and macOS have".to_owned();
    Some(MissingPart { part, remedy: "run the gateway on Linux" })
}

#[cfg(target_os = "linux")]
fn missing_bubblewrap() -> Option<MissingPart> {
    super::linux::usable_bubblewrap().err().cloned()
}

#[cfg(not(target_os = "linux"))]
fn missing_bubblewrap() -> Option<MissingPart> {
    Some(MissingPart {
        part: "bubblewrap, which only Linux has".to_owned(),
        remedy: "run the gateway on Linux",
    })
}

#[cfg(unix)]
fn missing_engine() -> Option<MissingPart> {
    let reason = super::container::usable().err()?;
    let remedy =
        if cfg!(target_os = "linux") { "sudo apt-get install podman" } else { "brew install podman" };
    Some(MissingPart { part: format!("podman or docker: {reason}"), remedy })
}

#[cfg(not(unix))]
fn missing_engine() -> Option<MissingPart> {
    let part = "containers that confine a server, which the gateway starts only on Unix".to_owned();
    Some(MissingPart { part, remedy: "run the gateway on Linux" })
}

#[cfg(target_os = "linux")]
fn prefers_bubblewrap() -> bool {
    super::linux::prefers_bubblewrap()
}

#[cfg(not(target_os = "linux"))]
const fn prefers_bubblewrap() -> bool {
    false
}

/// Continues the start of a confined server if bubblewrap started this process for that, and does not return then. Otherwise, it lets
/// servers of this process be confined by bubblewrap. A program that confines servers calls it first in its `main`.
pub fn continue_start() {
    #[cfg(target_os = "linux")]
    super::linux::continue_start();
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_does_not_continue_starts_has_no_bubblewrap() {
        let missing = missing(ConfinementRunner::Bubblewrap).unwrap();
        let expected = if crate::confine::linux::is_root() { "as another user" } else { "continue_start" };
        assert!(missing.remedy.contains(expected), "{missing}");
    }
}
