//! Kept results: a host gets a reference instead of a long result, and passes it to another call.
//!
//! | file | content |
//! |---|---|
//! | `service.rs` | the layer directly inside `existence`: inserts kept data into arguments before the other gates, keeps results after them |
//! | `substitute.rs` | arguments with kept data, in the form for the server and the form for people |
//! | `content.rs`, `repetition.rs` | the data of a result, and its repetitions |
//! | `data.rs` | kept data |
//! | `keep.rs`, `answer.rs` | keeps a result, and makes the answer that the host gets instead |
//! | `long.rs` | the calls whose strings may be too long for memory |
//! | `spool_text.rs` | such strings in spools, and data with them |
//! | `store.rs`, `entries.rs`, `keep_error.rs` | the kept results, within limits |
//! | `shared/` | the results that other kernels find, too |
//! | `name.rs` | the ids of references, their short names, and the error of an unknown one |
//! | `fetch.rs` | data behind the URL of a server's own reference, searched for secrets like a result |
//! | `read.rs` | kept data in parts: `resources/read`, and the tool `mgp_result_read` |

mod answer;
mod content;
mod data;
mod entries;
#[cfg(feature = "http")]
mod fetch;
mod keep;
mod keep_error;
mod long;
mod name;
mod own_tool;
mod read;
mod repetition;
mod service;
mod settings;
mod shared;
mod spool_text;
mod store;
mod substitute;

pub(crate) use keep::{KEPT, NOT_KEPT};
use read::read_on;
pub(crate) use service::ReferenceLayer;
pub(crate) use settings::ReferenceSettings;
pub(crate) use store::References;
