//! The trust in project files, which decides whether they may run commands.
//!
//! A checked-out project may contain an `mgp.toml`. The commands in that file run only after the user reviewed the file and recorded its
//! hash. A changed file is untrusted again.

mod hash;
mod record;
mod store;

pub use hash::{FileHash, hash};
pub use store::{Trust, TrustError, TrustStore};
