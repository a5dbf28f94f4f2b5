//! §15.4, §15.5 Servers that are added and removed at runtime: the right to register them, and the changes to the kernel.

mod come_and_go;
mod events;
mod methods;
mod reach;
mod registrar;
mod settings;

pub(super) use come_and_go::follow;
pub(super) use methods::routes;
pub(super) use reach::Reach;
pub use registrar::Registrar;
pub(super) use settings::RegistrationSettings;
