//! Plain functions as handlers.
//!
//! The compiler reports a bound that does not hold at the step that fails, because each step on the way to [`Handler`] has exactly one
//! implementation that fits: [`Function`] finds the arguments of a function by their number, [`Extractors`] requires that they are
//! extractors, [`Work`] that what it returns is a future or an answer.

mod boxed;
#[doc(hidden)]
pub mod check;
mod error;
mod extractors;
mod function;
#[expect(clippy::module_inception, reason = "the trait is named for what it is")]
mod handler;

pub(crate) use boxed::{BoxHandler, BoxWork, RunningHandler, boxed, boxed_with, replied};
pub use error::IntoToolError;
pub(crate) use extractors::Extractors;
pub(crate) use function::{Function, Work};
pub use handler::Handler;
