//! An embedder over a sentence model.

use super::{ModelOptions, ModelSource, OnnxError, folder::ModelFolder, reasons, runtime::load_runtime};
use crate::embed::{EmbedError, Embedder};
use fastembed::{
    InitOptionsUserDefined, QuantizationMode, TextEmbedding, TextInitOptions, UserDefinedEmbeddingModel,
};
use ort::environment::Environment;
use std::{
    fmt,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// How many texts a model reads at once.
const BATCH: usize = 8;
/// How long the reading of tools waits for searches, at most, before each batch.
const PATIENCE: Duration = Duration::from_millis(100);

/// Finds the meaning of texts by a sentence model.
pub struct FastEmbedder {
    id: String,
    dimensions: usize,
    model: Mutex<TextEmbedding>,
    /// How many searches wait for it.
    searches: AtomicUsize,
    /// How many texts it reads at once: one, where what is beside a text would change its vector.
    batch: usize,
    prefixes: Prefixes,
}

/// What some models want to be told before a text.
#[derive(Debug, Clone, Copy)]
struct Prefixes {
    query: &'static str,
    passage: &'static str,
}

impl FastEmbedder {
    /// Loads a model. Fetches it first, where it comes from the hub and is not in the cache folder yet.
    ///
    /// # Errors
    /// [`OnnxError`].
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
        // The model is asked: what folders and lists say of it may be wrong.
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
        let mut model = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        model.embed(texts, None).map_err(|error| EmbedError::Model(reasons(&error)))
    }

    /// Lets searches go first, for a while: the lock alone would mostly go to who had it last.
    fn give_way(&self) {
        let start = Instant::now();
        while self.searches.load(Ordering::Relaxed) > 0 && start.elapsed() < PATIENCE {
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

/// A model whose numbers are rounded by the range that a whole batch has gives other vectors in other company.
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
        found?.into_iter().next().ok_or_else(|| EmbedError::Model("it gave no vector".to_owned()))
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
