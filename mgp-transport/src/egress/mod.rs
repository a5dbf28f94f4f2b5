//! The egress proxy: the only way from a confined server's network to the hosts that it may reach.
//!
//! It supports HTTP (`CONNECT`, and requests for `http` URLs) and SOCKS5 on one port. A name is looked up once, and the proxy
//! connects to the address that it checked, so a later change of the name's address has no effect. A name may lead only to public
//! addresses, and to addresses that are listed themselves.

mod connections;
mod destination;
mod error;
mod http;
mod own;
mod proxy;
mod relay;
mod resolve;
mod shares;
mod socks;
#[cfg(test)]
mod tests;

pub use proxy::EgressProxy;
pub use resolve::ResolveHost;
