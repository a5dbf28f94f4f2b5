//! One file per command, each with its arguments and a function `run`. `known.rs` completes abbreviated names and ids.

pub(crate) mod access;
pub(crate) mod add;
pub(crate) mod approve;
pub(crate) mod audit;
pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod connect;
#[cfg(feature = "console")]
pub(crate) mod console;
pub(crate) mod doctor;
pub(crate) mod events;
pub(crate) mod init;
pub(crate) mod keys;
mod known;
pub(crate) mod limits;
pub(crate) mod logs;
pub(crate) mod man;
pub(crate) mod registry;
pub(crate) mod reload;
mod role;
pub(crate) mod secrets;
pub(crate) mod serve;
pub(crate) mod servers;
pub(crate) mod status;
pub(crate) mod stop;
pub(crate) mod store;
pub(crate) mod tools;
pub(crate) mod transactions;
pub(crate) mod trust;
pub(crate) mod update;

pub(crate) use known::short_id;
