//! The messages of the proposals in recorded traffic.

use crate::tap::{Direction, Record};
use serde_json::Value;
use std::{collections::HashMap, path::Path};

/// The proposals' methods that query whether a call would be allowed.
const PERMISSIONS: [&str; 2] = ["can_execute", "check_permissions"];

/// The side that wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writer {
    /// One of our programs.
    Ours,
    /// The proposals' server.
    Theirs,
}

/// A message in recorded traffic, and the definition that it must fit.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) name: &'static str,
    pub(super) writer: Writer,
    pub(super) body: Value,
}

/// The whole traffic of a row.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    /// The messages of the proposals.
    pub(super) messages: Vec<Message>,
    /// The params, results and metadata of everything that we wrote.
    pub(super) written: Vec<Value>,
}

impl Traffic {
    /// Adds a record between our own programs, or between ours and a server of the proposals'.
    pub(super) fn add(&mut self, record: &Path, server: Writer) -> Result<(), String> {
        let record = Record::read(record)?;
        let mut methods = HashMap::new();
        for line in &record.0 {
            let writer = if line.direction == Direction::ToServer { Writer::Ours } else { server };
            let message: Value = serde_json::from_str(&line.text).map_err(|error| error.to_string())?;
            if let Some(method) = message["method"].as_str() {
                methods.insert((line.direction, message["id"].to_string()), method.to_owned());
                // Our client has a separate method for these: this is a host of the proposals.
                let writer = if PERMISSIONS.contains(&method) { Writer::Theirs } else { writer };
                self.note(writer, &message["params"]);
                self.request(writer, method, &message["params"]);
                continue;
            }
            let asked = match line.direction {
                Direction::ToServer => Direction::ToClient,
                Direction::ToClient => Direction::ToServer,
            };
            let Some(method) = methods.remove(&(asked, message["id"].to_string())) else { continue };
            self.note(writer, &message["result"]);
            self.answer(writer, &method, &message["result"]);
        }
        Ok(())
    }

    /// Adds a message that is not JSON-RPC.
    pub(super) fn put(&mut self, name: &'static str, writer: Writer, body: &Value) {
        if !body.is_null() {
            self.messages.push(Message { name, writer, body: body.clone() });
        }
    }

    fn note(&mut self, writer: Writer, part: &Value) {
        if writer == Writer::Ours {
            self.written.extend([part, &part["_meta"]].into_iter().filter(|part| part.is_object()).cloned());
        }
    }

    fn request(&mut self, writer: Writer, method: &str, params: &Value) {
        let name = match method {
            "tools/call" if params["_meta"].get("idempotency_key").is_some() => {
                return self.put("transactions/IdempotentRequest", writer, &params["_meta"]);
            }
            method if PERMISSIONS.contains(&method) => "permissions/PermissionCheckRequest",
            "mgp/events/unsubscribe" => "subscribe-notify/UnsubscribeRequest",
            "mgp/transaction/begin" => "transactions/TransactionBegin",
            "mgp/transaction/commit" => "transactions/TransactionCommit",
            "mgp/transaction/rollback" => "transactions/TransactionRollback",
            _ => return,
        };
        self.put(name, writer, params);
    }

    fn answer(&mut self, writer: Writer, method: &str, result: &Value) {
        match method {
            "tools/call" if writer == Writer::Theirs => self.their_answer(result),
            "tools/call" => self.result(&result["_meta"]),
            method if PERMISSIONS.contains(&method) => {
                self.put("permissions/PermissionCheckResponse", writer, result);
            }
            "mgp/discovery/manifest" => self.put("service-manifest", writer, result),
            "mgp/transaction/rollback" => {
                self.put("transactions/TransactionRollbackResult", writer, result);
                self.steps(result);
            }
            "mgp/transaction/status" => self.steps(result),
            _ => {}
        }
    }

    /// Adds the metadata of a result that one of our programs wrote.
    fn result(&mut self, meta: &Value) {
        for source in list(&meta["dev.cloto/result"]["provenance"]).iter().chain(list(&meta["provenance"])) {
            self.put("provenance/Provenance", Writer::Ours, source);
        }
        self.put("provenance/Provenance", Writer::Ours, &meta["dev.cloto/attestation"]);
        self.put("data-references/DataReference", Writer::Ours, &meta["dev.cloto/reference"]);
        if meta.get("was_replay").is_some() {
            self.put("transactions/IdempotencyResponse", Writer::Ours, meta);
        }
    }

    /// Adds the parts of an answer of the proposals' server.
    fn their_answer(&mut self, result: &Value) {
        self.put("error", Writer::Theirs, &result["error"]);
        if result.get("result").is_some() {
            self.put("provenance/ProvenanceWrapper", Writer::Theirs, result);
            self.put("provenance/Provenance", Writer::Theirs, &result["provenance"]);
            self.put("session-state/StateUpdateResponse", Writer::Theirs, result);
            self.put("transactions/IdempotencyResponse", Writer::Theirs, &result["idempotency"]);
        }
    }

    fn steps(&mut self, transaction: &Value) {
        for step in list(&transaction["steps"]) {
            self.put("error", Writer::Ours, &step["error"]);
            // The proposals have no word for a step that was undone.
            if matches!(step["status"].as_str(), Some("ok" | "failed")) {
                self.put("transactions/TransactionStepResult", Writer::Ours, step);
            }
        }
        for step in list(&transaction["steps_compensated"]) {
            self.put("error", Writer::Ours, &step["error"]);
        }
    }
}

/// Returns the items of a list, or the single item in its place.
fn list(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        Value::Null => &[],
        one => std::slice::from_ref(one),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_found_in_requests_and_in_the_answers_to_them() {
        let path = std::env::temp_dir().join(format!("mgp-traffic-{}", std::process::id()));
        let record = r#"> {"id":1,"method":"mgp/transaction/begin","params":{"transaction_id":"t"}}
< {"id":1,"result":{}}
> {"id":"a","method":"tools/call","params":{"name":"x","_meta":{"idempotency_key":"k"}}}
< {"id":"a","result":{"result":1,"provenance":{"source":"s"}}}
> {"id":2,"method":"mgp/transaction/status"}
< {"id":2,"result":{"steps":[{"step_id":"1","status":"failed","error":{"code":"X"}},{"status":"compensated"}]}}
"#;
        std::fs::write(&path, record).unwrap();
        let found = |server| {
            let mut traffic = Traffic::default();
            traffic.add(&path, server).unwrap();
            traffic
        };
        let names: Vec<_> = found(Writer::Theirs).messages.iter().map(|message| message.name).collect();
        let expected = [
            "transactions/TransactionBegin",
            "transactions/IdempotentRequest",
            "provenance/ProvenanceWrapper",
            "provenance/Provenance",
            "session-state/StateUpdateResponse",
            "error",
            "transactions/TransactionStepResult",
        ];
        assert_eq!(names, expected);
        assert!(found(Writer::Ours).messages.iter().all(|message| message.writer == Writer::Ours));
        std::fs::remove_file(path).unwrap();
    }
}
