//! Rows: each is one pair of peers, runs in a separate folder within a time limit, and passes, fails or is skipped.

mod folder;
mod leftovers;
mod logs;
mod report;
mod row;
mod runner;

pub(crate) use folder::Folder;
pub(crate) use leftovers::{end_all, signal};
pub(crate) use report::Report;
pub(crate) use row::{Context, Row, row};
pub(crate) use runner::{Settings, run_rows};
