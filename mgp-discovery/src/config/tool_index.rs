//! `[kernel.tool_index]`: the models that find the meaning of tools and of queries (§16.4).

use super::text::Text;
use serde::{Deserialize, Serialize};

/// The `[kernel.tool_index]` table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct ToolIndexConfig {
    /// The means by which tools match a query by meaning: none (only words), a table that is part of the program, or a sentence model. See
    /// [tool-index.md](https://github.com/mgp-rs/mgp/blob/main/docs/tool-index.md#a-sentence-model).
    pub embedder: EmbedderKind,
    /// For `fastembed`, a folder with a model, or the name of a model, which is fetched once (default: `bge-small-en-v1.5`). For `static`, the file
    /// of a table made by `cargo xtask distill`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Text>,
    /// A cross-encoder, by folder or name, that reranks the first 20 results of each search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranker: Option<Text>,
    /// The folder for fetched models. Default: `models` in the state folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models_dir: Option<Text>,
    /// The most threads that a model may keep busy. Default: half of the cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1024)))]
    pub threads: Option<usize>,
}

/// The kind of embedder, which finds the meaning of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum EmbedderKind {
    /// No embedder: tools are found only by words.
    None,
    /// A table of vectors that is part of the program.
    #[default]
    Static,
    /// A sentence model.
    Fastembed,
}

impl ToolIndexConfig {
    /// The default sentence model.
    pub const DEFAULT_MODEL: &str = "bge-small-en-v1.5";

    /// Returns every value in which variables expand, with its key.
    pub(super) fn texts(&mut self) -> impl Iterator<Item = (&'static str, &mut Text)> {
        let texts = [
            ("model", &mut self.model),
            ("reranker", &mut self.reranker),
            ("models_dir", &mut self.models_dir),
        ];
        texts.into_iter().filter_map(|(key, text)| Some((key, text.as_mut()?)))
    }
}
