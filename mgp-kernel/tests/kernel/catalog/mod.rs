//! The tools and instructions that hosts are shown.

mod cached;
mod categories;
mod definitions;
mod few_tools;
pub(crate) mod instructions;
mod late_tools;
mod left_out;
mod names;
mod pages;
mod rest;
mod shaping;
mod shown;
mod tool_metadata;
mod tool_requests;
mod tool_sessions;
