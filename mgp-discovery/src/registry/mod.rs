//! §15 The registry: the servers that the kernel knows, with their states and their visibility.

mod methods;
mod registrar;
mod server;
mod servers;
mod trust_level;

#[cfg(test)]
mod tests;

pub use methods::RegistryMethods;
pub use registrar::Registrar;
pub use server::RegisteredServer;
pub use servers::{MAX_SERVERS, Registry, RegistryError};
pub use trust_level::{ServerSource, trust_level};
