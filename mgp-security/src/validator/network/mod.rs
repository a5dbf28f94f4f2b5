//! §4.5 `network_restricted`: blocks requests to this machine, private networks and metadata services.

mod anywhere;
mod check;
mod host;
mod keys;
mod places;

#[cfg(test)]
mod tests;

pub use check::NetworkRestricted;
