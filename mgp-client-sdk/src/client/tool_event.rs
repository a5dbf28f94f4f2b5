//! The messages of a tool before its result.

use mgp_types::{mcp::ProgressParams, stream::StreamChunkParams};

/// A message of a tool before its result.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ToolEvent {
    /// The progress of the tool.
    Progress(ProgressParams),
    /// A chunk of the result, from a server that speaks MGP's streaming.
    Chunk(StreamChunkParams),
    /// Missing chunks before the next chunk, whose text does not continue the previous one. The result has the whole content.
    Gap {
        /// The index of the first missing chunk.
        first: u64,
        /// The number of missing chunks.
        missing: u64,
    },
}
