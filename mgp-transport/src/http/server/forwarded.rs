//! The mark of requests that another replica has forwarded.

use http::Extensions;

/// The mark of a request that another replica has forwarded. Such a request is never forwarded again.
#[derive(Debug, Clone, Copy)]
pub(super) struct ForwardedMark;

/// Returns whether another replica has forwarded a request.
pub(super) fn is_forwarded(extensions: &Extensions) -> bool {
    extensions.get::<ForwardedMark>().is_some()
}
