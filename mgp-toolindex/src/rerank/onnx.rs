//! A cross-encoder, run by fastembed and ONNX Runtime. Feature `fastembed`.

use super::Reranker;
use crate::embed::{
    EmbedError,
    onnx::{ModelOptions, ModelSource, OnnxError, load_runtime, reasons, tokenizer_files},
};
use fastembed::{
    OnnxSource, RerankInitOptions, RerankInitOptionsUserDefined, TextRerank, UserDefinedRerankingModel,
};
use parking_lot::Mutex;
use std::{fmt, fs};

/// A reranker with a cross-encoder.
pub struct FastReranker {
    name: String,
    model: Mutex<TextRerank>,
}

impl FastReranker {
    /// Loads a model. A model from the hub is downloaded first unless it is in the cache folder.
    ///
    /// # Errors
    /// Returns an [`OnnxError`] if the model cannot be loaded.
    pub fn load(options: &ModelOptions) -> Result<Self, OnnxError> {
        let environment = load_runtime()?;
        let (name, model) = match &options.source {
            ModelSource::Hub(name) => {
                let known = TextRerank::list_supported_models();
                let wanted = name.to_lowercase();
                let short = |code: &str| code.rsplit('/').next().unwrap_or_default().to_lowercase();
                let found = known.iter().find(|info| {
                    info.model_code.to_lowercase() == wanted || short(&info.model_code) == wanted
                });
                let Some(info) = found else {
                    let known: Vec<_> = known.iter().map(|info| short(&info.model_code)).collect();
                    return Err(OnnxError::UnknownModel { name: name.clone(), known: known.join(", ") });
                };
                let mut wanted = RerankInitOptions::new(info.model.clone())
                    .with_show_download_progress(options.show_progress)
                    .with_environment(environment)
                    .with_intra_threads(options.threads);
                if let Some(folder) = &options.cache_folder {
                    wanted = wanted.with_cache_dir(folder.clone());
                }
                (info.model_code.clone(), TextRerank::try_new(wanted))
            }
            ModelSource::Folder(folder) => {
                let path = folder.join("model.onnx");
                let onnx =
                    fs::read(&path).map_err(|error| OnnxError::Folder { path, reason: error.to_string() })?;
                let model =
                    UserDefinedRerankingModel::new(OnnxSource::Memory(onnx), tokenizer_files(folder)?);
                let wanted = RerankInitOptionsUserDefined::default()
                    .with_environment(environment)
                    .with_intra_threads(options.threads);
                (folder.display().to_string(), TextRerank::try_new_from_user_defined(model, wanted))
            }
        };
        let model =
            model.map_err(|error| OnnxError::Model { model: name.clone(), reason: reasons(&error) })?;
        Ok(Self { name, model: Mutex::new(model) })
    }
}

impl Reranker for FastReranker {
    fn rate(&self, query: &str, texts: &[String]) -> Result<Vec<f32>, EmbedError> {
        let mut model = self.model.lock();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let found = model.rerank(query, &texts, false, None);
        let found = found.map_err(|error| EmbedError::Model(reasons(&error)))?;
        let mut rates = vec![f32::MIN; texts.len()];
        for result in found {
            if let Some(rate) = rates.get_mut(result.index) {
                *rate = result.score;
            }
        }
        Ok(rates)
    }
}

impl fmt::Debug for FastReranker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FastReranker").field("model", &self.name).finish_non_exhaustive()
    }
}
