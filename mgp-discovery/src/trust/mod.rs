//! Which project files may run commands.
//!
//! Whoever checks out a project gets its `mgp.toml` with it. Its commands run only after the user looked at the file and
//! recorded its hash; a changed file is another file.

mod hash;
mod record;
mod store;

pub use hash::{FileHash, hash};
pub use store::{Trust, TrustError, TrustStore};
