//! §15.4, §15.5 Servers that are added and removed at runtime: the right to register them, and the changes to the kernel.

mod come_and_go;
mod events;
mod methods;
mod reach;
mod registrar;
mod settings;

pub(in crate::kernel) use come_and_go::follow;
pub(in crate::kernel) use methods::routes;
pub(in crate::kernel) use reach::Reach;
pub use registrar::Registrar;
pub(in crate::kernel) use settings::RegistrationSettings;
