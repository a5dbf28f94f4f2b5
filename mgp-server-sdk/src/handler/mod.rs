//! Plain functions as handlers.
//!
//! The compiler reports an unsatisfied bound at the step that fails, because each step to [`Handler`] has exactly one matching
//! implementation. [`Function`] finds the arguments of a function by their number, [`Extractors`] requires that they are
//! extractors, and [`Work`] that the return value is a future or an answer.

mod boxed;
#[doc(hidden)]
pub mod check;
mod extractors;
mod function;
#[expect(clippy::module_inception, reason = "the trait is named for what it is")]
mod handler;

pub(crate) use boxed::{BoxHandler, BoxWork, RunningHandler, boxed, boxed_with, replied};
pub(crate) use extractors::Extractors;
pub(crate) use function::{Function, Work};
pub use handler::Handler;
