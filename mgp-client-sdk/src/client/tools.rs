//! The server's tools: the list, and calls.

#[cfg(feature = "check-results")]
use super::tool_call::is_cancelled;
use super::{
    CallOptions, Client,
    caller::{Caller, OnEvent, decode, warn_of},
    tool_call::{to_arguments, tool_params, tool_params_with},
};
use crate::session::AnswerKinds;
use mgp_transport::seam::{CallError, PendingCall};
use mgp_types::{
    json::RawObject,
    mcp::{CallTool, CallToolResult, ListTools, McpErrorCode, ProgressToken, Tool},
    mgp_member,
    negotiation::Extension,
    request_meta,
    rpc::{Call, RawResult, RequestId},
    tool_check::{CheckTool, CheckToolParams, CheckToolResult},
    tool_result::of_bare_data,
};
use serde::Serialize;

impl Client {
    /// Lists the server's tools, from every page of the list. A tool that cannot be read is left out with a warning. Over HTTP
    /// in the stateless revisions, so is a tool with invalid `x-mcp-header` annotations.
    ///
    /// ```
    /// # use {mgp_client_sdk::client::Client, mgp_server_sdk::{Server, Tool}};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let server = Server::new("s", "1").tool(Tool::new("hi", "Says hi", async || "hi")).build()?;
    /// # let (input, output) = server.in_process();
    /// let client = Client::builder("example", "1.0.0").connect(input, output).await?;
    /// let tools = client.list_tools().await?;
    /// assert!(tools[0].name == "hi" && tools[0].description.as_deref() == Some("Says hi"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`CallError`], also for a list with more pages or entries than the client's [`Limits`](super::Limits) allow.
    pub async fn list_tools(&self) -> Result<Vec<Tool>, CallError> {
        self.caller.list_tools().await
    }

    /// Calls a tool and waits for its undecoded result; [`call`](Self::call) decodes it. Questions of the server in between
    /// are answered by the client's handlers.
    ///
    /// With the feature `check-results`, a successful result must have structured content that matches the tool's output schema in the last
    /// [list](Self::list_tools). `ClientBuilder::check_results` turns the check off. If a schema cannot be used, a warning is logged and
    /// results pass.
    ///
    /// # Errors
    /// [`CallError`]; structured content that does not match is [`CallError::Result`]. The failure of a tool that ran is a
    /// result, not an error.
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: impl Serialize,
    ) -> Result<CallToolResult, CallError> {
        let arguments = to_arguments(&arguments)?;
        self.caller.call_tool(name, tool_params(name, arguments), None, false).await
    }

    /// Calls a tool like [`call_tool`](Self::call_tool), with options for a gateway: to make the call once, to keep its result, or to insert
    /// kept data into the arguments. [`call_with`](Self::call_with) decodes the result.
    ///
    /// ```no_run
    /// # use mgp_client_sdk::client::{CallOptions, Client};
    /// use mgp_types::idempotency::IdempotencyKey;
    /// # async fn copy(client: &Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let keep = CallOptions::new().keep_result();
    /// let export = client.call_tool_with("crm__export", serde_json::json!({"year": 2025}), keep).await?;
    /// let data = export.reference().ok_or("the export was not kept")?;
    ///
    /// let key = IdempotencyKey::new("import-2025").ok_or("no key")?;
    /// let once = CallOptions::new().reference("/data", data.ref_id).idempotency_key(&key);
    /// let imported = client.call_tool_with("sheets__import", serde_json::json!({"title": "2025"}), once).await?;
    /// assert!(imported.replay_note().is_some_and(|note| !note.was_replay));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// See [`call_tool`](Self::call_tool).
    pub async fn call_tool_with(
        &self,
        name: &str,
        arguments: impl Serialize,
        options: CallOptions,
    ) -> Result<CallToolResult, CallError> {
        let params = tool_params_with(name, to_arguments(&arguments)?, &options.into());
        self.caller.call_tool(name, params, None, false).await
    }

    /// Requests a kernel's judgement on a tool call without making it: whether the call would be allowed, and who would be asked first.
    ///
    /// # Errors
    /// [`CallError`], also for a server that is not a kernel. A call that would be refused is a result, not an error.
    pub async fn check_tool(
        &self,
        name: &str,
        arguments: impl Serialize,
    ) -> Result<CheckToolResult, CallError> {
        self.check_tool_with(name, arguments, CallOptions::new()).await
    }

    /// Requests a kernel's judgement on a tool call like [`check_tool`](Self::check_tool), with the options of the call. The judgement covers
    /// whether its idempotency key was used for another call, whether a kept result can be inserted into its arguments, and whether its
    /// transaction accepts another step. Nothing is kept or replayed.
    ///
    /// ```no_run
    /// # use mgp_client_sdk::client::{CallOptions, Client};
    /// use mgp_types::idempotency::IdempotencyKey;
    /// # async fn ask(client: &Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let key = IdempotencyKey::new("import-2025").ok_or("no key")?;
    /// let once = CallOptions::new().idempotency_key(&key);
    /// let judgement = client.check_tool_with("sheets__import", serde_json::json!({"title": "2025"}), once).await?;
    /// if let Some(reason) = judgement.reason {
    ///     println!("the import would be refused: {reason}");
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// See [`check_tool`](Self::check_tool).
    pub async fn check_tool_with(
        &self,
        name: &str,
        arguments: impl Serialize,
        options: CallOptions,
    ) -> Result<CheckToolResult, CallError> {
        let arguments = Some(to_arguments(&arguments)?);
        let meta = Some(RawObject::from(options)).filter(|meta| !meta.is_empty());
        self.request::<CheckTool>(&CheckToolParams { name: name.to_owned(), arguments, meta }).await
    }

    /// Starts a tool call whose messages are not decoded, and requests its result in chunks if `streaming` was negotiated;
    /// [`stream`](Self::stream) decodes them. Dropping the call cancels it. If a server of a stateless revision asks for input first,
    /// its questions are the result: see [`InputRequired`](mgp_types::mcp::InputRequired).
    ///
    /// # Errors
    /// [`CallError`] if the call could not be sent.
    pub async fn start_tool(&self, name: &str, arguments: impl Serialize) -> Result<PendingCall, CallError> {
        self.start_tool_with(name, arguments, RawObject::new()).await
    }

    /// Starts a tool call like [`start_tool`](Self::start_tool), with members for its `_meta`: [`CallOptions`], or any others.
    ///
    /// # Errors
    /// [`CallError`] if the call could not be sent.
    pub async fn start_tool_with(
        &self,
        name: &str,
        arguments: impl Serialize,
        meta: impl Into<RawObject>,
    ) -> Result<PendingCall, CallError> {
        let id = self.peer().next_id();
        let mut params = tool_params_with(name, to_arguments(&arguments)?, &meta.into());
        request_meta::set_progress_token(&mut params, &ProgressToken(RequestId::from(id)));
        if self.has_streaming() {
            mgp_member::set(&mut params, "stream", true.into());
        }
        self.peer().start_as(id, CallTool::METHOD, params).await
    }

    /// Returns whether a result may be requested in chunks. A plain MCP server does not know MGP's streaming.
    pub(super) fn has_streaming(&self) -> bool {
        self.negotiated().is_some_and(|negotiated| negotiated.has(Extension::Streaming))
    }
}

impl Caller {
    async fn list_tools(&self) -> Result<Vec<Tool>, CallError> {
        let tools = self.list((ListTools::METHOD, "tools"), ("tool", "name"), Tool::from_object).await?;
        #[cfg(feature = "check-results")]
        self.outputs.set(&tools);
        let (tools, left_out) = self.session.follow_headers(tools, |tool| tool);
        warn_of(&left_out);
        Ok(tools)
    }

    pub(super) async fn call_tool(
        &self,
        #[cfg_attr(
            not(feature = "check-results"),
            expect(unused_variables, reason = "results are not checked")
        )]
        name: &str,
        mut params: RawObject,
        on_event: Option<OnEvent<'_>>,
        chunks: bool,
    ) -> Result<CallToolResult, CallError> {
        if chunks {
            mgp_member::set(&mut params, "stream", true.into());
        }
        let answer = self.call_tool_for(AnswerKinds::Result, params, on_event).await?;
        let result = decode::<CallTool>(&of_bare_data(&answer).unwrap_or(answer))?;
        // A partial result need not match.
        #[cfg(feature = "check-results")]
        if !is_cancelled(&result) {
            self.outputs
                .check(name, &result)
                .map_err(|error| CallError::Result { method: CallTool::METHOD, error })?;
        }
        Ok(result)
    }

    /// Calls a tool, for the kinds of answer that `takes` accepts.
    pub(super) async fn call_tool_for(
        &self,
        takes: AnswerKinds,
        params: RawObject,
        mut on_event: Option<OnEvent<'_>>,
    ) -> Result<RawResult, CallError> {
        let called = self.call_for(takes, CallTool::METHOD, params.clone(), reborrow(&mut on_event)).await;
        match called {
            // The server rejected the call unread, because it requires other headers than those of the last listing.
            Err(CallError::Peer(error))
                if error.code == i64::from(McpErrorCode::HeaderMismatch) && self.session.has_headers() =>
            {
                self.cache.forget(&[ListTools::METHOD]);
                self.list_tools().await?;
                self.call_for(takes, CallTool::METHOD, params, on_event).await
            }
            called => called,
        }
    }
}

/// Reborrows the callback for one call, so that another call can use it afterwards.
fn reborrow<'a>(on_event: &'a mut Option<OnEvent<'_>>) -> Option<OnEvent<'a>> {
    match on_event {
        Some(hear) => Some(&mut **hear),
        None => None,
    }
}
