//! §16.4 Vectors that say where the meaning of a text lies, as the index keeps and compares them.

mod clusters;
mod quantized;

pub(crate) use clusters::Clusters;
pub use quantized::Quantized;
