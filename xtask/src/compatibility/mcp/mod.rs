//! docs/compatibility/mcp-compatibility.md: MCP's methods and features, and the tests and scenarios that show them.

mod check;
mod page;
mod scenarios;

pub(super) use check::check;
pub(super) use page::PATH;
