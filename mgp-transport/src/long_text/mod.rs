//! Strings of tool calls that are too long for memory: on byte streams, they are moved to and from a store on their way.
//!
//! A call declares that its result may hold long strings ([`LongTexts::receive`]). In the frame that answers it, each of them is
//! then replaced by a placeholder. A call whose params hold a placeholder ([`LongTexts::send`]) is written with the text instead
//! of the placeholder. All other frames are read and written unchanged.

mod call;
mod outline;
mod registry;
mod text;
mod unescape;

pub use call::LongCall;
pub(crate) use outline::{Outline, OutlinedLine};
pub use registry::{LongTextGuard, LongTexts, ReceivedTexts};
pub(crate) use text::whole_line;
pub use text::{LongText, LongTextStore, LongTextWriter, PlacedText, read_part};

/// The number of bytes of a text that are in memory at a time.
pub(crate) const PIECE: usize = 64 * 1024;

#[cfg(test)]
mod tests;
