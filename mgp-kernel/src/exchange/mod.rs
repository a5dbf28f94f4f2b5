//! The exchange of messages between hosts and servers: the one place between a tool call and the session of its server.
//!
//! | file | content |
//! |---|---|
//! | `exchange.rs`, `messages.rs` | the exchange of one server, and the messages that pass through it |
//! | `call.rs` | sends hosts' requests to a server |
//! | `rounds.rs` | the rounds of one request, and the server's messages about it |
//! | `outcome.rs`, `proposals.rs`, `stream_summary.rs` | the outcome of a request, and its form for the host |
//! | `early_end.rs` | the end of a request before the server has answered |
//! | `callers.rs` | the calls in flight, with their hosts |
//! | `asked.rs`, `roots.rs` | answers the requests that a server sends on its own initiative |
//! | `questions.rs`, `callback_bridge.rs` | asks hosts |
//! | `callbacks.rs`, `callback_records.rs` | the callbacks of a server |
//! | `url_required.rs`, `url_elicitations.rs` | the URLs that a server sends users to |
//! | `server_log.rs` | forwards the log messages of a server |

mod asked;
mod call;
mod callback_bridge;
mod callback_records;
mod callbacks;
mod callers;
mod early_end;
#[expect(clippy::module_inception, reason = "the exchange is named for what it is")]
mod exchange;
mod messages;
mod outcome;
mod proposals;
mod questions;
pub(crate) mod roots;
mod rounds;
mod server_log;
mod stream_summary;
mod url_elicitations;
mod url_required;

pub(crate) use exchange::Exchange;
pub(crate) use server_log::forward_log;
