//! A hook on the errors of requests that a connection refuses by itself.

use mgp_types::rpc::{ErrorObject, RawParams};

/// A function that adds members, for example a trace, to the errors of requests that a connection refuses by itself.
///
/// No service sees these requests: a text that is not a message, an id that is still in use, and a request for which there is no
/// room. The function gets the params of the request, if they could be read. It is a value of the
/// [session](crate::seam::Session). Without it, the errors are sent unchanged.
#[derive(Debug, Clone, Copy)]
pub struct RefusalHook(pub fn(ErrorObject, Option<&RawParams>) -> ErrorObject);
