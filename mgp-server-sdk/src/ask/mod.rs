//! Questions that a handler asks its caller: elicitation, sampling, roots. A handler is written once for both eras of MCP, and for
//! clients that answer callbacks of MGP.
//!
//! With a client that speaks a revision with `initialize`, a question is a request from the server, and the handler waits for its
//! answer. In a stateless revision there are no such requests: the question ends the round, the client brings the answer when it
//! sends its request again, and the handler **runs again from its start**, with the answers of all earlier rounds replayed.
//!
//! A client that shows no forms, but negotiated the extension `callbacks` (§13.4), is asked by callbacks: a form without fields is a
//! confirmation, a form with one field is an input or a selection. A callback cannot carry other forms, fields with a pattern or a format
//! of texts, URLs, or questions of a [task](crate::task). It is withdrawn when its call ends or its future is dropped, and after its
//! [time limit](Ask::callback_timeout). Callbacks need a session: in a stateless revision, only clients that show forms can be asked.
//!
//! So:
//!
//! - Each question has a key, the same in every run.
//! - What a handler does before it asks may be done more than once. Ask first, then act.
//! - A call that has become a [task](crate::task) keeps running while it asks, and does not run again.
//! - A user may finish at a URL long after the question is answered: tell the client with
//!   [`Notifier::elicitation_complete`](crate::Notifier::elicitation_complete).
//! - Questions that do not depend on each other are best asked together (`tokio::join!`): that is one round.

mod callback;
mod error;
mod extractor;
mod rounds;
mod seal;
mod urls;

pub use error::AskError;
pub use extractor::Ask;
pub(crate) use rounds::{MOST, Rounds, RunOutcome};
pub(crate) use seal::{Seal, caller_digest, digest, now};
pub(crate) use urls::OpenUrls;
