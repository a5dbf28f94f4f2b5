//! The page of tools.

mod view;
mod words;

pub(crate) use view::tools;
pub(crate) use words::ToolWords;
