//! The object store of long kept results.

use super::Setup;
use crate::{error::CliError, exit::Exit};
use mgp_kernel::{ReferenceStore, SqlReferenceStore};
use std::sync::Arc;

/// The key of the address.
const KEY: &str = "references.object_store";

impl Setup {
    /// Returns the store of kept results, with the objects that the configuration names.
    pub(super) fn references(&self) -> Result<Option<Arc<dyn ReferenceStore>>, CliError> {
        let config = self.loaded.as_ref().map(|loaded| &loaded.config.references);
        match (self.state.references(), config.and_then(|config| config.object_store.as_deref())) {
            (Some(rows), Some(address)) => with_objects(rows, address).map(Some),
            (Some(rows), None) => Ok(Some(Arc::new(rows))),
            (None, None) => Ok(None),
            (None, Some(address)) => Err(CliError::new(
                Exit::Configuration,
                format!("{KEY} = {address:?}: needs a database, expected one in store.url or $MGP_STORE_URL"),
            )
            .help("without a database, only the gateway that made a kept result has it, and stores nothing elsewhere")),
        }
    }
}

#[cfg(feature = "s3")]
fn with_objects(rows: SqlReferenceStore, address: &str) -> Result<Arc<dyn ReferenceStore>, CliError> {
    let folder = mgp_kernel::ObjectFolder::open(address).map_err(|error| {
        let problem = format!("{KEY} = {address:?}: {}", error.reason());
        CliError::new(Exit::Configuration, problem)
            .help("the variables AWS_* of the gateway name the credentials, the region and the endpoint")
    })?;
    Ok(Arc::new(mgp_kernel::ObjectReferenceStore::new(rows, folder)))
}

#[cfg(not(feature = "s3"))]
fn with_objects(_: SqlReferenceStore, address: &str) -> Result<Arc<dyn ReferenceStore>, CliError> {
    let problem = format!("{KEY} = {address:?}: needs the feature `s3`, which this build does not have");
    Err(CliError::new(Exit::Configuration, problem).help(
        "build the program with it: `cargo install --path mgp --features s3` in a checkout of the project",
    ))
}
