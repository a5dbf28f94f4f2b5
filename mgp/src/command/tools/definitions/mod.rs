//! Pinned definitions: shows, accepts and forgets them. These commands start no server.

mod accept;
mod compare;
mod diff;
mod forget;
mod kind;
mod listing;
mod row;
mod run;

pub(crate) use row::DefinitionRow;
pub(super) use run::{DefinitionsCommand, run};
