//! `[kernel.tool_index]`: what finds the meaning of tools and of queries (§16.4).

use super::text::Text;
use serde::{Deserialize, Serialize};

/// The `[kernel.tool_index]` table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolIndexConfig {
    /// What finds the meaning of a text.
    pub embedder: EmbedderKind,
    /// For `fastembed`, a folder with a model or the name of one; for `static`, the file of another table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Text>,
    /// Reads the first results once more: a folder with a cross-encoder or the name of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranker: Option<Text>,
    /// Where models that were fetched are kept; in the state folder where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models_dir: Option<Text>,
    /// How many threads a model may keep busy; half of the machine's where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
}

/// What finds the meaning of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbedderKind {
    /// Nothing: tools are found by words alone.
    None,
    /// A table of vectors that is part of the program.
    #[default]
    Static,
    /// A sentence model.
    Fastembed,
}

impl ToolIndexConfig {
    /// The sentence model where none is named.
    pub const DEFAULT_MODEL: &str = "bge-small-en-v1.5";

    /// Every value in which variables expand, by its key.
    pub(super) fn texts(&mut self) -> impl Iterator<Item = (&'static str, &mut Text)> {
        let texts = [
            ("model", &mut self.model),
            ("reranker", &mut self.reranker),
            ("models_dir", &mut self.models_dir),
        ];
        texts.into_iter().filter_map(|(key, text)| Some((key, text.as_mut()?)))
    }
}
