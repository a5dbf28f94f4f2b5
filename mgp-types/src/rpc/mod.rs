//! JSON-RPC 2.0 (§1.5): ids, methods, frames, errors, and calls as types.

mod call;
mod empty;
mod envelope_scan;
mod error;
mod frame;
mod lane;
mod method;
mod params;

pub use call::{Call, Control, Notice};
pub use empty::Empty;
pub use envelope_scan::EnvelopeScan;
pub use error::{ErrorObject, JsonRpcCode};
pub use frame::{Frame, FrameError, write_notification, write_request, write_response};
pub use lane::Lane;
pub use method::Method;
pub use params::RawParams;

pub use crate::request_id::{InvalidId, RequestId};

use crate::json::RawJson;

/// A result as raw JSON text.
pub type RawResult = RawJson;
