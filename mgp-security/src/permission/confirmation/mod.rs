//! §4.4 Asking before a dangerous call.

mod layer;
mod service;

pub use layer::ConfirmationLayer;
pub use service::Confirm;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
