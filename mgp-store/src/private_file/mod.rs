//! Small files that only their user can read, and that several processes share: records, tokens, a configuration with keys in it.
//!
//! Files of other accounts are refused, and so are symbolic links, which others could point elsewhere. The open itself refuses them, so that
//! no link can be placed between the check and the open.
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
