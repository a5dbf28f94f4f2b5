//! The sentence model whose vectors are learned.

use mgp_toolindex::embed::{
    Embedder,
    onnx::{FastEmbedder, ModelOptions, ModelSource},
};
use sha2::{Digest, Sha256};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The number of texts in one batch.
const BATCH: usize = 64;
/// The number of texts between two lines about the progress.
const STEP: usize = 100 * BATCH;

pub(super) struct Teacher {
    model: FastEmbedder,
    /// The folder that keeps the model's output, so that the next run need not compute it again.
    folder: PathBuf,
}

impl Teacher {
    pub(super) fn load(model: &Path, folder: PathBuf) -> Result<Self, String> {
        let mut options = ModelOptions::new(ModelSource::Folder(model.to_owned()));
        options.threads = std::thread::available_parallelism().map_or(1, usize::from);
        // The effect that texts of a batch have on each other's vectors is smaller than the table can learn.
        options.batch = Some(BATCH);
        let model = FastEmbedder::load(&options).map_err(|error| error.to_string())?;
        Ok(Self { model, folder })
    }

    pub(super) fn dimensions(&self) -> usize {
        self.model.dimensions()
    }

    /// Returns the vectors of texts, one after the other.
    pub(super) fn embed(&self, texts: &[String]) -> Result<Vec<f32>, String> {
        let mut hash = Sha256::new().chain_update(self.model.id());
        texts.iter().for_each(|text| hash.update(format!("\n{text}")));
        let name: String = hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let path = self.folder.join(format!("teacher-{name}.f32"));
        let length = texts.len() * self.dimensions();
        if let Ok(bytes) = fs::read(&path)
            && bytes.len() == length * 4
        {
            return Ok(bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect());
        }
        // Texts of similar length together: a batch takes as long as its longest.
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|text| texts[*text].len());
        let mut vectors = vec![0.0; length];
        for (step, order) in order.chunks(STEP).enumerate() {
            let batch: Vec<String> = order.iter().map(|text| texts[*text].clone()).collect();
            let found = self.model.embed_passages(&batch).map_err(|error| error.to_string())?;
            for (text, vector) in order.iter().zip(found) {
                vectors[text * vector.len()..(text + 1) * vector.len()].copy_from_slice(&vector);
            }
            eprintln!("  {} texts", step * STEP + order.len());
        }
        let bytes: Vec<u8> = vectors.iter().flat_map(|x| x.to_le_bytes()).collect();
        let kept = fs::create_dir_all(&self.folder).and_then(|()| fs::write(&path, bytes));
        kept.map_err(|error| format!("failed to write {}: {error}", path.display()))?;
        Ok(vectors)
    }
}
