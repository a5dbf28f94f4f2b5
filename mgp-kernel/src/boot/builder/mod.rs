//! The builder of a kernel.
//!
//! | file | content |
//! |---|---|
//! | `builder.rs` | the builder, and the setters for servers and for the kernel itself |
//! | `shown.rs` | the setters for the tools and instructions of hosts |
//! | `calls.rs` | the setters for calls |
//! | `rights.rs` | the setters for the rights of callers and servers |
//! | `trail.rs` | the setters for the audit trail and metrics |
//! | `stores.rs` | the setters for stores, folders and files |
//! | `error.rs` | the errors of starting a kernel |

#[expect(clippy::module_inception, reason = "the builder is named for what it is")]
mod builder;
mod calls;
mod error;
mod rights;
mod shown;
mod stores;
mod trail;

pub use builder::KernelBuilder;
pub use error::KernelError;
