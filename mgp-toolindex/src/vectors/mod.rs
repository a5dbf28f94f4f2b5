//! §16.4 Vectors that represent the meaning of texts, in the form for storage and comparison.

mod quantized;

pub use quantized::QuantizedVector;
