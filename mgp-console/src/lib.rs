//! A console in the browser for the operators of a gateway.
//!
//! The console has no second truth: it shows what the commands of the program print with `--json`, and each of its buttons runs one
//! [command](Commands). [`Console`] is its state, and [`Console::router`] serves its pages.

mod actions;
mod assets;
mod command_line;
mod commands;
mod console;
mod form;
mod guard;
mod live;
mod operator;
mod page;
mod pages;
mod router;
#[cfg(test)]
mod testing;
mod texts;

pub use commands::{CommandError, Commands, LiveEvent, PlacedProblem};
pub use console::{Console, ConsoleAddress};
pub use operator::{KeyedOperator, Operator, OperatorKeys, OperatorRole};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
