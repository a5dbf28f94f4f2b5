//! The page of the audit trail.

mod charts;
mod event;
mod event_name;
mod events;
mod export;
mod filter;
mod filter_form;
mod heading;
mod row;
mod steps;
mod timeline;
mod trace;
mod verify;
mod view;

pub(in crate::pages) use event_name::event_name;
pub(crate) use export::export;
pub(crate) use verify::verify_answer;
pub(crate) use view::trail;
