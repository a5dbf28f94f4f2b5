//! Token stores: the trait, memory, and a file.

mod file;
mod hold;
mod memory;
#[expect(clippy::module_inception, reason = "the trait is named for what it is")]
mod store;

pub use file::TokenFile;
pub use hold::StoreHold;
pub use memory::TokenMemory;
pub use store::{AuthMethod, Binding, ClientOrigin, KeptClient, KeptGrant, StoreError, TokenStore, Tokens};
