//! §16.4 Vectors that represent the meaning of texts, as the index keeps and compares them.

mod clusters;
mod quantized;

pub(crate) use clusters::Clusters;
pub use quantized::Quantized;
