//! Questions that a handler asks its caller: elicitation, sampling, roots. A handler is written once for both eras of MCP, and for
//! clients that answer callbacks of MGP.
//!
//! A client of a revision with `initialize` receives a question as a request from the server, and the handler waits for its
//! answer. A stateless revision has no requests from servers: the question ends the round, and the client sends its request again
//! with the answer. The handler then **runs again from its start**, and the answers of all earlier rounds are replayed.
//!
//! A client that shows no forms, but negotiated the extension `callbacks` (§13.4), receives callbacks: a form without fields is a
//! confirmation, a form with one field is an input or a selection. A callback cannot carry other forms, fields with a pattern or
//! a format of texts, URLs, or questions of a [task](crate::task). It is withdrawn when its call ends or its future is dropped,
//! and after its [time limit](Ask::callback_timeout). Callbacks need a session: in a stateless revision, only clients that show
//! forms can be asked.
//!
//! Rules for handlers:
//!
//! - Each question has a key, the same in every run.
//! - Work before a question may be done more than once. Ask first, then act.
//! - A call that has become a [task](crate::task) keeps running while it asks, and does not run again.
//! - A user may finish at a URL long after the question is answered: notify the client with
//!   [`Notifier::elicitation_complete`](crate::Notifier::elicitation_complete).
//! - Independent questions are best asked together (`tokio::join!`): they form one round.

mod callback;
mod extractor;

pub use crate::asking::AskError;
pub use extractor::Ask;
