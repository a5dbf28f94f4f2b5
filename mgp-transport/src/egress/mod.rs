//! The egress proxy: the only way from a confined server's own network to the hosts that it may reach.
//!
//! It speaks HTTP (`CONNECT`, and requests for `http` URLs) and SOCKS5 on one port. A name is looked up once, and the proxy connects to
//! the address that it judged, so a name that changes its address in between leads nowhere else. A name leads to public addresses alone,
//! and to those that are listed themselves.

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
