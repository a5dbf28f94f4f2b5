//! The counts of requests and answers.

mod audit;
mod book;
mod ticket;
mod trace;
mod trail;

pub(crate) use audit::{AuditComparison, audit};
pub(crate) use book::{Book, CallEnd, Ledger, Row};
pub(crate) use ticket::{Answer, Ticket};
pub(crate) use trace::Trace;
pub(crate) use trail::{Trail, TrailCounts};
