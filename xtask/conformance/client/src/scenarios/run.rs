//! The table from scenarios to functions.

use super::{auth, elicitation, headers, initialize, tools};
use crate::task::Task;

/// Runs the function of the scenario.
pub(crate) async fn run(task: &Task) -> Result<(), String> {
    match task.scenario.as_str() {
        "initialize" | "request-metadata" | "json-schema-ref-no-deref" => initialize::initialize(task).await,
        "tools_call" => tools::call(task).await,
        "sse-retry" => tools::reconnect(task).await,
        "json-schema-2020-12-preservation" => tools::echo_schema(task).await,
        "elicitation-sep1034-client-defaults" => elicitation::defaults(task).await,
        "sep-2322-client-request-state" => elicitation::rounds(task).await,
        "http-standard-headers" => headers::standard(task).await,
        "http-custom-headers" => headers::custom(task).await,
        "http-invalid-tool-headers" => headers::invalid(task).await,
        scenario if scenario.starts_with("auth/") => auth::authorized(task).await,
        other => Err(format!("the scenario {other:?} is not known")),
    }
}
