//! Sentence models, run by fastembed and ONNX Runtime. Feature `fastembed`.
//!
//! ONNX Runtime is a separate library that is loaded with the first model. Only then is a missing library an error; the rest of
//! the program works without it.

mod embedder;
mod error;
mod folder;
mod options;
mod runtime;

pub use embedder::FastEmbedder;
pub use error::OnnxError;
pub(crate) use error::reasons;
pub(crate) use folder::tokenizer_files;
pub use options::{ModelOptions, ModelSource};
pub(crate) use runtime::load_runtime;
