//! Vectors in an SQLite file. Feature `sqlite`.

use super::{EmbeddingCache, EmbeddingKey};
use crate::vectors::QuantizedVector;
use mgp_store::sqlite::{Synchronous, open};
use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension, params};
use rusqlite_migration::{M, Migrations};
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};
use thiserror::Error;

/// The most vectors that the file holds. The least recently used are deleted first.
pub const MAX_CACHED: usize = 200_000;

/// The number of new vectors after which the file is checked for too many.
const LOOK_EVERY: usize = 4_096;

/// The time after which a vector's use is recorded again, in seconds, so that not every start writes to every row.
const USE_NOTED: i64 = 24 * 60 * 60;

/// A cache in a file, which several processes may share. Losing the file only costs time.
pub struct SqliteEmbeddingCache {
    path: PathBuf,
    connection: Mutex<Connection>,
    /// The number of vectors put since the file was last checked for too many.
    put: AtomicUsize,
}

/// The error of a file that cannot be used as a cache.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct CacheError(String);

impl SqliteEmbeddingCache {
    /// Opens a file, and creates it if it is missing.
    ///
    /// # Errors
    /// Returns a [`CacheError`] if the file cannot be opened or is not a cache.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, CacheError> {
        let path = path.as_ref().to_owned();
        let connection = Mutex::new(connect(&path).map_err(CacheError)?);
        Ok(Self { path, connection, put: AtomicUsize::new(0) })
    }

    /// Returns the number of vectors in the file.
    #[must_use]
    pub fn len(&self) -> usize {
        let connection = self.connection.lock();
        let count = connection.query_row("SELECT count(*) FROM embedding", [], |row| row.get::<_, i64>(0));
        count.ok().and_then(|count| usize::try_from(count).ok()).unwrap_or(0)
    }

    /// Returns `true` if the file holds no vectors.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn try_get(&self, keys: &[EmbeddingKey]) -> rusqlite::Result<Vec<Option<QuantizedVector>>> {
        let mut connection = self.connection.lock();
        let transaction = connection.transaction()?;
        let mut found = Vec::with_capacity(keys.len());
        {
            let mut select = transaction.prepare_cached(
                "SELECT scale, numbers, used < unixepoch() - ?2 FROM embedding WHERE key = ?1",
            )?;
            let mut used =
                transaction.prepare_cached("UPDATE embedding SET used = unixepoch() WHERE key = ?1")?;
            for key in keys {
                let row = select.query_row(params![key.as_bytes(), USE_NOTED], |row| {
                    let numbers: Vec<u8> = row.get(1)?;
                    let numbers = numbers.into_iter().map(u8::cast_signed).collect();
                    Ok((QuantizedVector::from_parts(numbers, row.get(0)?), row.get::<_, bool>(2)?))
                });
                let row = row.optional()?;
                if row.as_ref().is_some_and(|(_, long_ago)| *long_ago) {
                    // Another process may be writing. A later start records the use then.
                    let _ = used.execute([key.as_bytes()]);
                }
                found.push(row.map(|(vector, _)| vector));
            }
        }
        transaction.commit()?;
        Ok(found)
    }

    fn try_put(&self, vectors: &[(EmbeddingKey, QuantizedVector)]) -> rusqlite::Result<()> {
        let mut connection = self.connection.lock();
        let transaction = connection.transaction()?;
        {
            let mut insert = transaction.prepare_cached(
                "INSERT OR REPLACE INTO embedding (key, scale, numbers, used) VALUES (?1, ?2, ?3, unixepoch())",
            )?;
            for (key, vector) in vectors {
                let numbers: Vec<u8> = vector.numbers().iter().map(|x| x.cast_unsigned()).collect();
                insert.execute(params![key.as_bytes(), vector.scale(), numbers])?;
            }
        }
        if self.put.fetch_add(vectors.len(), Ordering::Relaxed) + vectors.len() >= LOOK_EVERY {
            self.put.store(0, Ordering::Relaxed);
            prune(&transaction, MAX_CACHED)?;
        }
        transaction.commit()
    }
}

/// Deletes the least recently used vectors beyond `most`. Returns the number of deleted vectors.
fn prune(connection: &Connection, most: usize) -> rusqlite::Result<usize> {
    connection.execute(
        "DELETE FROM embedding WHERE key IN (SELECT key FROM embedding ORDER BY used DESC, key LIMIT -1 OFFSET ?1)",
        [i64::try_from(most).unwrap_or(i64::MAX)],
    )
}

fn connect(path: &Path) -> Result<Connection, String> {
    let migrations = Migrations::new(vec![M::up(
        "CREATE TABLE IF NOT EXISTS embedding (key BLOB PRIMARY KEY, scale REAL NOT NULL, numbers BLOB NOT NULL, used INTEGER NOT NULL)
         WITHOUT ROWID;
         CREATE INDEX IF NOT EXISTS embedding_used ON embedding (used);",
    )]);
    let connection = open(path, Synchronous::Normal, &migrations).map_err(|error| error.to_string())?;
    prune(&connection, MAX_CACHED).map_err(|error| format!("failed to open {}: {error}", path.display()))?;
    Ok(connection)
}

impl EmbeddingCache for SqliteEmbeddingCache {
    fn get(&self, keys: &[EmbeddingKey]) -> Vec<Option<QuantizedVector>> {
        self.try_get(keys).unwrap_or_else(|error| {
            tracing::warn!(path = %self.path.display(), %error, "vectors are computed again: the cache cannot be read");
            vec![None; keys.len()]
        })
    }

    fn put(&self, vectors: &[(EmbeddingKey, QuantizedVector)]) {
        if let Err(error) = self.try_put(vectors) {
            tracing::warn!(path = %self.path.display(), %error, "vectors are not cached: the cache cannot be written");
        }
    }
}

impl fmt::Debug for SqliteEmbeddingCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteEmbeddingCache").field("path", &self.path).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::{EmbedError, Embedder, embed_cached};

    /// An embedder that counts the passages that it embeds.
    #[derive(Debug, Default)]
    struct CountingEmbedder(AtomicUsize);

    impl Embedder for CountingEmbedder {
        fn id(&self) -> &str {
            "counting"
        }
        fn dimensions(&self) -> usize {
            2
        }
        fn is_slow(&self) -> bool {
            true
        }
        fn embed_query(&self, _: &str) -> Result<Vec<f32>, EmbedError> {
            Ok(vec![1.0, 0.0])
        }
        fn embed_passages(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
            self.0.fetch_add(texts.len(), Ordering::Relaxed);
            Ok(texts.iter().map(|text| vec![text.len() as f32, 1.0]).collect())
        }
    }

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_embedding_is_reused_even_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.sqlite3");
        let (embedder, mut vectors) = (CountingEmbedder::default(), Vec::new());
        for _ in 0..2 {
            let cache = SqliteEmbeddingCache::open(&path).unwrap();
            vectors.push(embed_cached(&embedder, Some(&cache), texts(&["a", "bcd"])).unwrap());
            assert_eq!((embedder.0.load(Ordering::Relaxed), cache.len()), (2, 2));
        }
        assert_eq!(vectors[0], vectors[1]);
        let cache = SqliteEmbeddingCache::open(&path).unwrap();
        let more = embed_cached(&embedder, Some(&cache), texts(&["e", "a", "f"])).unwrap();
        assert_eq!((more[1].as_ref(), embedder.0.load(Ordering::Relaxed)), (vectors[0][0].as_ref(), 4));
    }

    #[test]
    fn a_vector_of_another_length_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let cache = SqliteEmbeddingCache::open(folder.path().join("index.sqlite3")).unwrap();
        let wrong = QuantizedVector::new(&[1.0, 2.0, 3.0]).unwrap();
        cache.put(&[(EmbeddingKey::new("counting", "a"), wrong)]);
        let found = embed_cached(&CountingEmbedder::default(), Some(&cache), texts(&["a"])).unwrap();
        assert_eq!(found[0].as_ref().map(|vector| vector.numbers().len()), Some(2));
    }

    #[test]
    fn the_least_recently_used_vectors_are_evicted() {
        let folder = tempfile::tempdir().unwrap();
        let cache = SqliteEmbeddingCache::open(folder.path().join("index.sqlite3")).unwrap();
        embed_cached(&CountingEmbedder::default(), Some(&cache), texts(&["a", "bc", "def"])).unwrap();
        let old = EmbeddingKey::new("counting", "bc");
        let connection = cache.connection.lock();
        let at = "UPDATE embedding SET used = unixepoch() - 1000000 WHERE key = ?1";
        connection.execute(at, [old.as_bytes()]).unwrap();
        assert_eq!(prune(&connection, 2), Ok(1));
        drop(connection);
        assert_eq!((cache.get(&[old])[0].as_ref(), cache.len()), (None, 2));
    }

    #[test]
    fn an_unusable_file_is_an_error_at_first_and_a_warning_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.sqlite3");
        std::fs::write(&path, "this is no database, and long enough to be taken for one").unwrap();
        let error = SqliteEmbeddingCache::open(&path).unwrap_err().to_string();
        assert!(error.starts_with(&format!("failed to open {}: ", path.display())), "{error}");
        std::fs::remove_file(&path).unwrap();
        let cache = SqliteEmbeddingCache::open(&path).unwrap();
        cache.connection.lock().execute("DROP TABLE embedding", []).unwrap();
        let found = embed_cached(&CountingEmbedder::default(), Some(&cache), texts(&["a"])).unwrap();
        assert!(found[0].is_some() && cache.is_empty());
    }
}
