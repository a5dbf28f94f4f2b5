//! The suite: its packages, its lists, and its runs.

mod invocation;
mod list;
mod packages;
mod requirements;

pub(crate) use invocation::{Invocation, Subject, SuiteEnd};
pub(crate) use list::{ListedScenario, Side, parse_list};
pub(crate) use packages::{Suite, VERSION};
pub(crate) use requirements::{Requirements, parse_requirements};
