//! Errors of loading a model.

use std::path::PathBuf;
use thiserror::Error;

/// The error of a model that cannot be used. Each message names a remedy.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OnnxError {
    /// ONNX Runtime is missing, or its version is not supported.
    #[error(
        "ONNX Runtime cannot be loaded from {library:?} ({reason}): install it (`pip install onnxruntime` has it in its folder \
         capi, as libonnxruntime.so.* or onnxruntime.dll) and set ORT_DYLIB_PATH to that file"
    )]
    Runtime {
        /// The file that was tried.
        library: String,
        /// The error message.
        reason: String,
    },
    /// No model has this name.
    #[error("no model {name:?} is known: expected a folder with a model, or one of {known}")]
    UnknownModel {
        /// The unknown name.
        name: String,
        /// The names of the known models.
        known: String,
    },
    /// A file of a model's folder is missing or cannot be read.
    #[error("model folder: failed to read {}: {reason}", path.display())]
    Folder {
        /// The file.
        path: PathBuf,
        /// The error message of the system.
        reason: String,
    },
    /// The model cannot be downloaded or loaded.
    #[error("the model {model} cannot be loaded: {reason}")]
    Model {
        /// The model's name or folder.
        model: String,
        /// The error message of the library.
        reason: String,
    },
}

/// Returns an error and its sources as one line.
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
