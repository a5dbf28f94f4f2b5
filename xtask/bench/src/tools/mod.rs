//! The tools that are searched and listed: those of real servers, and any number of tools generated from them.

mod data;
mod generated;
mod real;

pub(crate) use data::{queries, shared};
pub(crate) use generated::{Generator, Server, TOOLS_A_SERVER};
pub(crate) use real::{RealTool, real};
