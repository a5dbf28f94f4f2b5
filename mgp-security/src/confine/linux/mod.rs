//! Confinement on Linux.

mod calls;
mod egress;
mod expand;
mod filter;
mod identity;
mod mounts;
mod prepare;
mod report;
mod ruleset;
mod start;

pub(super) use prepare::prepare;
