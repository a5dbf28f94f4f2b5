//! Listings in the tables of a database.

use super::{KeptListing, ListingStore, MAX_LISTING, StoreError};
use async_trait::async_trait;
use mgp_store::{
    sql::{Connection, Database, Row, Schema, SqlStore, params},
    sqlite::Synchronous,
};

/// A store of listings in a database, which several processes may share.
#[derive(Debug, Clone)]
pub struct SqlListingStore(Database);

impl SqlStore for SqlListingStore {
    /// The table of listings: one row for each server. A listing that is lost in a power failure is read again from its server.
    const SCHEMA: &'static Schema = &Schema {
        section: "listing",
        synchronous: Synchronous::Normal,
        sqlite: &["
CREATE TABLE IF NOT EXISTS listings (
    server_id TEXT PRIMARY KEY,
    endpoint TEXT NOT NULL,
    listing TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"],
        postgres: None,
    };

    fn new(database: Database) -> Self {
        Self(database)
    }
}

#[async_trait]
impl ListingStore for SqlListingStore {
    async fn load(&self) -> Result<Vec<KeptListing>, StoreError> {
        let sql = "SELECT server_id, endpoint, listing FROM listings WHERE octet_length(listing) <= $1 ORDER BY server_id";
        let load = move |connection: &Connection<'_>| connection.rows(sql, &params![MAX_LISTING]);
        let read = |row: &Row| {
            let text = |column| row.needed(column).map(str::to_owned).map_err(StoreError::new);
            Ok(KeptListing {
                server_id: text("server_id")?,
                endpoint: text("endpoint")?,
                listing: text("listing")?,
            })
        };
        self.0.read(load).await?.iter().map(read).collect()
    }

    async fn keep(&self, listing: KeptListing) -> Result<(), StoreError> {
        if listing.listing.len() > MAX_LISTING {
            let (id, length) = (&listing.server_id, listing.listing.len());
            return Err(StoreError::new(format!(
                "the listing of {id:?} has {length} bytes: expected at most {MAX_LISTING}"
            )));
        }
        let subject = vec![listing.server_id.clone()];
        let keep = move |connection: &Connection<'_>| {
            let KeptListing { server_id, endpoint, listing } = &listing;
            let sql = "INSERT INTO listings (server_id, endpoint, listing) VALUES ($1, $2, $3) \
                       ON CONFLICT (server_id) DO UPDATE SET endpoint = excluded.endpoint, listing = excluded.listing";
            connection.execute(sql, &params![server_id, endpoint, listing])
        };
        self.0.write_for(subject, keep).await.map(drop)
    }

    async fn remove(&self, server_id: &str) -> Result<(), StoreError> {
        let id = server_id.to_owned();
        let remove = move |connection: &Connection<'_>| {
            connection.execute("DELETE FROM listings WHERE server_id = $1", &params![id])
        };
        self.0.write_for(vec![server_id.to_owned()], remove).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xtask_testing::{SharedDatabase, databases};

    fn listing(server_id: &str, listing: &str) -> KeptListing {
        KeptListing { server_id: server_id.into(), endpoint: "e".into(), listing: listing.into() }
    }

    #[tokio::test]
    async fn other_processes_read_the_last_listing_of_each_server() {
        for SharedDatabase { engine, here, there, .. } in databases(SqlListingStore::SCHEMA).await {
            let (store, other) = (SqlListingStore::new(here), SqlListingStore::new(there));
            for (id, text) in [("b", "{}"), ("a", "{}"), ("b", r#"{"tools":[]}"#)] {
                store.keep(listing(id, text)).await.unwrap();
            }
            let expected = [listing("a", "{}"), listing("b", r#"{"tools":[]}"#)];
            assert_eq!(other.load().await.unwrap(), expected, "{engine}");
            other.remove("a").await.unwrap();
            assert_eq!(store.load().await.unwrap().len(), 1, "{engine}");
        }
    }

    #[tokio::test]
    async fn the_last_listing_of_each_server_outlives_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("listing.sqlite3");
        SqlListingStore::open(&path).unwrap().keep(listing("a", "{}")).await.unwrap();
        let again = SqlListingStore::open(&path).unwrap();
        assert_eq!(again.load().await.unwrap(), [listing("a", "{}")]);
    }

    #[tokio::test]
    async fn an_oversized_listing_is_refused_with_the_limit() {
        for SharedDatabase { engine, here, .. } in databases(SqlListingStore::SCHEMA).await {
            let store = SqlListingStore::new(here);
            let largest = listing("b", &"\u{e9}".repeat(MAX_LISTING / 2));
            store.keep(largest.clone()).await.unwrap();
            let error = store.keep(listing("a", &"x".repeat(MAX_LISTING + 1))).await.unwrap_err().to_string();
            assert!(
                error.contains(r#"the listing of "a" has 8388609 bytes: expected at most 8388608"#),
                "{engine}: {error}"
            );
            assert!(store.load().await.unwrap() == [largest], "{engine}");
        }
    }
}
