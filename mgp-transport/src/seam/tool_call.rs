//! A call of a tool.

use super::{
    CallContext, CallRecord, CancelToken, Extensions, Incoming, Peer, RestRequest, Session, TokenGrant,
};
use crate::long_text::LongCall;
use mgp_types::{
    call_options::CallOptions,
    context::{Principal, Target, TraceId},
    error::ErrorCode,
    json::RawJson,
    mcp::CallTool,
    rpc::{Call, ErrorObject, Method, RawParams, RequestId},
    tool_security::ToolProfile,
};
use std::{any::Any, mem, sync::Arc};

/// A call of a tool, with all information that gates need.
///
/// The layer that resolves names makes a `ToolCall<()>`, whose caller is not known yet, and the identity layer makes a `ToolCall` of
/// it. Gates take a `ToolCall`, so a pipeline that lacks either layer does not compile:
///
/// ```compile_fail,E0277
/// use mgp_transport::seam::{BoxError, Decision, GateLayer, Incoming, PeerService, Reply, ToolCall};
/// # use tower::{Layer, service_fn};
/// fn is_pipeline(_: impl PeerService<Incoming>) {}
/// let tool = service_fn(|_: ToolCall| async { Ok::<_, BoxError>(Reply::none()) });
/// is_pipeline(GateLayer::new(|_: &ToolCall| Decision::Allow).layer(tool));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolCall<P = Principal> {
    /// The id of the request.
    pub id: RequestId,
    /// The params, as text.
    pub params: RawParams,
    /// The arguments to show to a person, if they differ. Long data that the kernel put into the arguments is replaced by its
    /// origin, its length and its hash. `None` if the arguments are shown unchanged.
    pub shown_arguments: Option<RawJson>,
    /// The tool, and the name that the host used. If there is no such tool, its server has no name.
    pub target: Arc<Target>,
    /// The profile of the tool, which gates decide by.
    pub profile: Arc<ToolProfile>,
    /// The caller, and the agents that it acts for.
    pub principal: P,
    /// The record of the call, which audit reads.
    pub record: CallRecord,
    /// The id that links the call with others.
    pub trace: Option<TraceId>,
    /// True if the call waited at a gate. Rights may have changed in the meantime, so the gates check it again before it is sent.
    pub waited: bool,
    /// True for a dry run: the call is checked and not made. Gates ask nobody, store nothing and spend nothing, and the innermost
    /// service does not send the call. The questions that a real call would lead to are recorded.
    pub dry_run: bool,
    /// The destination of the name, for the service that sends the call there; `None` if there is no such tool.
    pub route: Option<Arc<dyn Any + Send + Sync>>,
    /// The options of the call; `None` if it has none. Boxed, because few calls have one.
    options: Option<Box<CallOptions>>,
    /// The long strings of the call, for the service that sends it.
    pub long: Option<Box<LongCall>>,
    /// The context of the request, for the services behind the gates. Never sent on the wire.
    pub ext: Extensions,
}

impl ToolCall<()> {
    /// Creates a call whose caller is not identified yet, without context, trace and route.
    #[must_use]
    pub fn new(
        id: impl Into<RequestId>,
        params: impl Into<RawParams>,
        target: impl Into<Arc<Target>>,
        profile: Arc<ToolProfile>,
    ) -> Self {
        Self {
            id: id.into(),
            params: params.into(),
            shown_arguments: None,
            target: target.into(),
            profile,
            principal: (),
            record: CallRecord::new(),
            trace: None,
            waited: false,
            dry_run: false,
            route: None,
            options: None,
            long: None,
            ext: Extensions::new(),
        }
    }

    /// Sets the caller, also in the record.
    #[must_use]
    pub fn identified(self, principal: Principal) -> ToolCall {
        self.record.update(|record| record.principal = Some(principal.clone()));
        let Self {
            id,
            params,
            shown_arguments,
            target,
            profile,
            principal: (),
            record,
            trace,
            waited,
            dry_run,
            route,
            options,
            long,
            ext,
        } = self;
        ToolCall {
            id,
            params,
            shown_arguments,
            target,
            profile,
            principal,
            record,
            trace,
            waited,
            dry_run,
            route,
            options,
            long,
            ext,
        }
    }
}

impl<P> ToolCall<P> {
    /// Returns the arguments; `None` if there are none, or if the params cannot be read.
    #[must_use]
    pub fn arguments(&self) -> Option<&RawJson> {
        self.params.object().ok()?.get("arguments")
    }

    /// Returns the options of the call.
    #[must_use]
    pub fn options(&self) -> &CallOptions {
        static NONE: CallOptions = CallOptions::NONE;
        self.options.as_deref().unwrap_or(&NONE)
    }

    /// Returns the options of the call, to change them.
    pub fn options_mut(&mut self) -> &mut CallOptions {
        self.options.get_or_insert_default()
    }

    /// Sets the options of the call, and with them whether it is a dry run.
    pub fn set_options(&mut self, options: Option<Box<CallOptions>>) {
        self.dry_run = options.as_ref().is_some_and(|options| options.dry_run.is_some());
        self.options = options;
    }

    /// Returns the peer that sent the call. Over HTTP, messages to this peer go to the call's own stream.
    #[must_use]
    pub fn peer(&self) -> Option<&Peer> {
        self.ext.get::<CallContext>().map(|context| &context.peer)
    }

    /// Returns the session that the call was received on.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.peer().map(Peer::session)
    }

    /// Returns the token that is cancelled when the caller no longer wants an answer.
    #[must_use]
    pub fn cancel_token(&self) -> Option<&CancelToken> {
        self.ext.get::<CallContext>().map(|context| &context.cancel)
    }

    /// Returns the rights of the request's credentials; `None` if it has none.
    #[must_use]
    pub fn granted(&self) -> Option<&TokenGrant> {
        self.ext.get()
    }

    /// Returns whether the call was received over REST.
    #[must_use]
    pub fn is_rest(&self) -> bool {
        self.ext.get::<RestRequest>().is_some()
    }

    /// Returns the name of the request's API key; `None` if it has no key, or if the key has no name.
    #[must_use]
    pub fn key_name(&self) -> Option<&str> {
        self.granted()?.who().key.as_deref()
    }
}

impl ToolCall {
    /// Returns the call that [`into_message`](Self::into_message) turned into a message.
    #[must_use]
    pub fn of(message: &Incoming) -> Option<&Self> {
        message.ext.get()
    }

    /// Returns the call as [`of`](Self::of) does, to keep it for longer than the message.
    #[must_use]
    pub fn shared(message: &Incoming) -> Option<Arc<Self>> {
        message.ext.get_shared()
    }

    /// Returns the call that [`into_message`](Self::into_message) turned into a message, to change it for this message only.
    #[must_use]
    pub fn of_mut(message: &mut Incoming) -> Option<&mut Self> {
        message.ext.get_mut()
    }

    /// Returns the message that is sent to the tool's server. The message's context has the call, without the params and the
    /// context that the message holds itself.
    #[must_use]
    pub fn into_message(mut self) -> Incoming {
        let mut message = Incoming {
            id: Some(self.id.clone()),
            method: Method::known(CallTool::METHOD),
            params: mem::take(&mut self.params),
            ext: mem::take(&mut self.ext),
        };
        message.ext.insert(self);
        message
    }
}

impl Incoming {
    /// Returns the caller of the message, if an outer layer has identified it.
    #[must_use]
    pub fn principal(&self) -> Option<&Principal> {
        ToolCall::of(self).map(|call| &call.principal).or_else(|| self.ext.get())
    }

    /// Returns the caller of the message, if an outer layer has identified it.
    ///
    /// # Errors
    /// Returns 1002 if no layer has identified the caller.
    pub fn caller(&self) -> Result<Principal, ErrorObject> {
        let principal = self.principal().cloned();
        principal.ok_or_else(|| {
            ErrorCode::AuthRequired.error(format!("{} needs an identified caller", self.method))
        })
    }
}

impl CallRecord {
    /// Returns the record of a message's call, if an outer layer keeps one.
    #[must_use]
    pub fn of(message: &Incoming) -> Option<&Self> {
        ToolCall::of(message).map(|call| &call.record).or_else(|| message.ext.get())
    }
}
