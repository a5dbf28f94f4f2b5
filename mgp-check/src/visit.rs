//! The state of a run: the sessions, and the server's lists.

use crate::{
    CheckSettings, CheckTarget, arguments,
    outcome::{Miss, failed, skipped},
    server_list::{ServerList, list},
    session::{Exchange, Fault, FaultKind, Greeting, Session, WireError, greet, weight},
    target::VERSION,
    unlisted::unlisted,
};
use mgp_types::tool_index::MetaTool;
use serde_json::{Value, json};
use std::{cmp::Reverse, collections::BTreeSet};

/// The weight of the heaviest answer to a call that is kept.
const ANSWER: usize = 4 << 20;

/// A call of a tool.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) tool: Value,
    pub(crate) arguments: Value,
    pub(crate) exchange: Exchange,
}

/// A session after its handshake.
#[derive(Debug)]
pub(crate) struct Visitor {
    pub(crate) session: Session,
    pub(crate) greeting: Greeting,
    pub(crate) tools: ServerList,
}

/// A run against one server.
#[derive(Debug)]
pub(crate) struct Visit {
    pub(crate) target: CheckTarget,
    pub(crate) settings: CheckSettings,
    /// The session in which MGP was offered.
    pub(crate) main: Visitor,
    /// The unlisted tools that a search found.
    unlisted: Vec<Value>,
    /// The session of a plain client, once it is open.
    plain: Option<Visitor>,
    /// The faults and errors of sessions that are closed.
    faults: Vec<Fault>,
    errors: Vec<WireError>,
    calls: Option<Vec<Call>>,
}

impl Visit {
    /// Opens the first session and reads the tools.
    ///
    /// # Errors
    /// Returns the reason if the server cannot be reached, or if its handshake fails.
    pub(crate) async fn begin(target: CheckTarget, settings: CheckSettings) -> Result<Self, Miss> {
        let mut main = Visitor::open(&target, settings, true).await?;
        let unlisted = unlisted(&mut main).await;
        Ok(Self {
            target,
            settings,
            main,
            unlisted,
            plain: None,
            faults: Vec::new(),
            errors: Vec::new(),
            calls: None,
        })
    }

    /// Opens a connection without a handshake.
    pub(crate) async fn connect(&self) -> Result<Session, Miss> {
        connect(&self.target, self.settings).await
    }

    /// Closes a session and keeps its faults.
    pub(crate) async fn part(&mut self, mut session: Session) {
        self.faults.append(&mut session.faults);
        self.errors.append(&mut session.errors);
        session.close().await;
    }

    /// Returns the session of a plain client.
    pub(crate) async fn plain(&mut self) -> Result<&mut Visitor, Miss> {
        if self.plain.is_none() {
            self.plain = Some(Visitor::open(&self.target, self.settings, false).await?);
        }
        self.plain.as_mut().ok_or_else(|| Miss::Skipped("no session of a plain client".to_owned()))
    }

    /// Returns the plain session, if it was opened.
    pub(crate) fn opened_plain(&self) -> Option<&Visitor> {
        self.plain.as_ref()
    }

    /// Returns the first fault of a kind in any session.
    pub(crate) fn fault(&self, kinds: &[FaultKind]) -> Option<&Fault> {
        let sessions = [Some(&self.main), self.plain.as_ref()].into_iter().flatten();
        let mut faults = sessions.flat_map(|visitor| &visitor.session.faults).chain(&self.faults);
        faults.find(|fault| kinds.contains(&fault.kind))
    }

    /// Returns the errors of every session.
    pub(crate) fn errors(&self) -> impl Iterator<Item = &WireError> {
        let sessions = [Some(&self.main), self.plain.as_ref()].into_iter().flatten();
        sessions.flat_map(|visitor| &visitor.session.errors).chain(&self.errors)
    }

    /// Returns the names of the extensions that were negotiated.
    pub(crate) fn extensions(&self) -> BTreeSet<&str> {
        self.main.greeting.extensions()
    }

    /// Skips a check of a feature that the stateless revision lacks.
    pub(crate) fn needs_initialize(&self, what: &str) -> Result<(), Miss> {
        match self.main.greeting.is_stateless {
            true => skipped(format!("the session uses the stateless revision, which has no {what}")),
            false => Ok(()),
        }
    }

    /// Skips a check unless one of these extensions was negotiated.
    pub(crate) fn needs(&self, extensions: &[&str]) -> Result<(), Miss> {
        let negotiated = self.extensions();
        match extensions.iter().any(|name| negotiated.contains(*name)) {
            true => Ok(()),
            false => skipped(format!("the server did not negotiate {}", extensions.join(" or "))),
        }
    }

    /// Returns the listed tools, and the unlisted ones that a search found.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &Value> {
        self.main.tools.entries.iter().chain(&self.unlisted)
    }

    /// Returns the tools that may be called: all of them, or those that are marked as read-only and not as destructive. The tools
    /// that exercise most of a server come first.
    pub(crate) fn callable(&self) -> Vec<Value> {
        let may = |tool: &&Value| {
            let hints = &tool["annotations"];
            self.settings.call_all
                || hints["readOnlyHint"] == json!(true) && hints["destructiveHint"] != json!(true)
        };
        let mut callable: Vec<_> = self.tools().filter(may).filter(|tool| tool["name"].is_string()).collect();
        callable.sort_by_key(|tool| Reverse(worth(tool)));
        callable.into_iter().take(self.settings.calls).cloned().collect()
    }

    /// Returns one call of each tool that may be called and for which arguments are found, without calls with a very long answer.
    pub(crate) async fn calls(&mut self) -> Result<Vec<Call>, Miss> {
        if let Some(calls) = &self.calls {
            return some(calls);
        }
        let mut calls = Vec::new();
        for tool in self.callable() {
            let Some(arguments) = arguments::of_tool(&tool) else { continue };
            let params = json!({ "name": tool["name"], "arguments": arguments });
            let exchange = self.main.session.request("tools/call", params).await;
            if exchange.result("a result").is_ok_and(|result| weight(result) > ANSWER) {
                continue;
            }
            calls.push(Call { tool, arguments, exchange });
        }
        some(self.calls.insert(calls))
    }

    /// Closes every session.
    pub(crate) async fn end(self) {
        self.main.session.close().await;
        if let Some(plain) = self.plain {
            plain.session.close().await;
        }
    }
}

/// Returns a rating of how much a call of a tool exercises: it reaches a server, streams, and has structured results.
fn worth(tool: &Value) -> (bool, bool, bool) {
    let streams = [&tool["supports_streaming"], &tool["_meta"]["dev.cloto/tool"]["supports_streaming"]];
    (!is_meta_tool(tool), streams.contains(&&json!(true)), tool["outputSchema"].is_object())
}

/// Returns whether a tool is one of MGP's own, which find and call other tools.
pub(crate) fn is_meta_tool(tool: &Value) -> bool {
    tool["name"].as_str().is_some_and(MetaTool::reserves)
}

fn some(calls: &[Call]) -> Result<Vec<Call>, Miss> {
    if calls.is_empty() {
        return skipped("no tool is marked as read-only and has arguments that could be made of its schema");
    }
    Ok(calls.to_vec())
}

impl Visitor {
    async fn open(target: &CheckTarget, settings: CheckSettings, with_mgp: bool) -> Result<Self, Miss> {
        let mut session = connect(target, settings).await?;
        let greeting = match greet(&mut session, VERSION, with_mgp).await {
            Ok(greeting) => greeting,
            Err(Miss::Failed(message)) => {
                let report = session.report().await;
                session.close().await;
                return failed(message + &report);
            }
            Err(miss) => return Err(miss),
        };
        let tools = match greeting.declares("tools") {
            true => list(&mut session, "tools/list", "tools").await,
            false => ServerList::default(),
        };
        Ok(Self { session, greeting, tools })
    }
}

async fn connect(target: &CheckTarget, settings: CheckSettings) -> Result<Session, Miss> {
    match target.open(settings.timeout).await {
        Ok(connection) => Ok(Session::new(connection, &settings)),
        Err(error) => failed(format!("no connection to {}: {error}", target.name())),
    }
}
