//! An embedder over a sentence model.

use super::{ModelOptions, ModelSource, OnnxError, folder::ModelFolder, reasons, runtime::load_runtime};
use crate::embed::{EmbedError, Embedder};
use fastembed::{
    InitOptionsUserDefined, QuantizationMode, TextEmbedding, TextInitOptions, UserDefinedEmbeddingModel,
};
use ort::environment::Environment;
use parking_lot::Mutex;
use std::{
    fmt,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The number of texts that a model embeds at once.
const BATCH: usize = 8;
/// The longest time that the embedding of tools yields to searches before each batch.
const MAX_PAUSE: Duration = Duration::from_millis(100);

/// An embedder with a sentence model.
pub struct FastEmbedder {
    id: String,
    dimensions: usize,
    model: Mutex<TextEmbedding>,
    /// The number of searches that wait for the model.
    searches: AtomicUsize,
    /// The number of texts that are embedded at once: one, if texts in a batch would change each other's vectors.
    batch: usize,
    prefixes: Prefixes,
}

/// The prefixes that some models expect before a text.
#[derive(Debug, Clone, Copy)]
struct Prefixes {
    query: &'static str,
    passage: &'static str,
}

impl FastEmbedder {
    /// Loads a model. A model from the hub is downloaded first unless it is in the cache folder.
    ///
    /// # Errors
    /// Returns an [`OnnxError`] if the model cannot be loaded.
    pub fn load(options: &ModelOptions) -> Result<Self, OnnxError> {
        let environment = load_runtime()?;
        let mut loaded = match &options.source {
            ModelSource::Hub(name) => Self::from_hub(name, options, environment)?,
            ModelSource::Folder(folder) => {
                let folder_name = folder.display().to_string();
                let failed = |reason| OnnxError::Model { model: folder_name.clone(), reason };
                let read = ModelFolder::read(folder)?;
                let batch = batch(options, &read.quantization);
                let model = UserDefinedEmbeddingModel::new(read.onnx, read.tokenizer)
                    .with_pooling(read.pooling)
                    .with_quantization(read.quantization);
                let wanted = InitOptionsUserDefined::new()
                    .with_environment(environment)
                    .with_intra_threads(options.threads);
                let model = TextEmbedding::try_new_from_user_defined(model, wanted);
                let model = model.map_err(|error| failed(reasons(&error)))?;
                let id = format!("fastembed-folder-{}", read.fingerprint);
                let searches = AtomicUsize::new(0);
                Self {
                    id,
                    dimensions: 0,
                    model: Mutex::new(model),
                    searches,
                    batch,
                    prefixes: Prefixes::NONE,
                }
            }
        };
        // The model itself is measured: the dimensions in folders and lists may be wrong.
        let first = loaded
            .embed_query("dimensions")
            .map_err(|error| OnnxError::Model { model: loaded.id.clone(), reason: error.to_string() })?;
        loaded.dimensions = first.len();
        Ok(loaded)
    }

    fn from_hub(name: &str, options: &ModelOptions, environment: Environment) -> Result<Self, OnnxError> {
        let known = TextEmbedding::list_supported_models();
        let short = |code: &str| code.rsplit('/').next().unwrap_or_default().to_lowercase();
        let wanted = name.to_lowercase();
        let found = known.iter().find(|info| {
            info.model_code.to_lowercase() == wanted
                || short(&info.model_code) == wanted
                || format!("{:?}", info.model).to_lowercase() == wanted
        });
        let Some(info) = found else {
            let known: Vec<_> = known.iter().map(|info| short(&info.model_code)).collect();
            return Err(OnnxError::UnknownModel { name: name.to_owned(), known: known.join(", ") });
        };
        let mut wanted = TextInitOptions::new(info.model.clone())
            .with_show_download_progress(options.show_progress)
            .with_environment(environment)
            .with_intra_threads(options.threads);
        if let Some(folder) = &options.cache_folder {
            wanted = wanted.with_cache_dir(folder.clone());
        }
        let model = TextEmbedding::try_new(wanted)
            .map_err(|error| OnnxError::Model { model: info.model_code.clone(), reason: reasons(&error) })?;
        Ok(Self {
            id: format!("fastembed-{}", info.model_code),
            dimensions: info.dim,
            model: Mutex::new(model),
            searches: AtomicUsize::new(0),
            batch: batch(options, &TextEmbedding::get_quantization_mode(&info.model)),
            prefixes: Prefixes::of(&info.model_code),
        })
    }

    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut model = self.model.lock();
        model.embed(texts, None).map_err(|error| EmbedError::Model(reasons(&error)))
    }

    /// Yields to searches for a while: the lock alone would mostly go to the thread that held it last.
    fn give_way(&self) {
        let start = Instant::now();
        while self.searches.load(Ordering::Relaxed) > 0 && start.elapsed() < MAX_PAUSE {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Prefixes {
    const NONE: Self = Self { query: "", passage: "" };

    fn of(model: &str) -> Self {
        if model.contains("e5-") {
            Self { query: "query: ", passage: "passage: " }
        } else if model.contains("nomic-embed") {
            Self { query: "search_query: ", passage: "search_document: " }
        } else {
            Self::NONE
        }
    }
}

/// Returns the number of texts to embed at once. A model that rounds its numbers by the range of a whole batch gives a text
/// different vectors in different batches. It embeds one text at a time, unless `options` sets another number.
fn batch(options: &ModelOptions, quantization: &QuantizationMode) -> usize {
    let usual = if matches!(quantization, QuantizationMode::Dynamic) { 1 } else { BATCH };
    options.batch.unwrap_or(usual).max(1)
}

impl Embedder for FastEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.searches.fetch_add(1, Ordering::Relaxed);
        let found = self.embed(&[format!("{}{text}", self.prefixes.query)]);
        self.searches.fetch_sub(1, Ordering::Relaxed);
        found?.into_iter().next().ok_or_else(|| EmbedError::Model("it returned no vector".to_owned()))
    }

    fn embed_passages(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(self.batch) {
            self.give_way();
            let batch: Vec<_> = batch.iter().map(|text| format!("{}{text}", self.prefixes.passage)).collect();
            vectors.extend(self.embed(&batch)?);
        }
        Ok(vectors)
    }
}

impl fmt::Debug for FastEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FastEmbedder").field("id", &self.id).finish_non_exhaustive()
    }
}
