//! The trust in project files, which decides whether they may run commands.
//!
//! A project that is checked out brings its `mgp.toml` along. The commands in that file run only after the user looked
//! at the file and recorded its hash; a changed file is another file.

mod hash;
mod record;
mod store;

pub use hash::{FileHash, hash};
pub use store::{Trust, TrustError, TrustStore};
