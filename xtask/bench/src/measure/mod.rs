//! The measurement: rounds in turn on one runtime, and the median over them.

mod contest;
mod load;
mod memory;
mod processor;
mod run;
mod samples;
mod settings;

pub(crate) use contest::{Contest, compare};
pub(crate) use load::{Caller, all_at_once, each_its_own, one_by_one};
pub(crate) use memory::{resident, resident_of};
pub(crate) use processor::ProcessorTime;
pub(crate) use run::{run_prepared, run_within};
pub(crate) use samples::{Round, Rounds, median};
pub(crate) use settings::{Settings, Side};
