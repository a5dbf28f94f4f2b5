//! `mgp approve`: the operator's answers, on permissions of servers and on calls.

mod calls;
mod permissions;
mod run;

pub(crate) use run::{ApproveArgs, run};
