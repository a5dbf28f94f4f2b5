//! `mgp keys`: keys for hosts that connect over HTTP.

mod change;
mod list;
mod new;
mod run;

pub(crate) use run::{KeysArgs, run};
