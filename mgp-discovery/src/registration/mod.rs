//! §15.4, §15.5 Servers that are added and removed while kernels run: the right to register them, the checks of requests, and the
//! stores.
//!
//! All kernels that share a store see the same servers. Registered servers are always sandboxed. The servers of a configuration are not among
//! them.

#[cfg(feature = "sqlite")]
mod kept_requests;
#[expect(clippy::module_inception, reason = "one registration is named for what it is")]
mod registration;
mod registrations;
mod request;
mod requested_server;
mod right;
#[cfg(feature = "sqlite")]
mod sql;
mod store;

#[cfg(test)]
#[cfg(feature = "sqlite")]
mod tests;

pub use mgp_store::StoreError;

#[cfg(feature = "sqlite")]
pub use mgp_store::sql::SqlStore;
pub use registration::Registration;
pub use registrations::Registrations;
pub use requested_server::{RequestOutcome, RequestedServer};
pub use right::{Registrars, RegistrationRight};
#[cfg(feature = "sqlite")]
pub use sql::SqlRegistrationStore;
pub use store::{AddOutcome, RegistrationStore};
