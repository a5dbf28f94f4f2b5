//! §16.6 Tools that are made of an agent's code, each for one session of a host.
//!
//! | file | content |
//! |---|---|
//! | `conditions.rs` | who may have tools made, and the terms |
//! | `create.rs` | the steps from code to a tool |
//! | `install.rs` | the last of them: the server comes |
//! | `interpreter.rs` | the interpreter behind the configured program |
//! | `load_turns.rs` | the turns to load code that is not a tool yet |
//! | `program.rs`, `harness.py` | one run of the code, in a confined process of its own |
//! | `made_server.rs` | the server in this process that has the tool |
//! | `made_tools.rs` | the tools of each session |
//! | `end.rs` | the end of a tool, with its session or before its successor |
//! | `events.rs` | the events of the audit trail |
//! | `rejection.rs` | the answer to code that is refused |
//! | `request.rs` | the part of a request for tools that makes one |

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

pub(in crate::kernel) use conditions::Creation;
pub(in crate::kernel) use rejection::rejection_text;
pub(in crate::kernel) use request::create;
