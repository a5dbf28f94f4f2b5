//! §14.6 Fallback: a tool that replaces one whose call failed.
//!
//! | file | content |
//! |---|---|
//! | `layer.rs`, `service.rs` | calls the tool, and its substitute if that fails |
//! | `substitute.rs` | the choice of the substitute |

mod layer;
mod service;
mod substitute;

pub(crate) use layer::FallbackLayer;
