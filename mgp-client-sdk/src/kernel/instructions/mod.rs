//! The instructions that hosts get with the handshake: which servers are behind the gateway, as far as the caller may see them.
//!
//! | file | what it holds |
//! |---|---|
//! | `settings.rs` | the operator's own text, the budget, and how long a greeting waits |
//! | `room.rs` | the rest of the budget |
//! | `overview.rs` | the list of servers |
//! | `greet.rs` | the whole text for one caller |

mod greet;
mod overview;
mod room;
mod settings;

pub(super) use greet::{instructions, nothing, of_server};
pub(super) use room::Room;
pub(super) use settings::Settings;
