//! Parked calls of hosts with a stateless revision of MCP. When a server or the kernel asks such a host, the host's request is
//! answered with the questions as a round of input, and the call is parked. It continues when the host sends its request again
//! with the answers.
//!
//! | file | content |
//! |---|---|
//! | `layer.rs`, `service.rs` | the layer around the pipeline |
//! | `call.rs` | one call on its own connection, which outlives the host's requests |
//! | `running.rs` | the task that the call runs on |
//! | `address.rs` | the ids by which the host knows its waiting request |
//! | `table.rs` | the parked calls, and their limits |
//! | `request.rs` | the identity of a parked call's request, so that no other caller can resume the call |

mod address;
mod call;
mod layer;
mod request;
mod running;
mod service;
mod table;

pub(crate) use call::ParkedCall;
pub use layer::ParkedCalls;
pub(crate) use layer::ParkingLayer;
