//! The builder of a kernel.
//!
//! | file | what it holds |
//! |---|---|
//! | `builder.rs` | the builder, and the setters on servers and on the kernel itself |
//! | `shown.rs` | the setters on what hosts are shown |
//! | `calls.rs` | the setters on calls |
//! | `rights.rs` | the setters on what callers and servers may do |
//! | `trail.rs` | the setters on what is recorded and counted |
//! | `stores.rs` | the setters on stores, folders and files |
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
