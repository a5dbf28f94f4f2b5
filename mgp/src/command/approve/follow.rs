//! `mgp approve --follow`: prints each question as it arises, and its answer.

use super::{
    calls::{self, CallRow},
    definitions::held,
    permissions::{self, PermissionLine},
    queue::Queue,
    servers::{self, ServerRow},
};
use crate::{
    command::tools::DefinitionRow,
    error::CliError,
    options::Options,
    output::{Outcome, note, print, print_json},
    signals::Signals,
};
use serde::Serialize;
use std::{collections::BTreeMap, time::Duration};

/// The interval between two reads of the questions.
const PAUSE: Duration = Duration::from_millis(250);

/// A question or its answer, as printed.
struct Entry {
    is_open: bool,
    text: String,
    json: String,
}

/// A closed question, which is neither open nor answered any more, as JSON.
#[derive(Serialize)]
struct ClosedQuestion<'a> {
    request_id: &'a str,
    state: &'static str,
}

/// Prints the open questions, and then each new one and each answer, until a signal arrives.
pub(super) async fn follow(options: &Options, queue: &Queue) -> Result<Outcome, CliError> {
    let mut signals = Signals::listen()?;
    let mut shown: BTreeMap<String, String> = BTreeMap::new();
    let mut is_first = true;
    let mut changes = queue.definitions.changes();
    let mut withheld = held(&queue.definitions).await?;
    loop {
        // Looking for withheld tools reads every pinned definition.
        if changes.has_changed().unwrap_or(true) {
            changes.mark_unchanged();
            withheld = held(&queue.definitions).await?;
        }
        let entries = entries(queue, &withheld).await?;
        if is_first {
            queue.permissions.unreadable().iter().for_each(permissions::note_unreadable);
            if !entries.values().any(|entry| entry.is_open) {
                note("no question is open; waiting for the next, until Ctrl-C");
            }
        }
        for (id, entry) in &entries {
            let is_news = shown.get(id) != Some(&entry.json) && (entry.is_open || !is_first);
            if is_news {
                if options.json {
                    print_json(&entry.json);
                } else {
                    print(&entry.text);
                }
            }
        }
        for id in shown.keys().filter(|id| !entries.contains_key(*id)) {
            if options.json {
                let closed = ClosedQuestion { request_id: id, state: "closed" };
                print_json(&serde_json::to_string(&closed).unwrap_or_default());
            } else {
                print(&format!(
                    "{id}  closed: answered only for that call, used, covered by another answer, taken back, or forgotten"
                ));
            }
        }
        shown = entries.into_iter().map(|(id, entry)| (id, entry.json)).collect();
        is_first = false;
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            () = signals.next() => return Ok(Outcome::silent()),
        }
    }
}

/// Reads every question and every answer that is in force, by id.
async fn entries(queue: &Queue, withheld: &[DefinitionRow]) -> Result<BTreeMap<String, Entry>, CliError> {
    let mut entries = BTreeMap::new();
    for row in queue.confirmations.rows().await? {
        let (text, json) = (calls::arguments_on_screen(&row), CallRow::from(&row));
        entries.insert(row.id.clone(), entry(row.decided_by.is_none(), &text, &json));
    }
    // If no command can approve permissions, questions about them are not shown to the operator.
    let decidable = queue.permissions.config_only("SERVER").is_none();
    for row in queue.permissions.rows().await? {
        if decidable || row.decided_by.is_some() {
            let line = PermissionLine::from(&row);
            let text = permissions::sentence_of(&line);
            entries.insert(row.request_id.clone(), entry(row.decided_by.is_none(), &text, &line));
        }
    }
    for row in queue.registrar.requests().await? {
        let (text, json) = (servers::described(&row), ServerRow::from(&row));
        entries.insert(row.request_id.clone(), entry(row.denied_by.is_none(), &text, &json));
    }
    for row in withheld {
        entries.insert(row.subject(), entry(true, &row.question(), row));
    }
    Ok(entries)
}

fn entry(is_open: bool, text: &str, json: &impl Serialize) -> Entry {
    // Rows hold texts, numbers and JSON, so writing them cannot fail.
    let json = serde_json::to_string(json).unwrap_or_default();
    Entry { is_open, text: text.to_owned(), json }
}
