//! The answers to checks.

use super::service::OpenDryRun;
use crate::host::HostDialect;
use mgp_toolindex::meta_tools;
use mgp_transport::seam::{Record, RefusalKind, Reply};
use mgp_types::call_options::DryRunForm;
use mgp_types::{
    error::{ErrorCode, Recovery},
    json::RawObject,
    mcp::CallToolResult,
    rpc::ErrorObject,
    tool_check::{CheckPermissionsResult, CheckToolResult, QuestionKind},
};

/// Returns the answer to a check, from the outcome of its dry run.
pub(super) fn answer(check: &OpenDryRun, reply: Reply) -> Reply {
    let record = check.record.read();
    let is_of_nobody = record.refusal.as_ref().is_some_and(|refusal| refusal.kind == RefusalKind::Identity);
    // An unauthenticated caller gets the error itself.
    if reply.is_cancelled() || is_of_nobody {
        return reply;
    }
    let error = match reply.as_error() {
        Some(error) => Some(error.clone()),
        None => record.refusal.is_some().then(|| rejection(&reply)),
    };
    in_form(check.form, check.dialect, judgement(record, error))
}

/// Returns the answer to the check of a call of one of the kernel's own tools, which no gate judges. `error` is that of the real call.
pub(crate) fn own_tool(form: DryRunForm, dialect: HostDialect, error: Option<ErrorObject>) -> Reply {
    in_form(form, dialect, judgement(Record::default(), error))
}

fn judgement(record: Record, error: Option<ErrorObject>) -> CheckToolResult {
    CheckToolResult {
        allowed: error.is_none(),
        would_ask: record.questions,
        // The reason in the record is only for the audit trail.
        reason: error.as_ref().map(|error| error.message.clone()),
        error,
        quota: record.quota,
    }
}

/// Returns the error of a refusal in the form of a tool's result, from a validator or a gate of the program.
fn rejection(reply: &Reply) -> ErrorObject {
    let result = reply.result().and_then(|result| result.decode::<CallToolResult>().ok());
    let text = result.as_ref().and_then(|result| result.content.first()?.as_text()).unwrap_or("refused");
    let Ok(rejection) = RawObject::parse(text.to_owned()) else {
        return ErrorCode::ValidationBlocked.error(text).with_report();
    };
    let code: Option<i64> = rejection.decode("code").ok().flatten();
    let code = code.and_then(ErrorCode::from_code).unwrap_or(ErrorCode::ValidationBlocked);
    let violations: Vec<String> = rejection.decode("violations").ok().flatten().unwrap_or_default();
    let reason = rejection.text("reason").unwrap_or_default();
    code.error(format!("{reason}: {}", violations.join("; "))).with_report()
}

fn in_form(form: DryRunForm, dialect: HostDialect, judgement: CheckToolResult) -> Reply {
    if form == DryRunForm::Permissions {
        return Reply::from_value(&in_terms_of_permissions(judgement));
    }
    let error = judgement.error.map(|error| dialect.error_in_result(error));
    let judgement = CheckToolResult { error, ..judgement };
    match form {
        DryRunForm::MetaTool => Reply::from_value(&meta_tools::answer(Ok(judgement))),
        DryRunForm::Method | DryRunForm::Permissions => Reply::from_value(&judgement),
    }
}

fn in_terms_of_permissions(judgement: CheckToolResult) -> CheckPermissionsResult {
    let refused = judgement.error.as_ref().map(missing).unwrap_or_default();
    let (asked, would_ask): (Vec<_>, Vec<_>) =
        judgement.would_ask.into_iter().partition(|question| question.kind == QuestionKind::Permission);
    let reason = judgement.reason.or_else(|| asked.first().map(|question| question.reason.clone()));
    let missing_scopes: Vec<String> =
        asked.into_iter().filter_map(|question| question.permission).chain(refused).collect();
    let allowed = judgement.allowed && missing_scopes.is_empty();
    CheckPermissionsResult { allowed, missing_scopes, reason, would_ask }
}

/// Returns the missing permission, or the missing scopes of the API key, of a refused call.
fn missing(error: &ErrorObject) -> Vec<String> {
    let Some(details) = Recovery::from_error(error).and_then(|recovery| recovery.details) else {
        return Vec::new();
    };
    let scopes: Option<Vec<String>> = details.decode("missing_scopes").ok().flatten();
    details.text("permission").into_iter().chain(scopes.unwrap_or_default()).collect()
}
