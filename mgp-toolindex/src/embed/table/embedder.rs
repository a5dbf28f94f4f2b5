//! An embedder that looks vectors up and adds them.

use super::{
    file::{Table, TableError},
    pieces::Vocabulary,
};
use crate::embed::{EmbedError, Embedder};
use sha2::{Digest, Sha256};
use std::{
    borrow::Cow,
    fmt,
    sync::{Arc, LazyLock},
};

/// The table that is part of the crate. Its sources are listed in `table.md` in the same folder.
static EMBEDDED: &[u8] = include_bytes!("table.bin");

/// The most pieces of a text that count.
const MAX_PIECES: usize = 512;

/// An embedder whose vector of a text is the sum of the vectors of its pieces. Needs no download and no native library, and takes
/// microseconds per text.
#[derive(Clone)]
pub struct StaticEmbedder(Arc<Inner>);

struct Inner {
    id: String,
    vocabulary: Vocabulary,
    table: Table,
}

impl StaticEmbedder {
    /// Returns an embedder over the table that is part of the crate.
    #[must_use]
    pub fn embedded() -> Self {
        static SHARED: LazyLock<StaticEmbedder> = LazyLock::new(|| {
            #[expect(clippy::expect_used, reason = "a test reads the table, which is part of the program")]
            StaticEmbedder::from_bytes(Cow::Borrowed(EMBEDDED)).expect("the embedded table is sound")
        });
        SHARED.clone()
    }

    /// Creates an embedder over a custom table, as `cargo xtask distill` writes it.
    ///
    /// # Errors
    /// Returns a [`TableError`] if the bytes are not a table.
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, TableError> {
        let table = Table::read(bytes)?;
        // A newly trained table has other scales, so they identify it; hashing all vectors would take long.
        let id = format!("static-{}", mgp_types::hex::encode(&Sha256::digest(table.scales())[..8]));
        Ok(Self(Arc::new(Inner { id, vocabulary: Vocabulary::new(table.pieces()), table })))
    }

    /// Returns the vocabulary, which cuts a text into pieces.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.0.vocabulary
    }

    fn embed(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0; self.0.table.dimensions()];
        let mut left = MAX_PIECES;
        self.0.vocabulary.each_piece(text, |piece| {
            if left > 0 {
                left -= 1;
                self.0.table.add_to(piece as usize, &mut sum);
            }
        });
        sum
    }
}

impl Embedder for StaticEmbedder {
    fn id(&self) -> &str {
        &self.0.id
    }

    fn dimensions(&self) -> usize {
        self.0.table.dimensions()
    }

    fn is_slow(&self) -> bool {
        false
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(self.embed(text))
    }

    fn embed_passages(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| self.embed(text)).collect())
    }
}

impl fmt::Debug for StaticEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StaticEmbedder").field("id", &self.0.id).finish_non_exhaustive()
    }
}
