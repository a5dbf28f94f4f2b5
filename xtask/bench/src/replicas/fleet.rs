//! Replicas on one database.

use super::{database::FleetDatabase, files, storage::FleetSize};
use crate::gateway::{self, Process, Target};
use mgp_security::audit::JournalMode;
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// One gateway, with a folder for its files.
#[derive(Debug)]
pub(super) struct Gateway {
    address: SocketAddr,
    folder: TempDir,
    _process: Process,
}

impl Gateway {
    /// Starts a gateway with more tables in its configuration.
    pub(super) async fn start(program: &Path, target: &Target, tables: &str) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("failed to make a folder: {error}"))?;
        let (process, address) = gateway::start(program, target, tables, folder.path()).await?;
        Ok(Self { address, folder, _process: process })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the state folder.
    pub(super) fn state(&self) -> PathBuf {
        self.folder.path().join(gateway::STATE)
    }
}

/// Replicas that share one database.
#[derive(Debug)]
pub(super) struct Fleet {
    pub(super) journal: JournalMode,
    pub(super) database: FleetDatabase,
    pub(super) replicas: Vec<Gateway>,
}

impl Fleet {
    /// Starts replicas one after the other, in front of one server.
    pub(super) async fn start(
        program: &Path,
        target: &Target,
        journal: JournalMode,
        replicas: usize,
    ) -> Result<Self, String> {
        let database = FleetDatabase::create().await?;
        let tables = tables(database.url(), journal);
        let mut fleet = Self { journal, database, replicas: Vec::with_capacity(replicas) };
        for _ in 0..replicas {
            fleet.replicas.push(Gateway::start(program, target, &tables).await?);
        }
        Ok(fleet)
    }

    /// Returns the addresses of the replicas.
    pub(super) fn addresses(&self) -> Vec<SocketAddr> {
        self.replicas.iter().map(Gateway::address).collect()
    }

    /// Measures the storage of all events, once they are copied.
    pub(super) async fn size(&self) -> Result<FleetSize, String> {
        let mut trails = 0;
        for replica in &self.replicas {
            trails += files::trail(&replica.state())?;
        }
        let (events, database) = (self.database.events().await?, self.database.size().await?);
        Ok(FleetSize { events, database, trails })
    }
}

/// Returns the value of `audit.journal`.
pub(super) const fn name(journal: JournalMode) -> &'static str {
    match journal {
        JournalMode::Local => "local",
        JournalMode::Store => "store",
    }
}

/// Returns the tables of a replica's configuration.
fn tables(url: &str, journal: JournalMode) -> String {
    format!("{}\n[audit]\njournal = {:?}\n", xtask_testing::replica_tables(url), name(journal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicas_differ_in_the_place_of_their_events() {
        let [local, store] = [JournalMode::Local, JournalMode::Store].map(|journal| tables("pg", journal));
        assert!(
            local.contains("url = \"pg\"") && local.ends_with("[audit]\njournal = \"local\"\n"),
            "{local}"
        );
        assert_eq!(store, local.replace("local\"", "store\""));
    }
}
