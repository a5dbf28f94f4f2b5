//! The parts of this project that are under test, and their scenarios.

mod leg;
mod must_pass;
mod plan;
mod run;
mod running_leg;

pub(crate) use leg::Leg;
pub(crate) use plan::{Plan, plan};
pub(crate) use run::{Context, run};
pub(crate) use running_leg::RunningLeg;
