//! Tools as the operator wants them: `[[servers.tools]]`.
//!
//! A server's own definition stays as it is for pins and scans. Everything else sees the shaped one, under the shaped name.

mod arguments;
mod cache;
mod definition;
mod result;

pub(crate) use cache::{CacheKey, ResultCache};
pub(crate) use definition::ShapedTool;
