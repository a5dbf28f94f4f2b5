//! The extension proposals' own form of `tools/call`, and how a peer that has it is known.
//!
//! The proposals put members beside a call's `name` and `arguments` that MGP has in `_meta`. A host may use either place. A server gets the
//! proposals' form beside MGP's only after it has shown that it has it.
//!
//! | file | what it holds |
//! |---|---|
//! | `call.rs` | the members of a call |
//! | `confirmation.rs` | a server's wish that a call be confirmed, and the confirmation that it gets |
//! | `peer.rs` | the signs by which a server of the proposals is known |

mod call;
mod confirmation;
mod peer;

pub use call::{may_have_members, unify, write_members};
pub use confirmation::{ConfirmationWish, GivenConfirmation};
pub use peer::{EXTENSIONS, is_answer, is_definition, is_handshake};
