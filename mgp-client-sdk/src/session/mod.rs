//! A session with one server, in either era. The client of one server and the kernel both use it for their servers.
//!
//! | to | use |
//! |---|---|
//! | connect, and reconnect if probing the era ended the server | [`connect`], [`ServerConnection`], [`LastEra`] |
//! | send a request in rounds of input | [`run_rounds`], [`Rounds`] |
//! | read every page of a list | [`read_list`], [`read_entries`] |
//! | answer each question of a task once | [`AnsweredKeys`] |
//! | cancel a request, and get its partial result | [`running_call`] |
//! | receive changes | [`ServerSession::subscription`], [`Listener`] |
//! | set the level of the server's log | [`ServerSession::log_level_request`] |
//! | declare the host of a request to a server | `ServerSession::write_profile`, with the feature `kernel` |
//!
//! Only this module checks the era of a server.

mod answered_keys;
mod connect;
mod connection;
#[cfg(feature = "kernel")]
mod envelopes;
mod events;
mod handshake;
mod headers;
#[cfg(any(feature = "child", feature = "kernel"))]
mod last_era;
mod list;
mod listener;
mod listening;
mod log_level;
#[cfg(feature = "kernel")]
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

pub(crate) use answered_keys::{AnsweredKeys, QuestionGuard};
pub use connect::ConnectError;
#[cfg(any(feature = "child", feature = "kernel"))]
pub(crate) use connect::connect;
#[cfg(all(unix, feature = "child", feature = "kernel"))]
pub(crate) use connect::greet_unasked;
pub(crate) use connect::{AgreedConnection, greet};
pub(crate) use connection::ServerConnection;
#[cfg(feature = "kernel")]
pub(crate) use envelopes::HostProfile;
pub(crate) use handshake::Hello;
pub use handshake::{Era, EraChoice, Greeting, HandshakeError};
#[cfg(any(feature = "child", feature = "kernel"))]
pub(crate) use last_era::LastEra;
pub(crate) use list::{ListLimits, read_entries, read_list};
pub(crate) use listener::{Gap, ListenLimits, Listener};
#[cfg(feature = "kernel")]
pub(crate) use profiles::{has_session, remove_profile};
#[cfg(feature = "kernel")]
pub(crate) use rounds::ask_all;
pub(crate) use rounds::{Answer, AnswerKinds, RoundLimits, Rounds, run_rounds};
#[cfg(feature = "kernel")]
pub(crate) use running_call::RunningCall;
pub(crate) use running_call::RunningEvent;
pub(crate) use session::ServerSession;
pub(crate) use subscription::Subscription;
