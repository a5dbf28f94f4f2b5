//! Secrets in one encrypted file, and sealed data of other files, under a key that only this account can read.
//!
//! The key is in the keyring of the operating system, if there is one and the feature `keyring` is on, else in a file next to the secrets. So a
//! copy of only the secrets, for example in a backup, cannot be read. A program that runs as this account can read both.

mod key;
#[cfg(feature = "keyring")]
mod keyring;
mod store;

pub use store::SecretStore;
