//! A session with one server, in either era. The client of one server and the kernel both use it for their servers.
//!
//! | to | use |
//! |---|---|
//! | connect, and reconnect if probing the era ended the server | `connect`, `ServerConnection`, `LastEra` |
//! | send a request in rounds of input | `run_rounds`, `Rounds` |
//! | read every page of a list | `read_list`, `read_entries` |
//! | answer each question of a task once | `AnsweredKeys` |
//! | cancel a request, and get its partial result | `running_call` |
//! | receive changes | `ServerSession::subscription`, `Listener` |
//! | set the level of the server's log | `ServerSession::log_level_request` |
//! | declare the host of a request to a server | `ServerSession::write_profile` |
//!
//! Only this module checks the era of a server.

mod answered_keys;
mod connect;
mod connection;
mod envelopes;
mod events;
mod handshake;
mod headers;
mod last_era;
mod list;
mod listener;
mod listening;
mod log_level;
mod profiles;
mod resources;
#[cfg(feature = "http")]
mod rights;
mod rounds;
mod running_call;
#[expect(clippy::module_inception, reason = "the session is named for what it is")]
mod session;
mod subscription;
mod subscription_state;
mod wait;

pub use answered_keys::{AnsweredKeys, QuestionGuard};
pub use connect::ConnectError;
pub use connect::connect;
pub use connect::{AgreedConnection, greet};
pub use connection::ServerConnection;
pub use envelopes::HostProfile;
pub use handshake::Hello;
pub use handshake::{Era, EraChoice, Greeting, HandshakeError};
pub use last_era::LastEra;
pub use list::{ListLimits, read_entries, read_list};
pub use listener::{Gap, ListenLimits, Listener};
pub use profiles::{has_session, remove_profile};
pub use rounds::ask_all;
pub use rounds::{Answer, AnswerKinds, RoundLimits, Rounds, run_rounds};
pub use running_call::RunningCall;
pub use running_call::RunningEvent;
pub use session::ServerSession;
pub use subscription::Subscription;
