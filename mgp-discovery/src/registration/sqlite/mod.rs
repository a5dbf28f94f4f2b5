//! Registered servers in an SQLite file that several processes share.

mod open;
mod store;

pub use store::SqliteRegistrationStore;
