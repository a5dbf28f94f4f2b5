//! Listings in an SQLite file that several processes share.

use super::{KeptListing, ListingStore, MAX_LISTING, StoreError};
use async_trait::async_trait;
use mgp_store::sqlite::{Database, Synchronous, open};
use rusqlite::{Connection, params};
use rusqlite_migration::{M, Migrations};
use std::path::Path;

/// The table of listings: one row for each server.
const LISTINGS: &str = "
CREATE TABLE IF NOT EXISTS listings (
    server_id TEXT PRIMARY KEY,
    endpoint TEXT NOT NULL,
    listing TEXT NOT NULL
) STRICT, WITHOUT ROWID;
";

/// A store of listings in an SQLite file, which several processes may share.
#[derive(Debug, Clone)]
pub struct SqliteListingStore(Database);

impl SqliteListingStore {
    /// Opens the file, and creates it if it is missing. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`], naming the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        // A listing that is lost in a power failure is read again from its server.
        let migrations = Migrations::new(vec![M::up(LISTINGS)]);
        Ok(Self(Database::new(open(path.as_ref(), Synchronous::Normal, &migrations)?)))
    }
}

#[async_trait]
impl ListingStore for SqliteListingStore {
    async fn load(&self) -> Result<Vec<KeptListing>, StoreError> {
        let load = |connection: &mut Connection| {
            let mut select = connection.prepare_cached(
                "SELECT server_id, endpoint, listing FROM listings WHERE length(listing) <= ?1 ORDER BY server_id",
            )?;
            let row = |row: &rusqlite::Row<'_>| {
                let (server_id, endpoint, listing) = (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok(KeptListing { server_id, endpoint, listing })
            };
            select
                .query_map([i64::try_from(MAX_LISTING).unwrap_or(i64::MAX)], row)?
                .collect::<rusqlite::Result<Vec<_>>>()
        };
        self.0.run(load).await
    }

    async fn keep(&self, listing: KeptListing) -> Result<(), StoreError> {
        if listing.listing.len() > MAX_LISTING {
            let (id, length) = (&listing.server_id, listing.listing.len());
            return Err(StoreError::new(format!(
                "the listing of {id:?} has {length} bytes: expected at most {MAX_LISTING}"
            )));
        }
        let keep = move |connection: &mut Connection| {
            let KeptListing { server_id, endpoint, listing } = &listing;
            connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO listings (server_id, endpoint, listing) VALUES (?1, ?2, ?3)",
                )?
                .execute(params![server_id, endpoint, listing])
                .map(drop)
        };
        self.0.run(keep).await
    }

    async fn remove(&self, server_id: &str) -> Result<(), StoreError> {
        let server_id = server_id.to_owned();
        let remove = move |connection: &mut Connection| {
            connection.execute("DELETE FROM listings WHERE server_id = ?1", [server_id]).map(drop)
        };
        self.0.run(remove).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(server_id: &str, listing: &str) -> KeptListing {
        KeptListing { server_id: server_id.into(), endpoint: "e".into(), listing: listing.into() }
    }

    #[tokio::test]
    async fn the_last_listing_of_each_server_outlives_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("listing.sqlite3");
        let store = SqliteListingStore::open(&path).unwrap();
        for (id, text) in [("b", "{}"), ("a", "{}"), ("b", r#"{"tools":[]}"#)] {
            store.keep(listing(id, text)).await.unwrap();
        }
        let again = SqliteListingStore::open(&path).unwrap();
        assert_eq!(again.load().await.unwrap(), [listing("a", "{}"), listing("b", r#"{"tools":[]}"#)]);
        again.remove("a").await.unwrap();
        assert_eq!(store.load().await.unwrap().len(), 1);
    }

    #[tokio::test]
    async fn an_oversized_listing_is_refused_with_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteListingStore::open(folder.path().join("listing.sqlite3")).unwrap();
        let error = store.keep(listing("a", &"x".repeat(MAX_LISTING + 1))).await.unwrap_err().to_string();
        assert!(
            error.contains(r#"the listing of "a" has 8388609 bytes: expected at most 8388608"#),
            "{error}"
        );
        assert_eq!(store.load().await.unwrap(), []);
    }
}
