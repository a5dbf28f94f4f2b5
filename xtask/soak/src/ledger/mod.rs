//! The counts of requests and answers.

mod audit;
mod book;
mod ticket;

pub(crate) use audit::{AuditComparison, audit};
pub(crate) use book::{Book, CallEnd, Ledger, Row};
pub(crate) use ticket::{Answer, Ticket};
