//! A hook on the errors with which a connection refuses requests by itself.

use mgp_types::rpc::{ErrorObject, RawParams};

/// A function that adds to the errors with which a connection refuses requests by itself, for example a trace.
///
/// No service sees these requests: a text that is no message, an id that is still in use, and a request for which there is no room. The
/// function gets the params of the request, if they could be read. It is a value of the [session](crate::seam::Session); without it, the
/// errors are sent as they are.
#[derive(Debug, Clone, Copy)]
pub struct RefusalHook(pub fn(ErrorObject, Option<&RawParams>) -> ErrorObject);
