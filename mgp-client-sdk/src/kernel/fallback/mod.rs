//! §14.6 Fallback: a tool that stands in for one whose call failed.
//!
//! | file | what it holds |
//! |---|---|
//! | `service.rs` | calls the tool, and the other one if that fails |
//! | `substitute.rs` | the choice of the other tool |

mod service;
mod substitute;

pub(in crate::kernel) use service::Fallback;
