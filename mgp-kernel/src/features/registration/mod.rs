//! §15.4, §15.5 Servers that are added and removed at runtime: the right to register them, and the changes to the kernel.

mod events;
mod methods;
mod reach;
mod registered;
mod registrar;
mod server_rights;
mod settings;

pub(crate) use methods::routes;
pub(crate) use reach::Reach;
pub(crate) use registered::{RegisteredServers, follow};
pub use registrar::Registrar;
pub(crate) use settings::RegistrationSettings;
