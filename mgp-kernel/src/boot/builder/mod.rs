//! The builder of a kernel.
//!
//! | file | content |
//! |---|---|
//! | `builder.rs` | the builder, and the setters for the configuration, for servers, and for stores and folders |
//! | `shown.rs` | the setters for the tools and instructions that hosts are shown |
//! | `calls.rs` | the setters for calls |
//! | `rights.rs` | the setters for rights and for the audit trail |
//! | `program.rs` | the settings of the program around the kernel |
//! | `error.rs` | the errors of starting a kernel |

#[expect(clippy::module_inception, reason = "the builder is named for what it is")]
mod builder;
mod calls;
mod error;
mod program;
mod rights;
mod shown;

pub use builder::KernelBuilder;
pub use error::KernelError;
pub use program::ProgramSettings;
