//! The extractor that asks the client.

use super::{AskError, callback::CallCallbacks};
use crate::{
    Call,
    answer::schema,
    asking::Rounds,
    extract::{ArgumentSchema, Log},
    from_call::FromCall,
    needs::Needs,
    notify::OpenUrls,
    task::{Slot, TaskHandle},
};
use mgp_stream::callbacks::{CallbackForm, CallbackQuestion, FIELD, form_of};
use mgp_transport::seam::{Peer, Session};
use mgp_types::{
    callback::CallbackType,
    json::{JsonError, RawJson},
    mcp::{
        ClientCapabilities, CreateMessage, CreateMessageParams, CreateMessageResult, Elicit, ElicitAction,
        ElicitParams, ElicitResult, ListRoots, ListRootsResult, LoggingLevel,
    },
    rpc::{Call as RpcCall, Empty},
};
use serde::de::DeserializeOwned;
use std::{convert::Infallible, time::Duration};

/// A handle for asking the client. Each question has a key. The [module](crate::ask) describes the transport of a question in
/// each era of MCP.
///
/// ```
/// use mgp_server_sdk::{Tool, ToolError, ask::Ask};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct User {
///     name: String,
/// }
///
/// async fn greet(ask: Ask) -> Result<String, ToolError> {
///     Ok(match ask.form("name", "Who are you?").await? {
///         Some(User { name }) => format!("Hello, {name}!"),
///         None => "Hello, whoever you are.".to_owned(),
///     })
/// }
/// let tool = Tool::new("greet", "Greets its user", greet);
/// ```
#[derive(Debug, Clone)]
pub struct Ask {
    way: Way,
    task: Seat,
    capabilities: ClientCapabilities,
    /// The callbacks of a client that is asked by requests.
    callbacks: Option<CallCallbacks>,
    /// The log, if the server offers one.
    log: Option<Log>,
}

#[derive(Debug, Clone)]
enum Way {
    /// The client is asked by requests over the connection.
    Requests(Peer),
    /// The client is asked in rounds, in the answer of the call.
    Rounds(Rounds),
    /// There is no client to ask.
    None,
}

/// The task of the handler, if it has one.
#[derive(Debug, Clone)]
enum Seat {
    /// The handler has run as a task from its start.
    Task(TaskHandle),
    /// The handler may become a task.
    Slot(Slot),
    /// The handler does not run as a task.
    None,
}

impl Seat {
    fn of(call: &Call) -> Self {
        let ext = &call.incoming().ext;
        let task = ext.get::<TaskHandle>().cloned().map(Self::Task);
        task.or_else(|| ext.get::<Slot>().cloned().map(Self::Slot)).unwrap_or(Self::None)
    }

    fn task(&self) -> Option<TaskHandle> {
        match self {
            Self::Task(task) => Some(task.clone()),
            Self::Slot(slot) => slot.task(),
            Self::None => None,
        }
    }
}

impl Ask {
    /// Asks the client's user to fill in a form. Returns its content, or `None` if the user did not. The fields of `T` are those
    /// of the form: strings, numbers, booleans and enums without content, or an `Option` of these.
    ///
    /// # Errors
    /// Returns an [`AskError`]; [`AskError::Form`] if the content does not fit.
    pub async fn form<T>(&self, key: &str, message: impl Into<String>) -> Result<Option<T>, AskError>
    where
        T: DeserializeOwned + ArgumentSchema,
    {
        let form = RawJson::from_value(&schema::of_arguments::<T>()).map_err(AskError::Form)?;
        let answer = self.elicit(key, ElicitParams::form(message, form)).await?;
        if answer.action != ElicitAction::Accept {
            return Ok(None);
        }
        answer.content.unwrap_or_default().to_json().decode().map(Some).map_err(AskError::Form)
    }

    /// Asks the client's user to confirm something. Returns whether the user did.
    ///
    /// # Errors
    /// Returns an [`AskError`] if the client cannot be asked, or does not answer.
    pub async fn confirm(&self, key: &str, message: impl Into<String>) -> Result<bool, AskError> {
        let form = RawJson::from_value(&schema::no_arguments()).map_err(AskError::Form)?;
        let answer = self.elicit(key, ElicitParams::form(message, form)).await?;
        Ok(answer.action == ElicitAction::Accept)
    }

    /// Asks the client's user for a text. Returns the text, or `None` if the user gave none.
    ///
    /// ```
    /// use mgp_server_sdk::{Tool, ToolError, ask::Ask};
    ///
    /// async fn paint(ask: Ask) -> Result<String, ToolError> {
    ///     let Some(name) = ask.input("name", "Who paints?").await? else { return Ok("nobody".to_owned()) };
    ///     let color = ask.select("color", "Which color?", ["red", "blue"]).await?;
    ///     Ok(format!("{name} takes {}", color.as_deref().unwrap_or("none")))
    /// }
    /// let tool = Tool::new("paint", "Paints", paint);
    /// ```
    ///
    /// # Errors
    /// Returns an [`AskError`]; [`AskError::Form`] if the client's answer is not a text.
    pub async fn input(&self, key: &str, message: impl Into<String>) -> Result<Option<String>, AskError> {
        let message = message.into();
        self.text(key, CallbackQuestion { kind: CallbackType::Input, message, options: None }).await
    }

    /// Asks the client's user to choose one of some options. Returns the option, or `None` if the user chose none.
    ///
    /// # Errors
    /// Returns an [`AskError`]; [`AskError::Form`] if the client's answer is not one of the options.
    pub async fn select<O: Into<String>>(
        &self,
        key: &str,
        message: impl Into<String>,
        options: impl IntoIterator<Item = O>,
    ) -> Result<Option<String>, AskError> {
        let options: Vec<String> = options.into_iter().map(Into::into).collect();
        let question = CallbackQuestion {
            kind: CallbackType::Selection,
            message: message.into(),
            options: Some(options.clone()),
        };
        let chosen = self.text(key, question).await?;
        match chosen {
            Some(other) if !options.contains(&other) => {
                let problem = format!("expected one of {options:?}, found {:?}", shortened(&other));
                Err(AskError::Form(JsonError::Member { key: FIELD.into(), problem }))
            }
            chosen => Ok(chosen),
        }
    }

    /// Sends the client's user a message that needs no answer. It is a callback, or, for a client without callbacks, a line of
    /// its log, if the server [offers a log](crate::extract::Log). Returns whether it was sent. In a stateless revision of MCP,
    /// each run of the handler sends it again.
    ///
    /// # Errors
    /// Returns [`AskError::Call`] if the callback could not be sent.
    pub async fn inform(&self, message: impl Into<String>) -> Result<bool, AskError> {
        let message = message.into();
        if let Some(callbacks) = self.callbacks() {
            return callbacks.inform(message).await.map(|()| true);
        }
        match self.log.as_ref().filter(|log| log.is_enabled(LoggingLevel::Info)) {
            Some(log) => log.info(&message).await,
            None => return Ok(false),
        }
        Ok(true)
    }

    /// Sets the time that a callback (§13.4) waits for its answer; five minutes by default. Other forms of questions have no
    /// separate limit: see [`Server::call_timeout`](crate::Server::call_timeout).
    #[must_use]
    pub fn callback_timeout(mut self, timeout: Duration) -> Self {
        if let Some(callbacks) = &mut self.callbacks {
            callbacks.timeout = timeout;
        }
        self
    }

    /// Asks the client's user, by a form or a URL. For a URL, the answer states whether the user agreed to open it. Once the user
    /// has finished there, call [`Notifier::elicitation_complete`](crate::Notifier::elicitation_complete).
    ///
    /// # Errors
    /// Returns an [`AskError`] if the client cannot be asked, or does not answer.
    pub async fn elicit(&self, key: &str, params: ElicitParams) -> Result<ElicitResult, AskError> {
        let (offered, required) = match &params {
            ElicitParams::Form(_) => (self.can_show_forms(), r#"{"elicitation":{"form":{}}}"#),
            ElicitParams::Url(_) => (self.can_open_urls(), r#"{"elicitation":{"url":{}}}"#),
        };
        if let (false, Some(callbacks), ElicitParams::Form(form)) = (offered, self.callbacks(), &params)
            && let Some(form) = CallbackForm::of(form)
        {
            return callbacks.ask(form).await;
        }
        // The URL of a task's question is opened by the code that sends the task's questions.
        let opening = match (&self.way, &params) {
            (Way::Requests(peer), ElicitParams::Url(url)) if offered && self.task.task().is_none() => {
                OpenUrls::open(peer.session(), &url.elicitation_id)
            }
            _ => None,
        };
        let answer = self.request::<Elicit>(key, &params, offered, required).await?;
        if let Some(opening) = opening.filter(|_| answer.action == ElicitAction::Accept) {
            opening.accepted();
        }
        Ok(answer)
    }

    /// Asks the client's model.
    ///
    /// # Errors
    /// Returns an [`AskError`] if the client cannot be asked, or does not answer.
    pub async fn sample(
        &self,
        key: &str,
        params: CreateMessageParams,
    ) -> Result<CreateMessageResult, AskError> {
        self.request::<CreateMessage>(key, &params, self.can_sample(), r#"{"sampling":{}}"#).await
    }

    /// Asks the client for its roots: the folders that it works on.
    ///
    /// # Errors
    /// Returns an [`AskError`] if the client cannot be asked, or does not answer.
    pub async fn roots(&self, key: &str) -> Result<ListRootsResult, AskError> {
        self.request::<ListRoots>(key, &Empty::default(), self.can_list_roots(), r#"{"roots":{}}"#).await
    }

    /// Returns `true` if the client can show a form to [`elicit`](Self::elicit) an answer.
    #[must_use]
    pub fn can_show_forms(&self) -> bool {
        self.capabilities.elicits_forms()
    }

    /// Returns `true` if the client answers callbacks (§13.4). These are confirmations, texts and selections for a client that
    /// shows no forms. Always `false` in a stateless revision of MCP, which has no session for them.
    #[must_use]
    pub fn can_answer_callbacks(&self) -> bool {
        self.callbacks().is_some()
    }

    /// Returns `true` if the client can open a URL to [`elicit`](Self::elicit) an answer.
    #[must_use]
    pub fn can_open_urls(&self) -> bool {
        self.capabilities.elicits_urls()
    }

    /// Returns `true` if the client has a model to [`sample`](Self::sample).
    #[must_use]
    pub fn can_sample(&self) -> bool {
        self.capabilities.sampling()
    }

    /// Returns `true` if the client can list its [`roots`](Self::roots).
    #[must_use]
    pub fn can_list_roots(&self) -> bool {
        self.capabilities.roots()
    }

    /// Returns the callbacks, unless the call has become a task.
    fn callbacks(&self) -> Option<&CallCallbacks> {
        self.callbacks.as_ref().filter(|_| self.task.task().is_none())
    }

    /// Asks a question whose answer is a text.
    async fn text(&self, key: &str, question: CallbackQuestion) -> Result<Option<String>, AskError> {
        let answer = self.elicit(key, form_of(&question)).await?;
        if answer.action != ElicitAction::Accept {
            return Ok(None);
        }
        let text = answer.content.unwrap_or_default().decode::<String>(FIELD).map_err(AskError::Form)?;
        let missing =
            || JsonError::Member { key: FIELD.into(), problem: "expected a text, found none".into() };
        text.ok_or_else(|| AskError::Form(missing())).map(Some)
    }

    /// Asks the client, if it has declared the capability that the question needs.
    async fn request<C: RpcCall>(
        &self,
        key: &str,
        params: &C::Params,
        offered: bool,
        required: &'static str,
    ) -> Result<C::Result, AskError> {
        if !offered && !matches!(self.way, Way::None) {
            let required = RawJson::parse(required).unwrap_or_else(|_| RawJson::empty_object());
            return Err(AskError::MissingCapability {
                required,
                in_rounds: matches!(self.way, Way::Rounds(_)),
            });
        }
        if let Some(task) = self.task.task() {
            // No question is needed if the answer came with the call.
            let brought = match &self.way {
                Way::Rounds(rounds) => rounds.answered::<C>(key),
                Way::Requests(_) | Way::None => None,
            };
            return match brought {
                Some(answer) => Ok(answer),
                None => task.ask::<C>(key, params).await,
            };
        }
        match &self.way {
            Way::Requests(peer) => peer.request::<C>(params).await.map_err(AskError::Call),
            Way::Rounds(rounds) => rounds.ask::<C>(key, params).await,
            Way::None => Err(AskError::NoClient),
        }
    }
}

impl FromCall for Ask {
    type Rejection = Infallible;

    fn needs(needs: &mut Needs) {
        needs.asking();
    }

    async fn from_call(call: &Call) -> Result<Self, Infallible> {
        let rounds = call.incoming().ext.get::<Rounds>().cloned().map(Way::Rounds);
        let requests = || call.peer().cloned().map(Way::Requests);
        let capabilities = call.session().and_then(Session::get::<ClientCapabilities>).unwrap_or_default();
        let way = rounds.or_else(requests).unwrap_or(Way::None);
        let callbacks = matches!(way, Way::Requests(_)).then(|| CallCallbacks::of(call)).flatten();
        let log = if call.app().logs { Some(Log::from_call(call).await?) } else { None };
        Ok(Self { way, task: Seat::of(call), capabilities, callbacks, log })
    }
}

/// Returns the beginning of a text, for an error.
fn shortened(text: &str) -> String {
    text.chars().take(64).collect()
}
