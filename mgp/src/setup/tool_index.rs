//! The configured tool index of a command.

use super::Setup;
use crate::output::note;
use mgp_discovery::config::{EmbedderKind, Text, ToolIndexConfig};
use mgp_toolindex::{
    embed::{
        Embedder, StaticEmbedder,
        onnx::{FastEmbedder, ModelOptions, ModelSource, OnnxError},
    },
    index::{ToolIndex, ToolIndexBuilder},
    rerank::{FastReranker, Reranker},
};
use std::{fs, sync::Arc};

impl Setup {
    /// Builds the tool index of the configuration. A part that is not available is left out, with a note on stderr.
    pub(super) async fn tool_index(&self) -> ToolIndexBuilder {
        let config = self.loaded.as_ref().map(|loaded| loaded.config.kernel.tool_index.clone());
        let config = config.unwrap_or_default();
        let mut builder = ToolIndex::builder();
        match config.embedder {
            EmbedderKind::None => builder = builder.without_embedder(),
            EmbedderKind::Static => {
                if let Some(table) = config.model.as_ref().and_then(table) {
                    builder = builder.embedder(table);
                }
            }
            EmbedderKind::Fastembed => {
                let name = config.model.as_ref().map_or(ToolIndexConfig::DEFAULT_MODEL, Text::value);
                if let Some(model) = self.model(name, &config, FastEmbedder::load).await {
                    builder = self.with_cache(builder).embedder(Arc::new(model) as Arc<dyn Embedder>);
                }
            }
        }
        if let Some(name) = &config.reranker
            && let Some(model) = self.model(name.value(), &config, FastReranker::load).await
        {
            builder = builder.reranker(Arc::new(model) as Arc<dyn Reranker>);
        }
        builder
    }

    fn with_cache(&self, builder: ToolIndexBuilder) -> ToolIndexBuilder {
        match self.state.embeddings() {
            Ok(cache) => builder.cache(Arc::new(cache)),
            Err(error) => {
                note(&format!("vectors of tools are made anew at each start: {error}"));
                builder
            }
        }
    }

    /// Loads a model on a blocking thread. Returns `None`, with a note on stderr, if the model is not available.
    async fn model<M: Send + 'static>(
        &self,
        name: &str,
        config: &ToolIndexConfig,
        load: impl FnOnce(&ModelOptions) -> Result<M, OnnxError> + Send + 'static,
    ) -> Option<M> {
        let mut options = ModelOptions::new(ModelSource::parse(name));
        let folder = config.models_dir.as_ref().map(|folder| folder.value().into());
        options.cache_folder = Some(folder.unwrap_or_else(|| self.state.path().join("models")));
        options.threads = config.threads.unwrap_or(options.threads);
        options.show_progress = true;
        let loaded = tokio::task::spawn_blocking(move || load(&options)).await;
        let reason = match loaded {
            Ok(Ok(model)) => return Some(model),
            Ok(Err(error)) => error.to_string(),
            Err(error) => format!("the model {name} cannot be loaded: {error}"),
        };
        note(&format!("{reason}; tools are found without it"));
        None
    }
}

/// Loads a table from a file.
fn table(path: &Text) -> Option<Arc<dyn Embedder>> {
    let read = fs::read(path.value()).map_err(|error| error.to_string());
    let table = read.and_then(|bytes| StaticEmbedder::from_bytes(bytes).map_err(|error| error.to_string()));
    match table {
        Ok(table) => Some(Arc::new(table)),
        Err(reason) => {
            note(&format!("the table {} cannot be used: {reason}; the program's own is", path.value()));
            None
        }
    }
}
