//! A model in a folder.

use super::OnnxError;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::{fs, path::Path};

/// The names of a model's file, in the order in which they are tried.
const MODELS: [&str; 5] = [
    "model.onnx",
    "model_quantized.onnx",
    "model_optimized.onnx",
    "onnx/model.onnx",
    "onnx/model_quantized.onnx",
];

/// The pooling file of sentence-transformers: the method that combines the vectors of words into that of a sentence.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PoolingFile {
    pooling_mode_cls_token: bool,
}

/// The content of a model's folder.
pub(super) struct ModelFolder {
    pub(super) onnx: Vec<u8>,
    pub(super) tokenizer: fastembed::TokenizerFiles,
    pub(super) pooling: fastembed::Pooling,
    pub(super) quantization: fastembed::QuantizationMode,
    /// Eight bytes of the SHA-256 of everything that a vector depends on, in hexadecimal.
    pub(super) fingerprint: String,
}

impl ModelFolder {
    pub(super) fn read(folder: &Path) -> Result<Self, OnnxError> {
        let read = |name: &str| read(folder, name);
        let name = MODELS.into_iter().find(|name| folder.join(name).is_file());
        let Some(name) = name else {
            let reason = format!("expected one of {}", MODELS.join(", "));
            return Err(OnnxError::Folder { path: folder.to_owned(), reason });
        };
        let onnx = read(name)?;
        let optional = |name: &str| read(name).unwrap_or_else(|_| b"{}".to_vec());
        let pooling = optional("1_Pooling/config.json");
        let tokenizer = tokenizer_files(folder)?;
        let mut hash = Sha256::new();
        for part in [&onnx, &pooling, &tokenizer.tokenizer_file, &tokenizer.tokenizer_config_file] {
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        let fingerprint = mgp_types::hex::encode(&hash.finalize()[..8]);
        let pooling: PoolingFile = serde_json::from_slice(&pooling).unwrap_or_default();
        Ok(Self {
            tokenizer,
            pooling: if pooling.pooling_mode_cls_token {
                fastembed::Pooling::Cls
            } else {
                fastembed::Pooling::Mean
            },
            quantization: if name.contains("quantized") {
                fastembed::QuantizationMode::Dynamic
            } else {
                fastembed::QuantizationMode::None
            },
            fingerprint,
            onnx,
        })
    }
}

/// Reads the files of a folder that define its tokenizer.
pub(crate) fn tokenizer_files(folder: &Path) -> Result<fastembed::TokenizerFiles, OnnxError> {
    Ok(fastembed::TokenizerFiles {
        tokenizer_file: read(folder, "tokenizer.json")?,
        config_file: read(folder, "config.json")?,
        special_tokens_map_file: read(folder, "special_tokens_map.json")?,
        tokenizer_config_file: read(folder, "tokenizer_config.json")?,
    })
}

fn read(folder: &Path, name: &str) -> Result<Vec<u8>, OnnxError> {
    let path = folder.join(name);
    fs::read(&path).map_err(|error| OnnxError::Folder { path, reason: error.to_string() })
}
