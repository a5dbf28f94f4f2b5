//! Why a model cannot be used.

use std::path::PathBuf;
use thiserror::Error;

/// Why a model cannot be used. Each message says what to do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OnnxError {
    /// ONNX Runtime is not there, or is none that fits.
    #[error(
        "ONNX Runtime cannot be loaded from {library:?} ({reason}): install it (`pip install onnxruntime` has it in its folder \
         capi, as libonnxruntime.so.* or onnxruntime.dll) and set ORT_DYLIB_PATH to that file"
    )]
    Runtime {
        /// What was tried.
        library: String,
        /// What the system says.
        reason: String,
    },
    /// There is no model of the name.
    #[error("no model {name:?} is known: expected a folder with a model, or one of {known}")]
    UnknownModel {
        /// The name.
        name: String,
        /// Those that are known.
        known: String,
    },
    /// A file of a model's folder is missing or cannot be read.
    #[error("model folder: failed to read {}: {reason}", path.display())]
    Folder {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The model cannot be fetched or loaded.
    #[error("the model {model} cannot be loaded: {reason}")]
    Model {
        /// Its name or folder.
        model: String,
        /// What the library says.
        reason: String,
    },
}

/// An error with what it came from, in one line.
pub(crate) fn reasons(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        source = inner.source();
    }
    text.replace('\n', " ")
}
