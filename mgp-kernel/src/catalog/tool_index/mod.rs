//! §16 for hosts: finding tools, loading them, and the tools of a session; as methods, and as tools for hosts that only know
//! `tools/call`.
//!
//! | file | content |
//! |---|---|
//! | `session.rs` | the session of a request |
//! | `used.rs` | the effect of a tool call on its session |
//! | `approvals.rs` | the approvals of an operator |
//! | `notes.rs` | the notes in answers, in addition to the tools |
//! | `answer.rs` | the methods, and the tools that represent them |
//! | `check.rs` | dry runs of these tools |
//! | `own.rs` | the features behind the kernel's own tools |

mod answer;
mod approvals;
mod check;
mod notes;
mod own;
mod session;
mod used;

pub(crate) use answer::{MetaTools, routes};
pub(crate) use approvals::OperatorApprovals;
pub(crate) use own::{OwnTool, SearchTimes, ToolCreation};
#[cfg(feature = "child")]
pub(crate) use session::host_of;
#[cfg(feature = "child")]
pub(crate) use session::with_security;
pub(crate) use session::{ShownOfSession, may_name_session, session_tag, shown_of_session, take_session};
pub(crate) use used::used;
