//! A console for tests, whose commands answer from a list.

use super::{
    buttons::assert_fields_are_read,
    hostile::{Answers, assert_texts_stay_texts},
};
use crate::{
    commands::{CommandError, Commands, LiveEvent},
    console::{Console, ConsoleAddress},
    form::Form,
    guard::{Nonce, Session},
    operator::{Operator, OperatorKeys, OperatorRole},
    page::Context,
    texts::texts_for,
};
use async_trait::async_trait;
use axum::{Router, body::Body, response::Response};
use futures_core::stream::BoxStream;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use parking_lot::Mutex;
use std::sync::Arc;
use tower::ServiceExt;

/// The host at which the console of a test answers.
const HOST: &str = "127.0.0.1:7444";

/// The beginning of an answer that is the result of a failed tool.
pub(crate) const FAILED: &str = "failed: ";

/// The commands that ran: their words, and their input.
type Log = Arc<Mutex<Vec<(String, Option<String>)>>>;

/// Commands that answer by the beginning of their words, the longest first. Others fail.
struct FakeCommands {
    answers: Arc<Mutex<Answers>>,
    log: Log,
}

impl FakeCommands {
    fn answer(&self, words: &[String], input: Option<&str>) -> Result<String, Box<CommandError>> {
        let line = words.join(" ");
        self.log.lock().push((line.clone(), input.map(str::to_owned)));
        let answers = self.answers.lock();
        let known = answers.iter().filter(|(command, _)| line.starts_with(command));
        let Some((_, answer)) = known.max_by_key(|(command, _)| command.len()) else {
            let unknown = CommandError::new("not_found", format!("no command `{line}`"));
            return Err(Box::new(CommandError { help: Some("try another".to_owned()), ..unknown }));
        };
        match answer.strip_prefix(FAILED) {
            Some(result) => Err(Box::new(CommandError {
                result: Some(result.to_owned()),
                trace: Some("t-1".into()),
                ..CommandError::new("failed", "the tool failed")
            })),
            None => Ok(answer.clone()),
        }
    }
}

#[async_trait]
impl Commands for FakeCommands {
    async fn run(&self, _: &Operator, words: &[String]) -> Result<String, CommandError> {
        self.answer(words, None).map_err(|error| *error)
    }

    async fn run_with_input(
        &self,
        _: &Operator,
        words: &[String],
        input: &str,
    ) -> Result<String, CommandError> {
        self.answer(words, Some(input)).map_err(|error| *error)
    }

    fn follow(&self) -> BoxStream<'static, LiveEvent> {
        Box::pin(futures_util::stream::empty())
    }
}

/// A console with the session of one operator.
pub(crate) struct TestConsole {
    router: Router,
    cookie: String,
    session: Arc<Session>,
    log: Log,
    answers: Arc<Mutex<Answers>>,
}

impl TestConsole {
    /// Signs an operator in. `answers` are what commands print, by the beginnings of their words.
    pub(crate) fn new(role: OperatorRole, answers: &[(&str, &str)]) -> Self {
        let answers = answers.iter().map(|(command, json)| ((*command).to_owned(), (*json).to_owned()));
        let answers = Arc::new(Mutex::new(answers.collect::<Answers>()));
        let log = Log::default();
        let commands = FakeCommands { answers: answers.clone(), log: log.clone() };
        let address = ConsoleAddress::Loopback(HOST.parse().unwrap());
        let console = Console::new(commands, address).unwrap();
        let token = console.sessions.token(Operator { name: "ann".to_owned(), role }).unwrap();
        let secret = console.sessions.open(token.as_str()).unwrap().unwrap();
        let session = console.sessions.find(secret.as_str()).unwrap();
        let cookie = format!("mgp_console_7444={}", secret.as_str());
        Self { router: console.router(), cookie, session, log, answers }
    }

    /// Reads a page.
    pub(crate) async fn get(&self, path: &str) -> (StatusCode, String) {
        self.send(Request::get(path), "").await
    }

    /// Presses a button whose answer is a message.
    pub(crate) async fn press(&self, path: &str, form: &str) -> (StatusCode, String) {
        self.send(self.change(path).header("hx-target", "messages"), form).await
    }

    /// Sends a form whose answer is a part of the page.
    pub(crate) async fn post(&self, path: &str, form: &str) -> (StatusCode, String) {
        self.send(self.change(path), form).await
    }

    fn change(&self, path: &str) -> http::request::Builder {
        Request::post(path)
            .header("origin", format!("http://{HOST}"))
            .header("x-page-token", self.session.page_token.as_str())
    }

    /// Returns the commands that ran since the last question, in alphabetical order.
    pub(crate) fn ran(&self) -> Vec<String> {
        let mut ran: Vec<_> = self.log.lock().drain(..).map(|(line, _)| line).collect();
        ran.sort();
        ran
    }

    /// Returns the input of the last command.
    pub(crate) fn input(&self) -> Option<String> {
        self.log.lock().last().and_then(|(_, input)| input.clone())
    }

    /// Returns the value of a header of a page.
    pub(crate) async fn header(&self, path: &str, name: &str) -> String {
        let value = self.response(Request::get(path), "").await.headers().get(name).cloned();
        value.map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
    }

    /// Presses a button, and returns the event that the answer causes on the page.
    pub(crate) async fn event_of_post(&self, path: &str, form: &str) -> Option<String> {
        let event = self.response(self.change(path), form).await.headers().get("hx-trigger").cloned();
        event.map(|event| event.to_str().unwrap().to_owned())
    }

    /// Sends a request. Then asserts that hostile texts in the answers of commands would not change the page.
    async fn send(&self, request: http::request::Builder, body: &str) -> (StatusCode, String) {
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let (status, page) = self.send_once(again(&parts), body).await;
        assert_fields_are_read(&page);
        let (answers, ran) = (self.answers.lock().clone(), self.log.lock().len());
        let read = async |hostile| {
            *self.answers.lock() = hostile;
            let (status, page) = self.send_once(again(&parts), body).await;
            (status, without_nonce(page))
        };
        assert_texts_stay_texts(&answers, status, read).await;
        *self.answers.lock() = answers;
        self.log.lock().truncate(ran);
        (status, page)
    }

    async fn send_once(&self, request: http::request::Builder, body: &str) -> (StatusCode, String) {
        let response = self.response(request, body).await;
        let status = response.status();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(bytes.to_vec()).unwrap())
    }

    async fn response(&self, request: http::request::Builder, body: &str) -> Response {
        let request = request.header("host", HOST).header("cookie", &self.cookie);
        let request = request.body(Body::from(body.to_owned())).unwrap();
        self.router.clone().oneshot(request).await.unwrap()
    }
}

/// Returns the console for other machines at `https://console.test`, whose commands fail.
pub(crate) fn over_network(keys: impl OperatorKeys) -> Router {
    let commands = FakeCommands { answers: Arc::default(), log: Log::default() };
    let address = ConsoleAddress::Public("https://console.test".parse().unwrap(), Box::new(keys));
    Console::new(commands, address).unwrap().router()
}

/// Returns a page without its nonce, which is another one each time.
fn without_nonce(page: String) -> String {
    match page.split_once("nonce=\"").and_then(|(_, rest)| rest.split_once('"')) {
        Some((nonce, _)) => page.replace(nonce, ""),
        None => page,
    }
}

/// Returns the head of a request once more.
fn again(parts: &http::request::Parts) -> http::request::Builder {
    let request = Request::builder().method(parts.method.clone()).uri(parts.uri.clone());
    parts.headers.iter().fold(request, |request, (name, value)| request.header(name, value))
}

/// Returns the request of a page, by an operator with all rights.
pub(crate) fn context() -> Context {
    let commands = FakeCommands { answers: Arc::default(), log: Log::default() };
    let console = Console::new(commands, ConsoleAddress::Loopback(HOST.parse().unwrap())).unwrap();
    let ann = Operator { name: "ann".to_owned(), role: OperatorRole::Admin };
    let token = console.sessions.token(ann).unwrap();
    let secret = console.sessions.open(token.as_str()).unwrap().unwrap();
    let session = console.sessions.find(secret.as_str()).unwrap();
    let texts = texts_for(&HeaderMap::new());
    Context { console, session, nonce: Nonce("n".to_owned()), texts, query: Form::default() }
}
