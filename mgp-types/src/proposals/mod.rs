//! The extension proposals' own form of `tools/call`, and the detection of peers that use it.
//!
//! The proposals put members next to a call's `name` and `arguments` that MGP has in `_meta`. A host may use either place. A server gets the
//! proposals' form in addition to MGP's only after it has shown that it uses it.
//!
//! | file | contents |
//! |---|---|
//! | `call.rs` | the members of a call |
//! | `confirmation.rs` | a server's request for a confirmation, and the confirmation |
//! | `peer.rs` | the signs that identify a server of the proposals |

mod call;
mod confirmation;
mod peer;

pub use call::{may_have_members, unify, write_members};
pub use confirmation::{GivenConfirmation, WantedConfirmation};
pub use peer::{EXTENSIONS, is_answer, is_definition, is_handshake};
