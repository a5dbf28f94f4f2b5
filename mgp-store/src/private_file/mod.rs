//! Small files that only their user can read, and that several processes share: records, tokens, a configuration with keys in it.
//!
//! A reader sees either the old file or the new one, as a whole. To change a file, hold a [`FileLock`] from the reading to the
//! writing, so that no other change is lost.

mod file;
mod folder;
mod lock;

pub use file::PrivateFile;
pub use folder::make_private_folder;
pub use lock::FileLock;
