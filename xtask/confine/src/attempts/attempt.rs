//! One attempt.

use crate::ground::Ground;
use std::io;

/// An attempt to do what a confined server must not.
pub(crate) struct Attempt {
    pub(crate) name: &'static str,
    /// The attempt itself, which succeeds if it went through.
    pub(crate) run: fn(&Ground) -> io::Result<()>,
    /// The outcome without confinement.
    pub(crate) baseline: Baseline,
}

/// The outcome of an attempt without confinement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Baseline {
    /// It goes through.
    Through,
    /// It goes through for root alone.
    ThroughForRoot,
    /// It depends on the system, for this reason.
    Depends(&'static str),
    /// It goes through, also with confinement: without such attempts, a program that cannot do anything would pass.
    Permitted,
    /// It goes through, also with confinement if that lets it reach the allowed host.
    Allowed,
}

pub(super) const fn attempt(name: &'static str, run: fn(&Ground) -> io::Result<()>) -> Attempt {
    Attempt { name, run, baseline: Baseline::Through }
}

pub(super) const fn for_root(name: &'static str, run: fn(&Ground) -> io::Result<()>) -> Attempt {
    Attempt { name, run, baseline: Baseline::ThroughForRoot }
}

pub(super) const fn depends(
    name: &'static str,
    why: &'static str,
    run: fn(&Ground) -> io::Result<()>,
) -> Attempt {
    Attempt { name, run, baseline: Baseline::Depends(why) }
}

pub(super) const fn permitted(name: &'static str, run: fn(&Ground) -> io::Result<()>) -> Attempt {
    Attempt { name, run, baseline: Baseline::Permitted }
}

pub(super) const fn allowed(name: &'static str, run: fn(&Ground) -> io::Result<()>) -> Attempt {
    Attempt { name, run, baseline: Baseline::Allowed }
}
