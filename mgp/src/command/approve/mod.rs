//! `mgp approve`: the operator's answers, on permissions of servers and on calls.

mod calls;
mod definitions;
mod follow;
mod permissions;
mod run;
mod scope;
mod servers;

pub(crate) use run::{ApproveArgs, run};
