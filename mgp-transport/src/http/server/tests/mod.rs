//! The server's rules, each by requests made by hand.

mod batches;
mod bodies;
mod connections;
#[cfg(feature = "http-docs")]
mod docs;
mod http_sse;
mod pages;
mod posts;
mod replica_pair;
mod replicas;
mod resume;
mod rig;
mod security;
mod serving;
mod sessions;
mod shares;
mod stateless;
mod streams;
mod tokens;

use rig::{Rig, Stream, request};
