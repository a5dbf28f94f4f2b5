//! §12.4 The order of chunks: dense indices from 0.

mod chunk_order;

pub use chunk_order::{ChunkOrder, ChunkPlace};
