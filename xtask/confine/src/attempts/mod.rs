//! The attempts, by the part of the system that they are after.

mod attempt;
mod calls;
mod egress;
mod files;
mod network;
mod processes;
mod resources;
mod system;

pub(crate) use attempt::{Attempt, Baseline};

/// Every attempt.
pub(crate) const ALL: &[&[Attempt]] = &[
    files::ATTEMPTS,
    processes::ATTEMPTS,
    network::ATTEMPTS,
    egress::ATTEMPTS,
    system::ATTEMPTS,
    resources::ATTEMPTS,
];
