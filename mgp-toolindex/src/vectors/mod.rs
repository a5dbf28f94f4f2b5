//! §16.4 Vectors that say where the meaning of a text lies, as the index keeps and compares them.

mod graph;
mod quantized;

pub(crate) use graph::Graph;
pub use quantized::Quantized;
