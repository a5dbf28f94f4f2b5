//! §3 The decisions on the permissions of a server, as its client tells them.

mod grants;
mod methods;
mod table;

pub use grants::Grants;
pub use methods::routes;
