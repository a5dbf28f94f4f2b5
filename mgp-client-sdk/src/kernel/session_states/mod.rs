//! The state that servers give their sessions as opaque tokens, kept for hosts that do not keep it.
//!
//! | file | what it holds |
//! |---|---|
//! | `store.rs` | the tokens, by session and server |
//! | `call.rs` | the token of a call, and the one of its result |
//! | `refusal.rs` | answers by which a server refuses a token |

mod call;
mod refusal;
mod store;

pub(super) use call::SessionCall;
pub(super) use store::SessionStates;
