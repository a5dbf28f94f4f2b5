//! What was sent and what came back.

mod audit;
mod book;
mod ticket;

pub(crate) use audit::{Audited, audit};
pub(crate) use book::{Book, CallEnd, Ledger, Row};
pub(crate) use ticket::{Answer, Ticket};
