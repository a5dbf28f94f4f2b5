//! §16.4 Vectors that represent the meaning of texts, as the index keeps and compares them.

mod quantized;

pub use quantized::QuantizedVector;
