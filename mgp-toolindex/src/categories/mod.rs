//! §16.3, §16.4 Categories of tools, by which tools can be browsed.
//!
//! A category is a path such as `filesystem/read`, from the general to the particular; browsing `filesystem` also finds the tools filed
//! below it. A tool is filed under the categories of its definition, under the families of its permissions and its side effects, under
//! the categories that the configuration gives its server, and under its server's id and the first word of its name. The categories
//! follow from the tools alone, whatever the order in which tools were added.

mod count;
mod definition;
mod server;
mod summary;

pub use count::{MAX_SHOWN, count};
pub(crate) use definition::{Classification, MAX_CATEGORIES};
pub(crate) use server::file_by_server;
pub use summary::summary;
