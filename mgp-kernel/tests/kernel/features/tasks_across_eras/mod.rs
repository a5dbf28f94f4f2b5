//! Tasks through the kernel, for each pair of eras: MCP's two forms of them are said in each other's words.

mod answers;
mod bounds;
mod calls;
mod gates;
mod questions;
mod secrets;
mod steps;
mod support;
mod told;
