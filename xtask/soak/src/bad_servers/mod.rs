//! Servers that are slow, dead, wrong or flooding: one of each kind, behind the same kernel as the good ones.

mod answer;
mod child;
mod http;
mod kind;
mod priority;

pub(crate) use child::run;
pub(crate) use http::listen;
pub(crate) use kind::{ALL, BadServer, that_ends_at_once};
pub(crate) use priority::give_way;
