//! The migration of a kernel's state between a folder and a PostgreSQL database.

mod error;
mod location;
#[expect(clippy::module_inception, reason = "the module is named for what it holds")]
mod migration;
mod sections;
#[cfg(test)]
mod tests;
mod trails;

pub use error::MigrationError;
pub use location::StateLocation;
pub use migration::{MigratedSection, MigratedTable, StateMigration};
pub use sections::NOT_MIGRATED;
