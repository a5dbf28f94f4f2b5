//! Objects in a store that speaks S3, for data that is too long for a database.
//!
//! | file | content |
//! |---|---|
//! | `address.rs` | the address of a folder of objects |
//! | `folder.rs` | a folder of objects: reading, removal, and a check |
//! | `upload.rs` | an object that is being written, in parts |
//! | `retries.rs` | the bounds of requests to the store |

// For its TLS, which `object_store` leaves to others.
use reqwest as _;

mod address;
mod folder;
mod retries;
#[cfg(test)]
mod tests;
mod upload;

pub use folder::ObjectFolder;
pub use object_store;
pub use upload::ObjectUpload;
