//! The state of a run: the sessions, and what the server listed.

use crate::{
    CheckSettings, CheckTarget, arguments,
    outcome::{Miss, failed, skipped},
    session::{Exchange, Fault, FaultKind, Greeting, Session, WireError, greet},
    target::VERSION,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The most pages of a list that are read.
const PAGES: usize = 100;
/// The most entries of a list that are kept.
const ENTRIES: usize = 5_000;

/// A list, as far as it was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServerList {
    pub(crate) entries: Vec<Value>,
    /// The number of pages.
    pub(crate) pages: usize,
    /// The answer that was no page.
    pub(crate) refusal: Option<Exchange>,
    /// The reason that reading ended before the list did.
    pub(crate) endless: Option<String>,
}

impl ServerList {
    /// Returns the names of the entries.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.entries.iter().filter_map(|entry| entry["name"].as_str()).collect()
    }
}

/// A call of a tool.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) tool: Value,
    pub(crate) arguments: Value,
    pub(crate) exchange: Exchange,
}

/// A session whose handshake is over.
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
    /// A server that cannot be reached, or whose handshake fails.
    pub(crate) async fn begin(target: CheckTarget, settings: CheckSettings) -> Result<Self, Miss> {
        let main = Visitor::open(&target, settings, true).await?;
        Ok(Self { target, settings, main, plain: None, faults: Vec::new(), errors: Vec::new(), calls: None })
    }

    /// Opens a connection without a handshake.
    pub(crate) fn connect(&self) -> Result<Session, Miss> {
        connect(&self.target, self.settings)
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
    pub(crate) fn extensions(&self) -> BTreeSet<String> {
        let Some(mgp) = self.main.greeting.mgp() else { return BTreeSet::new() };
        let names = mgp["extensions"].as_array().into_iter().flatten();
        names.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Skips a check unless one of these extensions was negotiated.
    pub(crate) fn needs(&self, extensions: &[&str]) -> Result<(), Miss> {
        let negotiated = self.extensions();
        match extensions.iter().any(|name| negotiated.contains(*name)) {
            true => Ok(()),
            false => skipped(format!("the server did not negotiate {}", extensions.join(" or "))),
        }
    }

    /// Returns the tools that may be called: those that are marked as read-only, or all of them.
    pub(crate) fn callable(&self) -> Vec<Value> {
        let may =
            |tool: &&Value| self.settings.call_all || tool["annotations"]["readOnlyHint"] == json!(true);
        let callable = self.main.tools.entries.iter().filter(may).filter(|tool| tool["name"].is_string());
        callable.take(self.settings.calls).cloned().collect()
    }

    /// Returns one call of each tool that may be called and for which arguments are found.
    pub(crate) async fn calls(&mut self) -> Result<Vec<Call>, Miss> {
        if let Some(calls) = &self.calls {
            return some(calls);
        }
        let mut calls = Vec::new();
        for tool in self.callable() {
            let Some(arguments) = arguments::fitting(&tool["inputSchema"]) else { continue };
            let params = json!({ "name": tool["name"], "arguments": arguments });
            let exchange = self.main.session.request("tools/call", params).await;
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

fn some(calls: &[Call]) -> Result<Vec<Call>, Miss> {
    if calls.is_empty() {
        return skipped("no tool is marked as read-only and has arguments that could be made of its schema");
    }
    Ok(calls.to_vec())
}

impl Visitor {
    async fn open(target: &CheckTarget, settings: CheckSettings, with_mgp: bool) -> Result<Self, Miss> {
        let mut session = connect(target, settings)?;
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

fn connect(target: &CheckTarget, settings: CheckSettings) -> Result<Session, Miss> {
    match target.open(settings.timeout) {
        Ok(connection) => Ok(Session::new(connection, settings.timeout)),
        Err(error) => failed(format!("no connection to {}: {error}", target.name())),
    }
}

/// Reads a list to its end, within bounds.
pub(crate) async fn list(session: &mut Session, method: &str, member: &str) -> ServerList {
    let mut listing = ServerList::default();
    let mut cursors = BTreeSet::new();
    let mut params = json!({});
    loop {
        let page = session.request(method, params).await;
        let Ok(result) = page.result("a page") else {
            listing.refusal = Some(page);
            return listing;
        };
        listing.pages += 1;
        let entries = result[member].as_array().cloned();
        listing.entries.extend(entries.unwrap_or_default());
        let Some(cursor) = result["nextCursor"].as_str() else { return listing };
        if !cursors.insert(cursor.to_owned()) {
            listing.endless = Some(format!("the cursor {cursor:?} came twice"));
        } else if listing.pages >= PAGES {
            listing.endless = Some(format!("there are more than {PAGES} pages"));
        } else if listing.entries.len() >= ENTRIES {
            listing.endless = Some(format!("there are more than {ENTRIES} entries"));
        }
        if listing.endless.is_some() {
            return listing;
        }
        params = json!({ "cursor": cursor });
    }
}
