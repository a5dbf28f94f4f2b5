//! Bench `lazy`: the time from the start of `mgp serve` to the answer of a first search, with a hundred lazy servers and with one.

mod gateway;
mod rows;
mod run;

pub(crate) use run::run;
