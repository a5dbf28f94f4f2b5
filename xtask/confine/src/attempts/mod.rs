//! The attempts, by their targets in the system.

mod attempt;
mod calls;
mod egress;
mod files;
mod given;
mod network;
mod processes;
mod remains;
mod resources;
mod system;

pub(crate) use attempt::{Attempt, Baseline};
pub(crate) use remains::{ENDED, REMAINS, remain};

/// Every attempt.
pub(crate) const ALL: &[&[Attempt]] = &[
    files::ATTEMPTS,
    processes::ATTEMPTS,
    network::ATTEMPTS,
    egress::ATTEMPTS,
    system::ATTEMPTS,
    resources::ATTEMPTS,
    given::ATTEMPTS,
    remains::ATTEMPTS,
];
