//! Small files that only their user can read, and that several processes share: records, tokens, a configuration with keys in it.
//!
//! Nothing of another account is used, and no symbolic link in the place of a file or its folder, which others could point elsewhere: the
//! open itself refuses it, so that none can be put there in time.
//!
//! A reader sees either the old file or the new one, as a whole. To change a file, hold a [`FileLock`] from the reading to the
//! writing, so that no other change is lost.

mod file;
mod folder;
mod lock;
mod owner;

pub use file::PrivateFile;
pub use folder::make_private_folder;
pub use lock::FileLock;
