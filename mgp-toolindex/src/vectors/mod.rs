//! §16.4 Vectors that say where the meaning of a text lies, as the index keeps and compares them.

mod quantized;

pub use quantized::Quantized;
