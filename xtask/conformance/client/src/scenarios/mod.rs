//! The client's part in each scenario, one file for each area.

mod auth;
mod connect;
mod elicitation;
mod headers;
mod initialize;
mod run;
mod tools;

pub(crate) use run::run;
