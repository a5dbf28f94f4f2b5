//! The tools that are searched and listed: those of real servers, and as many more as are wanted made from them.

mod data;
mod generated;
mod real;

pub(crate) use data::{queries, shared};
pub(crate) use generated::{Generator, Server, TOOLS_A_SERVER};
pub(crate) use real::{RealTool, real};
