//! The catalog of tools: the table of all servers' tools, and the lists, searches and documents that hosts get of them.

pub(crate) mod apps;
mod direct_listing;
mod estimates;
pub(crate) mod instructions;
pub(crate) mod list_tools;
pub(crate) mod openapi;
pub(crate) mod prompt_names;
mod quotas;
mod task_support;
pub(crate) mod tool_index;
pub(crate) mod tools;
pub(crate) mod unavailable;
