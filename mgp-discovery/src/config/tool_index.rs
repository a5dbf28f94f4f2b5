//! `[kernel.tool_index]`: the models that find the meaning of tools and of queries (§16.4).

use super::text::Text;
use serde::{Deserialize, Serialize};

/// The `[kernel.tool_index]` table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolIndexConfig {
    /// The kind of embedder, which finds the meaning of a text.
    pub embedder: EmbedderKind,
    /// For `fastembed`, a folder with a model or the name of one; for `static`, the file of another table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Text>,
    /// A cross-encoder that reranks the first results: a folder with a model, or the name of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranker: Option<Text>,
    /// The folder in which downloaded models are kept. `None` means one in the state folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models_dir: Option<Text>,
    /// The number of threads that a model may keep busy. `None` means half of the machine's cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
}

/// The kind of embedder, which finds the meaning of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
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
