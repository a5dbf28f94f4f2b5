//! §16.3 Which tools a host is shown.

mod list;
mod mode;

pub use list::{Listing, list};
pub use mode::Exposure;
