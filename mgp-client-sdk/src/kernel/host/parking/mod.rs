//! Calls of hosts that speak a stateless revision of MCP. What a server, or the kernel itself, asks such a host is a round of
//! input: the host's request is answered with the questions, the call is parked, and it goes on when the host sends its request
//! again with the answers.
//!
//! | file | what it holds |
//! |---|---|
//! | `layer.rs`, `service.rs` | what stands around the pipeline |
//! | `call.rs` | one call on a connection of its own, which outlives the host's requests |
//! | `address.rs` | by what the host knows the request that waits now |
//! | `table.rs` | the calls that are parked, and how many there may be |
//! | `request.rs` | whose request a parked call is, so that nobody else goes on with it |

mod address;
mod call;
mod layer;
mod request;
mod service;
mod table;

pub(in crate::kernel) use call::Parked;
pub use layer::ParkedCalls;
pub(in crate::kernel) use layer::ParkingLayer;
