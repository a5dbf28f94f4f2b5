//! The suite's output for each scenario.

mod check;
mod collect;
mod reason;
mod scenario;

pub(crate) use check::{Check, Status};
pub(crate) use collect::{ScenarioOutput, collect};
pub(crate) use reason::reason;
pub(crate) use scenario::{Kind, Scenario};
