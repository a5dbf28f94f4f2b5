//! The page of agents and hosts.

mod view;
mod words;

pub(crate) use view::agents;
pub(crate) use words::AgentWords;
