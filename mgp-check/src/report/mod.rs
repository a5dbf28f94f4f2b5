//! Reports: in the proposals' form, for test runners, and for people.

mod json;
mod junit;
#[expect(clippy::module_inception, reason = "it is what the folder is named for")]
mod report;
mod text;

pub use report::{CheckOutcome, CheckReport};
