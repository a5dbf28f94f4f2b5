//! The instructions that hosts get with the handshake: which servers are behind the gateway, as far as the caller may see them.
//!
//! | file | what it holds |
//! |---|---|
//! | `settings.rs` | the operator's own text, the budget, and how long a greeting waits |
//! | `room.rs` | the rest of the budget |
//! | `overview.rs` | the list of servers |
//! | `closed.rs` | the sentence about resources and prompts that are closed although tools of their servers are open |
//! | `questions.rs` | the sentence for hosts at which nobody can be asked |
//! | `greet.rs` | the whole text for one caller |

mod closed;
mod greet;
mod overview;
mod questions;
mod room;
mod settings;

pub(super) use closed::{closed_offers, warn_of_closed_offers};
pub(super) use greet::{instructions, nothing, of_server};
pub(super) use room::Room;
pub(super) use settings::Settings;
