//! One attempt.

use crate::{ground::Ground, run::Run};
use mgp_security::confine::LandlockAbi;
use std::io;

/// A forbidden action that a confined server attempts.
pub(crate) struct Attempt {
    pub(crate) name: &'static str,
    /// The attempt itself, which succeeds if it went through.
    pub(crate) run: fn(&Ground) -> io::Result<()>,
    /// The outcome without confinement.
    pub(crate) baseline: Baseline,
    /// The confined runs that permit the attempt. Without such attempts, a program that cannot do anything would pass the check.
    pub(crate) opened_by: &'static [Run],
    /// The number of the first version of Landlock with which these runs permit it.
    pub(crate) since: u8,
}

impl Attempt {
    pub(super) const fn opened_by(self, opened_by: &'static [Run]) -> Self {
        Self { opened_by, ..self }
    }

    pub(super) const fn since(self, since: u8) -> Self {
        Self { since, ..self }
    }

    /// Returns whether a confined run permits the attempt.
    pub(crate) fn is_opened(&self, run: Run, version: LandlockAbi) -> bool {
        self.opened_by.contains(&run) && version.number() >= self.since
    }
}

/// The outcome of an attempt without confinement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Baseline {
    /// It goes through.
    Through,
    /// It goes through only for root.
    ThroughForRoot,
    /// It depends on the system, for this reason.
    Depends(&'static str),
}

const fn with(name: &'static str, baseline: Baseline, run: fn(&Ground) -> io::Result<()>) -> Attempt {
    Attempt { name, run, baseline, opened_by: &[], since: 1 }
}

pub(super) const fn attempt(name: &'static str, run: fn(&Ground) -> io::Result<()>) -> Attempt {
    with(name, Baseline::Through, run)
}

pub(super) const fn for_root(name: &'static str, run: fn(&Ground) -> io::Result<()>) -> Attempt {
    with(name, Baseline::ThroughForRoot, run)
}

pub(super) const fn depends(
    name: &'static str,
    why: &'static str,
    run: fn(&Ground) -> io::Result<()>,
) -> Attempt {
    with(name, Baseline::Depends(why), run)
}

/// An attempt that every run goes through.
pub(super) const fn permitted(name: &'static str, run: fn(&Ground) -> io::Result<()>) -> Attempt {
    attempt(name, run).opened_by(Run::CONFINED)
}
