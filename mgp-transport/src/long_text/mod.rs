//! Strings of tool calls that are too long for memory: on byte streams, they go into and come out of a store on their way.
//!
//! A call says that its result may hold long strings ([`LongTexts::receive`]); in the frame that answers it, each of them is then replaced by
//! a placeholder. A call whose params hold a placeholder ([`LongTexts::send`]) is written with the text
//! in its place. All other frames are read and written as if this module were not there.

mod outline;
mod registry;
mod text;
mod unescape;

pub(crate) use outline::{Outline, OutlinedLine};
pub use registry::{LongTextGuard, LongTexts, ReceivedTexts};
pub(crate) use text::whole_line;
pub use text::{LongText, LongTextStore, LongTextWriter, PlacedText, read_part};

/// The number of bytes of a text that are in memory at a time.
pub(crate) const PIECE: usize = 64 * 1024;

#[cfg(test)]
mod tests;
