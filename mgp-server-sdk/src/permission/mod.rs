//! §3 The client's decisions on the permissions of a server.

mod grants;
mod methods;
mod table;

pub use grants::Grants;
pub use methods::routes;
