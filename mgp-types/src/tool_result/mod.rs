//! The outcome of a tool call beyond `isError`: a status, the error's type and details, an explanation, and the origin of the data.
//!
//! [`Outcome`] is the same type for a server, which makes it, and for a client, which reads it from the result of any server. It is carried
//! in a plain result of MCP:
//!
//! | member of an outcome | in a [`CallToolResult`](crate::mcp::CallToolResult) |
//! |---|---|
//! | the data | `structuredContent`, and the same as text; a string is only text |
//! | `status`, `error`, `explanation`, `provenance` | `_meta["dev.cloto/result"]` ([`RESULT_KEY`]) |
//! | the failure | also `isError` |
//! | the rest, for a model | a second text ([`Outcome::note`]) |
//!
//! | file | contents |
//! |---|---|
//! | `status.rs`, `error.rs` | the statuses, the types of errors, an error's details |
//! | `outcome.rs`, `envelope.rs` | an outcome, and its form as one object |
//! | `carrier.rs` | the member of `_meta` |
//! | `write.rs`, `read.rs` | an outcome as a result, and back |
//! | `provenance.rs` | the sources of data, as a server names them |
//! | `bare.rs` | results of servers that answer with only the data |
//! | `attestation.rs` | a kernel's attestation of a result's origin |

mod attestation;
mod bare;
mod carrier;
mod envelope;
mod error;
mod outcome;
mod provenance;
mod read;
mod status;
mod write;

pub use attestation::{ATTEST_KEY, ATTESTATION_KEY, Attestation, ResultOrigin, attested_part};
pub use bare::of_bare_data;
pub use carrier::{RESULT_KEY, ResultMember, Sources};
pub use error::{ErrorDetail, ErrorDetails};
pub use outcome::{Outcome, Verdict};
pub use provenance::{Confidence, Provenance, SourceLocation};
pub use read::OutcomeError;
pub use status::ResultStatus;

pub use crate::error::ErrorType;
