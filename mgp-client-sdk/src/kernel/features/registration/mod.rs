//! §15.4, §15.5 Servers that are added and removed at runtime: the right to register them, and the changes to the kernel.

mod events;
mod methods;
mod reach;
mod registered;
mod registrar;
mod settings;

pub(in crate::kernel) use methods::routes;
pub(in crate::kernel) use reach::Reach;
pub(in crate::kernel) use registered::{RegisteredServers, follow};
pub use registrar::Registrar;
pub(in crate::kernel) use settings::RegistrationSettings;
