//! Results in pages: the request of the next page, and the union of pages.

mod body;
mod join;
mod link;
mod next;
mod target;

pub use join::join_pages;
pub use next::ApiResponse;
