//! §16 for hosts: finding tools, loading them, the tools of a session; as methods, and as tools for hosts that only know `tools/call`.
//!
//! | file | what it holds |
//! |---|---|
//! | `session.rs` | which session a request means |
//! | `used.rs` | what a call of a tool does to its session |
//! | `approvals.rs` | what waits for an operator |
//! | `answer.rs` | the methods, and the tools that stand for them |

mod answer;
mod approvals;
mod session;
mod used;

pub(super) use answer::{METHODS, answer, answer_call};
pub(super) use approvals::OperatorApprovals;
pub(super) use session::{SessionHandle, ShownOfSession, shown_of_session};
pub(super) use used::used;
