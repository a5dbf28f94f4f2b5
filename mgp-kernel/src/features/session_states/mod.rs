//! The state that servers assign to their sessions as opaque tokens, kept for hosts that do not keep it.
//!
//! | file | content |
//! |---|---|
//! | `store.rs` | the tokens, by session and server |
//! | `call.rs` | the token of a call, and the one in its result |
//! | `refusal.rs` | answers with which a server rejects a token |

mod call;
mod refusal;
mod store;

pub(crate) use call::SessionCall;
pub(crate) use store::SessionStates;
