//! The shared parts of the tests of pages: a console whose commands answer from a list, and hostile texts in each of these answers.

mod buttons;
mod console;
mod hostile;
mod markup;

pub(crate) use console::{FAILED, TestConsole, context, over_network};
