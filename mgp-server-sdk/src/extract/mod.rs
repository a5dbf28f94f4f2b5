//! Extractors: the types that a handler's arguments may have.
//!
//! | extractor | what it is |
//! |---|---|
//! | [`Args<T>`] | the arguments as a Rust type, whose schema clients see |
//! | [`RawArgs`] | the arguments as text |
//! | [`State<T>`] | the value given to [`Server::state`](crate::Server::state) |
//! | [`Caller`] | the principal on whose behalf the call is made, if it is known |
//! | [`Peer`](mgp_transport::seam::Peer), [`Session`](mgp_transport::seam::Session) | the client, and its session |
//! | [`Negotiation`](mgp_types::negotiation::Negotiation), `Option<Negotiation>` | the agreement on MGP with the client |
//! | [`Grants`](crate::permission::Grants) | the client's decisions on the server's permissions |
//! | `CodeSafety` (feature `code-safety`) | checks code that the tool takes (§7) |
//! | [`Ask`](crate::ask::Ask) | asks the client |
//! | [`StartTask`](crate::task::StartTask) | turns the call into a task |
//! | [`Option<TaskHandle>`](crate::task::TaskHandle) | the task that the call runs as |
//! | [`Progress`](mgp_stream::progress::Progress) | reports the progress of the work (§12.6) |
//! | [`StreamSink`](mgp_stream::sink::StreamSink) | sends parts of the answer before the answer (§12.4) |
//! | [`PartialResult`] | the result of a call that is cancelled (§12.7) |
//! | [`Checkpoint`](crate::checkpoint::Checkpoint) | the state from which a call continues an earlier one |
//! | [`SessionState`](crate::session_state::SessionState) | the state that earlier calls of the same session saved |
//! | [`CancelToken`](mgp_transport::seam::CancelToken) | signals that the caller no longer wants the answer |
//! | [`Log`] | writes to the client's log |
//! | [`Notifier`](crate::Notifier) | notifies clients that a list or a resource has changed |
//! | [`Events`](crate::events::Events) | publishes events in the server's channels (§13.3) |
//! | [`TraceId`](mgp_types::context::TraceId) | the identifier that links the call to others (§6.5) |
//! | [`Uri`] | the URI of the resource that is read |
//! | [`Prefix`] | the text typed so far for the argument to complete |

mod args;
mod connection;
mod events;
mod identity;
mod log;
mod partial_result;
mod state;
mod stream;
mod subject;
mod texts;

pub use args::{Args, ArgumentSchema, InvalidArguments, RawArgs};
pub use connection::NoConnection;
pub use identity::Caller;
pub use log::Log;
pub use partial_result::PartialResult;
pub use state::{MissingState, State};
pub use subject::{Prefix, Uri, WrongMethod};

pub use crate::{from_call::FromCall, needs::Needs};
