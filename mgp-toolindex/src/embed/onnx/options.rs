//! Which model, and how much of the machine it may take.

use std::{path::PathBuf, thread};

/// Where a model comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelSource {
    /// A model that fastembed knows, by the name of its repository on the hub or by its short name: fetched once into
    /// the cache folder.
    Hub(String),
    /// A folder with a model in ONNX form and its tokenizer. Nothing is fetched.
    Folder(PathBuf),
}

/// Which model, and how much of the machine it may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelOptions {
    /// Where it comes from.
    pub source: ModelSource,
    /// Where models from the hub are kept; fastembed's own choice where absent.
    pub cache_folder: Option<PathBuf>,
    /// How many threads it may keep busy.
    pub threads: usize,
    /// How many texts it reads at once. Where absent: eight, and one where a model is quantized so that what is read
    /// together changes each other's vectors a little.
    pub batch: Option<usize>,
    /// Whether a bar shows how far a fetch is, on stderr.
    pub show_progress: bool,
}

impl ModelOptions {
    /// A model, on half of the machine's cores.
    #[must_use]
    pub fn new(source: ModelSource) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self { source, cache_folder: None, threads: (cores / 2).max(1), batch: None, show_progress: false }
    }
}

impl ModelSource {
    /// A folder where there is one of that name, otherwise the name of a model on the hub.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let folder = PathBuf::from(text);
        if folder.is_dir() { Self::Folder(folder) } else { Self::Hub(text.to_owned()) }
    }
}
