//! The options of a model: its source, and its share of the machine.

use std::{path::PathBuf, thread};

/// The source of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelSource {
    /// A model that fastembed supports, by the name of its repository on the hub or by its short name. It is downloaded once into
    /// the cache folder.
    Hub(String),
    /// A folder with a model in ONNX form and its tokenizer. Nothing is downloaded.
    Folder(PathBuf),
}

/// The options of a model: its source, and its share of the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelOptions {
    /// The source of the model.
    pub source: ModelSource,
    /// The folder in which models from the hub are kept. `None` for fastembed's default.
    pub cache_folder: Option<PathBuf>,
    /// The number of threads that the model may use.
    pub threads: usize,
    /// The number of texts that the model embeds at once. `None` means eight, or one if the model's quantization lets texts of a
    /// batch change each other's vectors a little.
    pub batch: Option<usize>,
    /// True if a progress bar is shown on stderr during a download.
    pub show_progress: bool,
}

impl ModelOptions {
    /// Creates the options of a model that runs on half of the machine's cores.
    #[must_use]
    pub fn new(source: ModelSource) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self { source, cache_folder: None, threads: (cores / 2).max(1), batch: None, show_progress: false }
    }
}

impl ModelSource {
    /// Returns the folder if `text` is the path of one, and otherwise the name of a model on the hub.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let folder = PathBuf::from(text);
        if folder.is_dir() { Self::Folder(folder) } else { Self::Hub(text.to_owned()) }
    }
}
