//! Reads and checks the parameters of a request.

use crate::{
    index::{MAX_QUERY, Query, QueryError},
    words::plain_words,
};
use mgp_types::{
    context::{RiskLevel, TraceId},
    rpc::ErrorObject,
    tool_index::RequestToolsParams,
};

/// The most capabilities that one request can name.
pub const MAX_CAPABILITIES: usize = 20;
/// The most input types, and the most output types, that one request can name.
pub const MAX_TYPES: usize = 20;
/// The longest capability, type and reason, in bytes.
const MAX_CAPABILITY: usize = 256;
const MAX_TYPE: usize = 128;
const MAX_REASON: usize = 1024;

/// A request that is within bounds.
#[derive(Debug)]
pub(super) struct ToolsRequest {
    /// The capabilities as named, each once, with the query that searches for it.
    pub(super) capabilities: Vec<(String, Query)>,
    pub(super) input_types: Vec<String>,
    pub(super) output_types: Vec<String>,
    pub(super) preferred_risk: Option<RiskLevel>,
    pub(super) context: String,
}

impl ToolsRequest {
    pub(super) fn read(params: &RequestToolsParams) -> Result<Self, ErrorObject> {
        let wanted = &params.requirements;
        let count = wanted.capabilities.len();
        if !(1..=MAX_CAPABILITIES).contains(&count) {
            let problem = format_args!("{count} entries: expected 1 to {MAX_CAPABILITIES}");
            return Err(invalid("requirements.capabilities", problem));
        }
        let mut capabilities: Vec<(String, Query)> = Vec::new();
        for (i, name) in wanted.capabilities.iter().enumerate() {
            if !capabilities.iter().any(|(known, _)| known == name) {
                capabilities.push((name.clone(), capability(name, i)?));
            }
        }
        let context = params.context.clone().unwrap_or_default();
        longest("context", &context, MAX_QUERY)?;
        longest("reason", params.reason.as_deref().unwrap_or_default(), MAX_REASON)?;
        if let Some(trace) = params.task_trace_id.as_ref().filter(|trace| TraceId::new(trace).is_none()) {
            let shown: String = trace.chars().take(64).collect();
            let problem = format_args!("{shown:?} is not an id: expected printable ASCII without spaces");
            return Err(invalid("task_trace_id", problem));
        }
        Ok(Self {
            capabilities,
            input_types: types("requirements.input_types", wanted.input_types.as_deref())?,
            output_types: types("requirements.output_types", wanted.output_types.as_deref())?,
            preferred_risk: wanted.preferred_risk_level,
            context,
        })
    }
}

fn capability(name: &str, at: usize) -> Result<Query, ErrorObject> {
    let field = || format!("requirements.capabilities[{at}]");
    longest(&field(), name, MAX_CAPABILITY)?;
    match Query::new(&plain_words(name).join(" ")) {
        Ok(query) => Ok(query),
        Err(QueryError::Empty) => Err(invalid(&field(), "empty: expected a word or a few")),
        Err(error) => Err(invalid(&field(), error)),
    }
}

fn types(field: &str, types: Option<&[String]>) -> Result<Vec<String>, ErrorObject> {
    let types = types.unwrap_or_default();
    if types.len() > MAX_TYPES {
        let count = types.len();
        return Err(invalid(field, format_args!("{count} entries: expected at most {MAX_TYPES}")));
    }
    for (i, name) in types.iter().enumerate() {
        longest(&format!("{field}[{i}]"), name, MAX_TYPE)?;
    }
    Ok(types.to_vec())
}

fn longest(field: &str, text: &str, most: usize) -> Result<(), ErrorObject> {
    let length = text.len();
    if length > most {
        return Err(invalid(field, format_args!("{length} bytes: expected at most {most}")));
    }
    Ok(())
}

fn invalid(field: &str, problem: impl std::fmt::Display) -> ErrorObject {
    ErrorObject::invalid_params(format!("invalid {field}: {problem}"))
}
