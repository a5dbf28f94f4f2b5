//! Test support that several crates share: waits, the other side of a connection, examples as programs, PostgreSQL, a balancer,
//! replicas behind it, and calls for gates and layers.
//!
//! A crate takes this crate as a development dependency. A failure panics, as in a test.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod balancer;
mod call;
mod counting_service;
mod example;
mod json;
mod polled;
mod postgres;
#[cfg(unix)]
mod postgres_proxy;
mod raw_peer;
mod replicas;
mod wait;

pub use balancer::{BALANCER_HOST, Balancer, haproxy_configuration};
pub use call::{TestCall, context, plain_profile};
pub use counting_service::CountingService;
pub use example::{example, run_example};
pub use json::json;
pub use polled::PolledFuture;
pub use postgres::{SharedDatabase, databases, has_postgres, postgres};
#[cfg(unix)]
pub use postgres_proxy::PostgresProxy;
pub use raw_peer::RawPeer;
pub use replicas::{replica_tables, replicas_obstacle};
pub use wait::{block_until_some, until, until_some, within};
