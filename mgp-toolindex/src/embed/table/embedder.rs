//! An embedder that looks vectors up and adds them.

use super::{
    file::{Table, TableError},
    pieces::Vocabulary,
};
use crate::embed::{EmbedError, Embedder};
use sha2::{Digest, Sha256};
use std::{
    borrow::Cow,
    fmt::{self, Write as _},
    sync::{Arc, LazyLock},
};

/// The table that comes with the crate. What it was made from: `table.md` beside it.
static EMBEDDED: &[u8] = include_bytes!("table.bin");

/// How many pieces of a text count.
const MAX_PIECES: usize = 512;

/// Adds the vectors of a text's pieces. No download, no native library, microseconds a text.
#[derive(Clone)]
pub struct StaticEmbedder(Arc<Inner>);

struct Inner {
    id: String,
    vocabulary: Vocabulary,
    table: Table,
}

impl StaticEmbedder {
    /// The table that comes with the crate.
    #[must_use]
    pub fn embedded() -> Self {
        static SHARED: LazyLock<StaticEmbedder> = LazyLock::new(|| {
            #[expect(clippy::expect_used, reason = "a test reads the table, which is part of the program")]
            StaticEmbedder::from_bytes(Cow::Borrowed(EMBEDDED)).expect("the embedded table is sound")
        });
        SHARED.clone()
    }

    /// A table of one's own, as `cargo xtask distill` writes it.
    ///
    /// # Errors
    /// [`TableError`].
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, TableError> {
        let table = Table::read(bytes)?;
        let mut id = String::from("static-");
        // What is learned anew has other scales; all the vectors would take long to hash.
        for byte in &Sha256::digest(table.scales())[..8] {
            _ = write!(id, "{byte:02x}");
        }
        Ok(Self(Arc::new(Inner { id, vocabulary: Vocabulary::new(table.pieces()), table })))
    }

    /// How a text is cut into pieces.
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
