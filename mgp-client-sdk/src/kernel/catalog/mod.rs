//! The catalog of tools: the table of all servers' tools, and the lists, searches and documents that hosts get of them.

mod direct_listing;
mod estimates;
pub(in crate::kernel) mod instructions;
pub(in crate::kernel) mod list_tools;
pub(in crate::kernel) mod openapi;
pub(in crate::kernel) mod prompt_names;
mod quotas;
mod task_support;
pub(in crate::kernel) mod tool_index;
pub(in crate::kernel) mod tools;
pub(in crate::kernel) mod unavailable;
