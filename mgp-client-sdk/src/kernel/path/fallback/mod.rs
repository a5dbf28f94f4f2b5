//! §14.6 Fallback: a tool that replaces one whose call failed.
//!
//! | file | content |
//! |---|---|
//! | `service.rs` | calls the tool, and its substitute if that fails |
//! | `substitute.rs` | the choice of the substitute |

mod service;
mod substitute;

pub(in crate::kernel) use service::Fallback;
