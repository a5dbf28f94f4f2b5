//! The frame of all pages, and the parts that several pages have.

mod action;
mod advice;
mod command;
mod context;
mod element;
mod foreign;
mod frame;
mod handler;
mod named_button;
mod nav;
mod paging;
mod sentence;
mod sign_in;
mod submit;
mod tabs;
mod term;
mod waiting;

pub(crate) use action::Action;
pub(crate) use command::command_box;
pub(crate) use context::Context;
pub(crate) use element::{error_box, result, time, trace_link};
pub(crate) use foreign::{foreign, foreign_block, foreign_whole, plain};
pub(crate) use handler::page;
pub(crate) use named_button::{NamedButton, named_button};
pub(crate) use nav::Nav;
pub(crate) use paging::{Part, links, start};
pub(crate) use sentence::sentence;
pub(crate) use sign_in::sign_in;
pub(crate) use submit::{Submit, action_form, element_id};
pub(crate) use tabs::{Tab, tabs, view_tabs};
pub(crate) use term::term_fields;
pub(crate) use waiting::waiting_tools;
