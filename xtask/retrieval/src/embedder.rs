//! The index with the chosen embedder.

use crate::arguments::{EmbedderArguments, EmbedderName};
use mgp_toolindex::{
    embed::{
        StaticEmbedder,
        onnx::{FastEmbedder, ModelOptions, ModelSource},
    },
    index::{ToolIndex, ToolIndexBuilder},
};
use std::sync::Arc;

pub(crate) fn builder(arguments: &EmbedderArguments) -> Result<ToolIndexBuilder, String> {
    let builder = ToolIndex::builder();
    match arguments.embedder {
        EmbedderName::None => Ok(builder.without_embedder()),
        EmbedderName::Static => match &arguments.model {
            None => Ok(builder),
            Some(path) => {
                let bytes = std::fs::read(path).map_err(|error| format!("failed to read {path}: {error}"))?;
                let table = StaticEmbedder::from_bytes(bytes).map_err(|error| format!("{path}: {error}"))?;
                Ok(builder.embedder(Arc::new(table)))
            }
        },
        EmbedderName::Fastembed => {
            let model = arguments
                .model
                .as_deref()
                .ok_or("--embedder fastembed needs --model: a folder, or a model's name")?;
            let mut options = ModelOptions::new(ModelSource::parse(model));
            options.show_progress = true;
            let embedder = FastEmbedder::load(&options).map_err(|error| error.to_string())?;
            Ok(builder.embedder(Arc::new(embedder)))
        }
    }
}
