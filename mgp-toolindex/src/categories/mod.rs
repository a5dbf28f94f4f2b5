//! §16.3, §16.4 What tools are filed under, so that they can be found by looking through what there is.
//!
//! A category is a path such as `filesystem/read`, from the general to the particular; who looks under `filesystem` finds what is filed
//! below it too. A tool is filed under what its definition says, under the families of its permissions and its side effects, under what
//! the configuration says of its server, and under its server's id and the first word of its name. All of it follows from the tools
//! alone, whatever came first.

mod count;
mod definition;
mod server;
mod summary;

pub use count::{MOST_SHOWN, count};
pub(crate) use definition::{Filed, MAX_CATEGORIES};
pub(crate) use server::file_by_server;
pub use summary::summary;
