//! §16.6 Tools created from an agent's code, each for one session of a host.
//!
//! | file | content |
//! |---|---|
//! | `conditions.rs` | the conditions for creating tools, and the terms |
//! | `create.rs` | the creation of a tool from code |
//! | `install.rs` | the last step: the server starts |
//! | `interpreter.rs` | the interpreter behind the configured program |
//! | `load_turns.rs` | the turns for loading code that is not a tool yet |
//! | `program.rs`, `harness.py` | one run of the code, in its own confined process |
//! | `made_server.rs` | the server in this process that has the tool |
//! | `made_tools.rs` | the tools of each session |
//! | `end.rs` | the removal of a tool, with its session or before its successor |
//! | `events.rs` | the events of the audit trail |
//! | `rejection.rs` | the answer to rejected code |
//! | `request.rs` | the part of a request for tools that creates one |

mod conditions;
mod create;
mod end;
mod events;
mod install;
mod interpreter;
mod load_turns;
mod made_server;
mod made_tools;
mod program;
mod rejection;
mod request;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

pub(crate) use conditions::ToolCreator;
use rejection::rejection_text;
