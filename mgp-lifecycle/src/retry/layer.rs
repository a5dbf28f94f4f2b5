//! The layer that makes failed calls again.

use super::{Retry, RetryPolicy};
use crate::state::StateMachine;
use futures_util::future::BoxFuture;
use mgp_transport::seam::Incoming;
use mgp_types::rpc::ErrorObject;
use std::{fmt, sync::Arc, time::Duration};
use tower_layer::Layer;

/// The layer that makes a call again if its error states that this is safe (§14.6): `retryable` is true, the pause fits into the call's time
/// limit, and retries are left. After the last retry, the error has `retryable: false`.
///
/// The layer waits for a server that is starting again instead of sleeping. Beyond ten retries a second, at most a fifth of the calls to a
/// connected server are retries. A call is not made again once the caller has seen a part of it, such as a chunk, progress or a question: see
/// [`Record::begun`](mgp_transport::seam::Record::begun).
///
/// ```
/// use mgp_lifecycle::retry::{RetryLayer, RetryPolicy};
/// use mgp_transport::seam::{BoxError, Incoming, Reply};
/// use mgp_types::{error::ErrorCode, json::RawJson, rpc::RawParams};
/// use std::{sync::atomic::{AtomicU32, Ordering}, time::Duration};
/// use tower::{ServiceBuilder, ServiceExt, service_fn};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
/// static CALLS: AtomicU32 = AtomicU32::new(0);
/// let server = service_fn(|_: Incoming| async {
///     Ok::<_, BoxError>(match CALLS.fetch_add(1, Ordering::SeqCst) {
///         0 => Reply::error(ErrorCode::RateLimited.error("10 calls a second are allowed")),
///         _ => Reply::ok(RawJson::empty_object()),
///     })
/// });
/// let policy = RetryPolicy { base: Duration::from_millis(1), ..RetryPolicy::default() };
/// let server = ServiceBuilder::new().layer(RetryLayer::new(policy, Duration::from_secs(60))).service(server);
/// let reply = server.oneshot(Incoming::request(1, "tools/call", RawParams::none())).await?;
/// assert!(reply.as_error().is_none());
/// assert_eq!(CALLS.load(Ordering::SeqCst), 2);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct RetryLayer {
    pub(super) policy: RetryPolicy,
    pub(super) limit: Duration,
    pub(super) machine: Option<StateMachine>,
    pub(super) before: Option<Arc<Hook>>,
}

/// A retry that is about to be made.
#[derive(Debug, Clone, Copy)]
pub struct RetryNote<'a> {
    /// The number of the retry; 1 is the first.
    pub number: u32,
    /// The error of the attempt before.
    pub error: &'a ErrorObject,
    /// The time for which the call waited since then.
    pub waited: Duration,
}

/// A function that is called before each retry, may change its message, and returns whether the retry may be made.
type Hook = dyn Fn(&mut Incoming, RetryNote<'_>) -> BoxFuture<'static, bool> + Send + Sync;

impl RetryLayer {
    /// Creates a layer for calls with this time limit, which holds for all attempts of a call together.
    #[must_use]
    pub const fn new(policy: RetryPolicy, limit: Duration) -> Self {
        Self { policy, limit, machine: None, before: None }
    }

    /// Sets the state of the server that the calls go to.
    #[must_use]
    pub fn server(mut self, machine: StateMachine) -> Self {
        self.machine = Some(machine);
        self
    }

    /// Sets a function that is called before each retry. It may change the message, and returns whether the retry may be made.
    #[must_use]
    pub fn before(
        mut self,
        hook: impl Fn(&mut Incoming, RetryNote<'_>) -> BoxFuture<'static, bool> + Send + Sync + 'static,
    ) -> Self {
        self.before = Some(Arc::new(hook));
        self
    }
}

impl<S: Clone> Layer<S> for RetryLayer {
    type Service = Retry<S>;

    fn layer(&self, inner: S) -> Retry<S> {
        Retry::new(inner, self.clone())
    }
}

impl fmt::Debug for RetryLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { policy, limit, machine, .. } = self;
        f.debug_struct("RetryLayer")
            .field("policy", policy)
            .field("limit", limit)
            .field("machine", machine)
            .finish_non_exhaustive()
    }
}
