//! §15.4, §15.5 Servers that come and go while kernels run: who may register them, what is asked of them, and where they are kept.
//!
//! Whoever shares the store sees the same servers. They are sandboxed, whatever a request says, and the servers of a
//! configuration are not among them.

mod memory;
#[expect(clippy::module_inception, reason = "one registration is named for what it is")]
mod registration;
mod registrations;
mod request;
mod right;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;

#[cfg(test)]
mod tests;

pub use memory::MemoryRegistrationStore;
pub use registration::Registration;
pub use registrations::Registrations;
pub use right::{Registrars, RegistrationRight};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteRegistrationStore;
pub use store::{Added, RegistrationStore, StoreError};
