//! Calls of hosts that speak a stateless revision of MCP. When a server, or the kernel itself, asks such a host something, the
//! host's request is answered with the questions as a round of input, the call is parked, and the call goes on when the host sends
//! its request again with the answers.
//!
//! | file | what it holds |
//! |---|---|
//! | `layer.rs`, `service.rs` | the layer around the pipeline |
//! | `call.rs` | one call on a connection of its own, which outlives the host's requests |
//! | `address.rs` | the ids by which the host knows its waiting request |
//! | `table.rs` | the parked calls, and their limits |
//! | `request.rs` | the identity of a parked call's request, so that nobody else goes on with the call |

mod address;
mod call;
mod layer;
mod request;
mod service;
mod table;

pub(in crate::kernel) use call::ParkedCall;
pub use layer::ParkedCalls;
pub(in crate::kernel) use layer::ParkingLayer;
