//! §16.3, §16.4 Categories of tools, for browsing.
//!
//! A category is a path such as `filesystem/read`, from the general to the particular; browsing `filesystem` also finds the tools
//! filed below it. A tool is filed under:
//! - the categories of its definition,
//! - the families of its permissions and its side effects,
//! - the categories that the configuration gives its server,
//! - its server's id and the first word of its name.
//!
//! The categories depend only on the tools, not on the order in which they were added.

mod count;
mod definition;
mod server;
mod summary;

pub use count::{MAX_SHOWN, count};
pub(crate) use definition::{Classification, MAX_CATEGORIES};
pub(crate) use server::file_by_server;
pub use summary::summary;
