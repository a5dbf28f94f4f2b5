//! §13.4 A server's callbacks reach the host of their call, in whatever way the host can be asked, and no other host.

mod asked;
mod bounds;
mod recorded;
mod refused;
mod support;
