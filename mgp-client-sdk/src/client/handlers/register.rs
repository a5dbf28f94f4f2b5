//! The functions of the builder that register handlers.

use super::{CallbackAnswer, IntoAnswer, callback, handlers::Elicitation};
use crate::client::ClientBuilder;
use futures_util::FutureExt;
use mgp_transport::seam::Notification;
use mgp_types::{
    callback::CallbackRequestParams,
    json::{RawJson, RawObject},
    mcp::{
        CreateMessage, CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult, FormElicitation,
        ListRoots, ListRootsResult, LogMessageParams, Root,
    },
    rpc::{Empty, ErrorObject},
};
use std::{future::Future, sync::Arc};

/// The handlers of the client. Each function also declares the capability of its handler, unless
/// [`capabilities`](ClientBuilder::capabilities) sets that capability. If a handler fails or panics, the server gets an error.
impl ClientBuilder {
    /// Sets the handler that asks the user on behalf of the server, by forms and by URLs. A field of a form that the user leaves
    /// out gets the form's default.
    ///
    /// ```
    /// use mgp_client_sdk::{RawJson, client::Client, mcp::{ElicitParams, ElicitResult}};
    /// # use mgp_server_sdk::{Server, Tool, ToolError, ask::Ask};
    /// # async fn greet(ask: Ask) -> Result<String, ToolError> {
    /// #     let form = RawJson::parse(r#"{"type":"object","properties":{"name":{"type":"string","default":"Ada"}}}"#)?;
    /// #     let answer = ask.elicit("name", ElicitParams::form("Who are you?", form)).await?;
    /// #     Ok(answer.content.and_then(|content| content.text("name")).unwrap_or_default())
    /// # }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// async fn ask(params: ElicitParams) -> ElicitResult {
    ///     println!("{}", params.message());
    ///     ElicitResult::accept()
    /// }
    /// # let (input, output) = Server::new("s", "1").tool(Tool::new("greet", "Greets", greet)).build()?.in_process();
    /// let client = Client::builder("example", "1.0.0").on_elicit(ask).connect(input, output).await?;
    /// let greeted = client.call_tool("greet", RawJson::empty_object()).await?;
    /// assert!(greeted.content[0].as_text() == Some("Ada"));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn on_elicit<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(ElicitParams) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<ElicitResult>> + Send + 'static,
    {
        self.elicit::<ElicitParams, F, Fut>(&["form", "url"], handler)
    }

    /// Sets the handler that asks the user on behalf of the server like [`on_elicit`](Self::on_elicit), only with forms.
    #[must_use]
    pub fn on_elicit_form<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(FormElicitation) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<ElicitResult>> + Send + 'static,
    {
        self.elicit::<FormElicitation, F, Fut>(&["form"], handler)
    }

    /// Sets the handler that answers the callbacks of a server that speaks MGP (§13.4), and offers the extension `callbacks`. A server
    /// uses callbacks if the client shows no forms. Callbacks need a session. A server of a stateless revision of MCP asks in its
    /// answers instead, and only a client with [`on_elicit`](Self::on_elicit) or [`on_elicit_form`](Self::on_elicit_form).
    ///
    /// Callbacks are answered concurrently with the client's calls, at most 64 at a time. Further callbacks are answered with an error,
    /// and so is a callback whose answer the server does not accept. The handler is dropped when the time of its callback is up, at the
    /// latest after an hour, or when its call has ended. A callback of the type `notification` gets no answer. Its handler has a minute,
    /// even after the end of its call. Without this handler, callbacks are answered with an error.
    ///
    /// ```
    /// use mgp_client_sdk::{CallbackRequestParams, CallbackType, RawJson, client::{CallbackAnswer, Client}};
    /// # use mgp_server_sdk::{Server, Tool, ToolError, ask::Ask};
    /// # async fn delete(ask: Ask) -> Result<String, ToolError> {
    /// #     Ok(if ask.confirm("sure", "Delete 15 files?").await? { "gone" } else { "kept" }.to_owned())
    /// # }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// async fn answer(callback: CallbackRequestParams) -> CallbackAnswer {
    ///     println!("{}", callback.message);
    ///     match callback.kind {
    ///         CallbackType::Confirmation => CallbackAnswer::confirm(),
    ///         _ => CallbackAnswer::decline(),
    ///     }
    /// }
    /// # let (input, output) = Server::new("s", "1").tool(Tool::new("delete", "Deletes", delete)).build()?.in_process();
    /// let client = Client::builder("example", "1.0.0").on_callback(answer).connect(input, output).await?;
    /// let deleted = client.call_tool("delete", RawJson::empty_object()).await?;
    /// assert!(deleted.content[0].as_text() == Some("gone"));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn on_callback<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(CallbackRequestParams) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<CallbackAnswer>> + Send + 'static,
    {
        self.handlers.on_callback = Some(callback::handler(handler));
        self
    }

    /// Sets the handler that asks a model on behalf of the server.
    #[must_use]
    pub fn on_sample<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(CreateMessageParams) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<CreateMessageResult>> + Send + 'static,
    {
        self.handlers.set::<CreateMessage, F, Fut>(handler);
        self.handlers.declare("sampling", RawObject::new());
        self
    }

    /// Sets the folders that the client works in, for as long as it is connected.
    #[must_use]
    pub fn roots(mut self, roots: impl IntoIterator<Item = Root>) -> Self {
        let result = ListRootsResult { roots: roots.into_iter().collect(), meta: None };
        self.handlers.set::<ListRoots, _, _>(move |_| std::future::ready(result.clone()));
        self.handlers.declare("roots", RawObject::new());
        self
    }

    /// Sets the handler that returns the client's folders, each time the server requests them. After a change of the folders,
    /// call [`Client::roots_changed`](crate::client::Client::roots_changed) to notify the server.
    #[must_use]
    pub fn on_roots<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<Vec<Root>>> + Send + 'static,
    {
        self.handlers.set::<ListRoots, _, _>(move |_: Empty| {
            handler().map(|roots| roots.into_answer().map(|roots| ListRootsResult { roots, meta: None }))
        });
        let mut settings = RawObject::new();
        settings.insert("listChanged", true.into());
        self.handlers.declare("roots", settings);
        self
    }

    /// Sets the handler of the server's log lines. See [`Client::set_log_level`](crate::client::Client::set_log_level).
    #[must_use]
    pub fn on_log<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(LogMessageParams) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.handlers.on_log = Some(Arc::new(move |line| handler(line).boxed()));
        self
    }

    /// Sets the handler of every notification except progress, including those of a [`Subscription`](crate::client::Subscription).
    /// Later messages wait for the handler, up to the time limit of the connection.
    #[must_use]
    pub fn on_notification<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Notification) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.handlers.on_notification = Some(Arc::new(move |notification| handler(notification).boxed()));
        self
    }

    fn elicit<P, F, Fut>(mut self, modes: &[&str], handler: F) -> Self
    where
        P: TryFrom<Elicitation, Error = ErrorObject>,
        F: Fn(P) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<ElicitResult>> + Send + 'static,
    {
        self.handlers.set_elicit::<P, F, Fut>(handler);
        let mut settings = RawObject::new();
        for mode in modes {
            settings.insert_named(mode, RawJson::empty_object());
        }
        self.handlers.declare("elicitation", settings);
        self
    }
}

impl TryFrom<Elicitation> for ElicitParams {
    type Error = ErrorObject;

    fn try_from(Elicitation(asked): Elicitation) -> Result<Self, ErrorObject> {
        Ok(asked)
    }
}

impl TryFrom<Elicitation> for FormElicitation {
    type Error = ErrorObject;

    fn try_from(Elicitation(asked): Elicitation) -> Result<Self, ErrorObject> {
        match asked {
            ElicitParams::Form(form) => Ok(form),
            ElicitParams::Url(_) => Err(ErrorObject::invalid_params(
                "invalid params: mode: expected form, which is all that the client shows, found url",
            )),
        }
    }
}
