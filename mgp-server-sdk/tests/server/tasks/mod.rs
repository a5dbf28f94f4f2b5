//! Tasks, in both of MCP's forms.

mod bounds;
mod core;
mod core_asks;
mod extension;
mod extension_asks;
mod isolation;
mod life;
mod support;
