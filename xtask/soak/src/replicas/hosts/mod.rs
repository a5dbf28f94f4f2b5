//! The hosts of a run.

mod attempt;
mod context;
mod guests;
mod keyed;
mod outcomes;
mod probe;
mod rush;
mod saga;
mod spender;
mod worker;

pub(crate) use context::Context;
pub(crate) use guests::{change_rights, visit};
pub(crate) use outcomes::{Gap, OutcomeBook, Outcomes, QuotaUse, Revocation, Saga};
pub(crate) use probe::probe;
pub(crate) use rush::rush;
pub(crate) use saga::settle;
pub(crate) use spender::spend;
pub(crate) use worker::work;
