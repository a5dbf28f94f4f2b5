//! The methods of a section, keyed by method: handlers and their permitted callers.

mod error;
mod route;
mod table;

#[cfg(test)]
mod tests;

pub use error::RouteError;
pub use route::Role;
pub use table::Routes;
