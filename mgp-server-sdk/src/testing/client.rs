//! The test client.

use super::{TestCall, TestError, questions::Questions, result};
use crate::{Server, ServerStack};
use mgp_transport::{
    connection::Connection,
    seam::{BoxError, CallError, Incoming, Notification, Peer, Reply},
};
use mgp_types::{
    json::{JsonError, RawJson, RawObject},
    mcp::{
        self, CallTool, CallToolResult, ClientCapabilities, Complete, CompleteParams, Completion,
        CompletionArgument, CompletionContext, CompletionReference, Elicit, ElicitAction, ElicitResult,
        GetPrompt, GetPromptResult, Implementation, Initialize, InitializeParams, InitializeResult,
        Initialized, ListTools, PageParams, ProgressToken, ProtocolVersion, ReadResource, ReadResourceResult,
        tasks::core::CreateTaskResult,
    },
    mgp_member,
    negotiation::{ExtensionSet, put_offer},
    request_meta,
    rpc::{Call, Notice, RawParams},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;
use tokio::sync::{Mutex, mpsc};

/// The most notifications that are kept for a test to read; later ones are dropped.
const MOST_KEPT: usize = 1024;

/// A client for tests, connected to a server in the same process. See the [module](crate::testing).
#[derive(Debug)]
pub struct TestClient {
    connection: Connection,
    server: InitializeResult,
    questions: Questions,
    heard: Mutex<mpsc::Receiver<Notification>>,
}

impl Server {
    /// Builds the server and connects a [test client](crate::testing) with MGP. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// [`TestError::Build`] if the server cannot be built.
    pub async fn test_client(self) -> Result<TestClient, TestError> {
        self.build()?.test_client().await
    }
}

impl ServerStack {
    /// Connects a [test client](crate::testing) with MGP. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// [`TestError::Call`] if the server refuses the client.
    pub async fn test_client(&self) -> Result<TestClient, TestError> {
        TestClient::connect(self, true).await
    }

    /// Connects a [test client](crate::testing) with plain MCP. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// [`TestError::Call`] if the server refuses the client.
    pub async fn plain_test_client(&self) -> Result<TestClient, TestError> {
        TestClient::connect(self, false).await
    }
}

impl TestClient {
    async fn connect(stack: &ServerStack, mgp: bool) -> Result<Self, TestError> {
        let questions = Questions::default();
        let (hear, heard) = mpsc::channel(MOST_KEPT);
        let answers = questions.clone();
        let service = tower::service_fn(move |incoming: Incoming| {
            let reply = if incoming.is_notification() {
                let Incoming { method, params, .. } = incoming;
                // A test that does not read its notifications does not need them.
                let _ = hear.try_send(Notification { method, params });
                Reply::none()
            } else {
                answers.reply(&incoming)
            };
            std::future::ready(Ok::<_, BoxError>(reply))
        });
        let (input, output) = stack.in_process();
        let connection = Connection::builder(service).over(input, output);
        let capabilities = RawJson::from_value(
            &json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}),
        )?;
        let mut capabilities = RawObject::from_json(&capabilities)?;
        if mgp {
            put_offer(&mut capabilities, ExtensionSet::ALL);
        }
        let implementation = Implementation::new("test", env!("CARGO_PKG_VERSION"));
        let hello = InitializeParams::new(
            ProtocolVersion::V2025_11_25,
            ClientCapabilities(capabilities),
            implementation,
        );
        let server = connection.peer().request::<Initialize>(&hello).await?;
        connection.peer().notify(Initialized::METHOD, RawParams::none()).await?;
        Ok(Self { connection, server, questions, heard: Mutex::new(heard) })
    }

    /// Returns the server's answer to the handshake: its name, its instructions, its capabilities.
    #[must_use]
    pub fn greeting(&self) -> &InitializeResult {
        &self.server
    }

    /// Lists the server's tools, from every page of the list.
    ///
    /// # Errors
    /// Returns [`TestError::Call`] if the server does not answer with the list.
    pub async fn list_tools(&self) -> Result<Vec<mcp::Tool>, TestError> {
        let (mut tools, mut page) = (Vec::new(), PageParams::default());
        loop {
            let listed = self.peer().request::<ListTools>(&page).await?;
            tools.extend(listed.tools);
            page.cursor = listed.next_cursor;
            if page.cursor.is_none() {
                return Ok(tools);
            }
        }
    }

    /// Calls a tool and reads its result: its structured content, otherwise its text, as a string or as JSON. `()` means no
    /// arguments.
    ///
    /// # Errors
    /// Returns [`TestError::Tool`] if the tool failed, [`TestError::Result`] if the result has another type, or
    /// [`TestError::Call`] if there is no result.
    pub async fn call<T: DeserializeOwned>(
        &self,
        tool: &str,
        arguments: impl Serialize,
    ) -> Result<T, TestError> {
        result::read(&self.call_tool(tool, arguments).await?)
    }

    /// Calls a tool and returns its whole result, including that of a tool that failed.
    ///
    /// # Errors
    /// Returns [`TestError::Call`] if there is no result.
    pub async fn call_tool(
        &self,
        tool: &str,
        arguments: impl Serialize,
    ) -> Result<CallToolResult, TestError> {
        self.request(CallTool::METHOD, call(tool, &arguments)?).await
    }

    /// Calls a tool as [`call`](Self::call) does, and yields its progress and chunks as they arrive.
    #[must_use]
    pub fn stream(&self, tool: &str, arguments: impl Serialize) -> TestCall {
        let (peer, id) = (self.peer().clone(), self.peer().next_id());
        let params = call(tool, &arguments).map(|mut params| {
            request_meta::set_progress_token(&mut params, &ProgressToken(id.into()));
            mgp_member::set(&mut params, "stream", true.into());
            params
        });
        TestCall::new(
            async move { peer.start_as(id, CallTool::METHOD, params.map_err(CallError::Params)?).await },
        )
    }

    /// Calls a tool as a [task](crate::task), and waits for the result of the task.
    ///
    /// # Errors
    /// Returns the same errors as [`call`](Self::call).
    pub async fn call_as_task<T: DeserializeOwned>(
        &self,
        tool: &str,
        arguments: impl Serialize,
    ) -> Result<T, TestError> {
        let mut params = call(tool, &arguments)?;
        params.insert("task", RawJson::empty_object());
        let CreateTaskResult { task, .. } = self.request(CallTool::METHOD, params).await?;
        let id = RawObject::from_iter([("taskId", RawJson::string(task.task_id.as_str()))]);
        result::read(&self.request("tasks/result", id).await?)
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// Returns [`TestError::Call`] if there is no result.
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult, TestError> {
        Ok(self.peer().request::<ReadResource>(&mcp::ResourceUri::new(uri)).await?)
    }

    /// Fills in a prompt; `()` means no arguments.
    ///
    /// # Errors
    /// Returns [`TestError::Call`] if there is no result.
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: impl Serialize,
    ) -> Result<GetPromptResult, TestError> {
        self.request(GetPrompt::METHOD, call(name, &arguments)?).await
    }

    /// Requests completions of an argument of a prompt or a resource template. `filled` contains the arguments that already have a
    /// value, by name.
    ///
    /// ```
    /// use mgp_server_sdk::{mcp::CompletionReference, testing::{TestClient, TestError}};
    ///
    /// async fn completes_names(client: &TestClient) -> Result<(), TestError> {
    ///     let note = CompletionReference::Resource { uri: "note://{name}".into() };
    ///     let proposals = client.complete(note, ("name", "b"), &[]).await?;
    ///     assert_eq!(proposals.values, ["bread"]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns [`TestError::Call`] if there is no result.
    pub async fn complete(
        &self,
        reference: CompletionReference,
        (name, value): (&str, &str),
        filled: &[(&str, &str)],
    ) -> Result<Completion, TestError> {
        let mut strings = RawObject::new();
        for (name, value) in filled {
            strings.insert_named(name, RawJson::string(value));
        }
        let context = (!filled.is_empty()).then_some(CompletionContext { arguments: Some(strings) });
        let argument = CompletionArgument { name: name.to_owned(), value: value.to_owned() };
        let params = CompleteParams { reference, argument, context, meta: None };
        Ok(self.peer().request::<Complete>(&params).await?.completion)
    }

    /// Sets the answer to the server's questions of one kind, such as [`Elicit`] or [`CreateMessage`](mcp::CreateMessage).
    /// Without it, a question is answered with an error.
    pub fn answer<C: Call>(&self, answer: impl Fn(C::Params) -> C::Result + Send + Sync + 'static) {
        self.questions.set::<C>(answer);
    }

    /// Accepts every form that the server shows its user from now on, with this content.
    ///
    /// # Errors
    /// Returns [`TestError::Params`] if the content is not an object.
    pub fn fill_forms(&self, content: &impl Serialize) -> Result<(), TestError> {
        let content = RawObject::from_json(&RawJson::from_value(content)?)?;
        self.answer::<Elicit>(move |_| ElicitResult {
            action: ElicitAction::Accept,
            content: Some(content.clone()),
            meta: None,
        });
        Ok(())
    }

    /// Waits for the next notification that does not belong to a call, or returns `None` if the server is gone.
    pub async fn notification(&self) -> Option<Notification> {
        self.heard.lock().await.recv().await
    }

    /// Returns the server's side of the connection, for every other request.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        self.connection.peer()
    }

    async fn request<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: RawObject,
    ) -> Result<T, TestError> {
        let result = self.peer().request_raw(method, params).await?;
        result.decode().map_err(|error| CallError::Result { method, error }.into())
    }
}

/// Returns the params that name a tool or a prompt, and its arguments; `()` means none.
fn call(name: &str, arguments: &impl Serialize) -> Result<RawObject, JsonError> {
    let arguments = Some(RawJson::from_value(arguments)?).filter(|arguments| !arguments.is_null());
    let arguments = arguments.unwrap_or_else(RawJson::empty_object);
    Ok(RawObject::from_iter([("name", RawJson::string(name)), ("arguments", arguments)]))
}
