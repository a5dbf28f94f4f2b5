//! Results that the kernel keeps: a host gets a reference in place of a long result, and hands it to another call.
//!
//! | file | what it holds |
//! |---|---|
//! | `options.rs` | what a call asks for: to keep its result, and references in its arguments |
//! | `service.rs` | the layer directly inside `existence`: before the other gates, what was kept goes into the arguments; after them, the result is kept |
//! | `substitute.rs`, `pointer.rs` | arguments with kept data in them, as they are sent and as a person is shown them |
//! | `content.rs`, `repetition.rs` | the data of a result, and what of it stands there twice |
//! | `keep.rs`, `answer.rs` | the keeping of a result, and the answer that the host gets instead |
//! | `long.rs` | strings that are too long for memory |
//! | `store.rs` | what is kept, within bounds |
//! | `fetch.rs` | data behind the URL of a server's own reference, searched for secrets like a result |
//! | `read.rs` | kept data in parts: `resources/read`, and the tool `mgp_result_read` |

mod answer;
mod content;
#[cfg(feature = "http")]
mod fetch;
mod keep;
mod long;
mod options;
mod pointer;
mod read;
mod repetition;
mod service;
mod settings;
mod store;
mod substitute;

pub(in crate::kernel) use keep::{KEPT, KeptCall, NOT_KEPT};
pub(in crate::kernel) use long::LongCall;
pub(in crate::kernel) use options::KernelOptions;
pub(in crate::kernel) use read::{is_reference, read, read_on};
pub(in crate::kernel) use service::ReferenceLayer;
pub(in crate::kernel) use settings::ReferenceSettings;
pub(in crate::kernel) use store::References;
