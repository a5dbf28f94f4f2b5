//! Calls of a transaction are undone when one of them fails.

use super::Step;
use crate::demo::{
    calls::{Answer, call_tool, call_tool_with, request},
    findings::{Findings, Interruption},
    stage::{AGENT, Stage},
    trail::ExpectedEvent,
};
use async_trait::async_trait;
use mgp_client_sdk::client::{CallOptions, Client};
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    transaction::{
        BeginTransaction, BeginTransactionParams, QueryTransaction, RollbackTransaction,
        RollbackTransactionParams, StepState, TransactionParams, TransactionState,
    },
};
use serde_json::{Value, json};

pub(super) struct Transaction;

/// The host's name for the transaction.
const ID: &str = "order-1";

#[async_trait(?Send)]
impl Step for Transaction {
    fn name(&self) -> &'static str {
        "transaction"
    }

    fn title(&self) -> &'static str {
        "of three calls on three servers the last fails: the other two are undone, and the status says so"
    }

    fn shown(&self) -> &'static [&'static str] {
        &[r#""method":"mgp/transaction/begin""#, r#""isError":true"#, r#""status":"rolled_back""#]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let host = stage.host()?;
        let begin = BeginTransactionParams {
            transaction_id: ID.to_owned(),
            timeout_seconds: None,
            description: Some("order flour, and report it".to_owned()),
        };
        request::<BeginTransaction>(host, &begin).await?;
        let recorded = |event: &str, actor| {
            let event = AuditEventType::from(format!("dev.cloto.mgp.TRANSACTION_{event}").as_str());
            ExpectedEvent::new(event, actor, "").detail("transaction_id", "\"order-1\"")
        };
        findings.audited(recorded("BEGUN", AGENT));
        let noted = step(host, "add_note", &json!({"title": "Flour", "text": "ordered"})).await?;
        findings.check(noted.succeeded(), format_args!("the note is added: {noted:?}"));
        findings.audited(ExpectedEvent::executed(AGENT, "notes", "add_note"));
        let ordered =
            step(host, "write_file", &json!({"path": "order.txt", "text": "20 kg of flour"})).await?;
        findings.check(ordered.succeeded(), format_args!("the order is written: {ordered:?}"));
        findings.audited(ExpectedEvent::executed(AGENT, "files", "write_file"));
        let reported = step(host, "write_report", &json!({"topic": "flour", "paragraphs": 0})).await?;
        findings.check(!reported.succeeded(), "a report of no paragraphs fails");
        let failed = ExpectedEvent::executed(AGENT, "jobs", "write_report");
        findings.audited(failed.result(AuditResult::Failure));

        let reason = Some("the report failed".to_owned());
        let rollback = RollbackTransactionParams { transaction_id: ID.to_owned(), reason };
        request::<RollbackTransaction>(host, &rollback).await?;
        findings.audited(recorded("ROLLBACK_BEGUN", AGENT));
        findings.audited(ExpectedEvent::executed(AGENT, "files", "write_file"));
        findings.audited(ExpectedEvent::dispatched(AGENT, "notes", "delete_note"));
        findings.audited(ExpectedEvent::executed(AGENT, "notes", "delete_note"));
        findings.audited(recorded("ROLLED_BACK", "kernel"));
        let params = TransactionParams { transaction_id: ID.to_owned() };
        let report = request::<QueryTransaction>(host, &params).await?;
        findings.equal("the status", report.status, TransactionState::RolledBack);
        let steps: Vec<_> = report.steps.iter().map(|step| (step.tool.as_str(), step.status)).collect();
        let undone = StepState::Compensated;
        findings.equal(
            "the steps",
            steps,
            vec![("add_note", undone), ("write_file", undone), ("write_report", StepState::Failed)],
        );

        // The reported status matches the data.
        let order = call_tool(host, "read_file", &json!({"path": "order.txt"})).await?;
        findings.equal("the order", order.text(), "cancelled");
        findings.audited(ExpectedEvent::executed(AGENT, "files", "read_file"));
        let notes = call_tool(host, "list_notes", &json!({})).await?;
        findings.check(
            notes.succeeded() && !notes.text().contains("Flour"),
            format_args!("the note is gone: {notes:?}"),
        );
        findings.audited(ExpectedEvent::executed(AGENT, "notes", "list_notes"));
        Ok(())
    }
}

/// Calls a tool as a step of the transaction.
async fn step(host: &Client, tool: &str, arguments: &Value) -> Result<Answer, Interruption> {
    call_tool_with(host, tool, arguments, CallOptions::new().transaction(ID)).await
}
