//! The server's rules, each by requests made by hand.

mod posts;
mod rig;
mod security;
mod serving;
mod sessions;
mod streams;

use rig::{Rig, Stream, request};
