//! The instructions that hosts get with the handshake: the servers behind the gateway that the caller may see.
//!
//! | file | content |
//! |---|---|
//! | `settings.rs` | the operator's own text, the budget, and the wait of a greeting |
//! | `room.rs` | the rest of the budget |
//! | `overview.rs` | the list of servers |
//! | `closed.rs` | the sentence about resources and prompts that are closed although tools of their servers are open |
//! | `no_tools.rs` | the reasons why a caller finds no tool |
//! | `questions.rs` | the sentence for hosts whose users cannot be asked |
//! | `greet.rs` | the whole text for one caller |

mod closed;
mod greet;
mod no_tools;
mod overview;
mod questions;
mod room;
mod settings;

pub(crate) use closed::{closed_offers, warn_of_closed_offers};
pub(crate) use greet::{Greeter, of_server};
pub(super) use no_tools::without_tools;
pub(crate) use room::Room;
pub(crate) use settings::Settings;
