//! Reads the arguments of a meta-tool's call.

use mgp_transport::seam::Incoming;
use mgp_types::{
    call_options::DryRunForm,
    error::ErrorCode,
    idempotency::{IDEMPOTENCY_KEY, IDEMPOTENCY_TTL_SECONDS, IdempotentRequest},
    intent::Intent,
    json::{JsonError, RawJson, RawObject},
    rpc::ErrorObject,
    tool_index::{
        DiscoverToolsParams, EvictToolsParams, MetaTool, RequestToolsParams, ToolCreation, ToolRequirements,
    },
    transaction::{BeginTransactionParams, STEP_ID, TRANSACTION_ID},
};

/// A call of a meta-tool.
#[derive(Debug, Clone, PartialEq)]
pub enum MetaCall {
    /// A call that the kernel itself answers.
    Own(OwnCall),
    /// A call of another tool.
    Call(CallArguments),
}

/// A call that the kernel itself answers.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnCall {
    /// The request.
    pub wanted: MetaRequest,
    /// The session, as named by a host without a session.
    pub session: Option<String>,
}

/// A call of one of the kernel's own tools, or a dry run of it, on its way to the service that answers it.
#[derive(Debug, Clone)]
pub struct OwnRequest {
    /// The form in which a dry run was requested; `None` for a call that is made.
    pub dry_run: Option<DryRunForm>,
    /// The tool.
    pub tool: MetaTool,
    /// The call, or the error of its arguments.
    pub call: Result<OwnCall, ErrorObject>,
}

impl OwnRequest {
    /// Adds the request to the context of its message.
    pub fn attach(self, message: &mut Incoming) {
        message.ext.insert(self);
    }

    /// Takes the request out of the context of its message; `None` if the message is for another service.
    pub fn take(message: &mut Incoming) -> Option<Self> {
        message.ext.remove()
    }
}

impl OwnCall {
    /// Returns the tool that is called.
    #[must_use]
    pub const fn tool(&self) -> MetaTool {
        match self.wanted {
            MetaRequest::Discover(_) => MetaTool::Discover,
            MetaRequest::Request(_) => MetaTool::Request,
            MetaRequest::Session => MetaTool::Session,
            MetaRequest::Evict(_) => MetaTool::Evict,
            MetaRequest::Transaction(_) => MetaTool::Transaction,
            MetaRequest::Read(_) => MetaTool::Read,
        }
    }
}

/// A request that the kernel itself answers.
#[derive(Debug, Clone, PartialEq)]
pub enum MetaRequest {
    /// Find tools.
    Discover(DiscoverToolsParams),
    /// Load tools for capabilities.
    Request(RequestToolsParams),
    /// List the session's tools.
    Session,
    /// Remove tools from the session.
    Evict(EvictToolsParams),
    /// Begin or end a transaction.
    Transaction(TransactionRequest),
    /// Read a part of a kept result.
    Read(ReadRequest),
}

/// A request for a part of a kept result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRequest {
    /// The name of the reference.
    pub reference: String,
    /// The place of the first byte.
    pub offset: u64,
    /// The most bytes; `None` for the kernel's default.
    pub length: Option<u64>,
}

/// A request about a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransactionRequest {
    /// Begin it.
    Begin(BeginTransactionParams),
    /// Keep the effects of its steps.
    Commit(String),
    /// Undo its steps.
    Rollback {
        /// The transaction.
        transaction_id: String,
        /// The reason.
        reason: Option<String>,
    },
    /// Return its state.
    Status(String),
}

/// The call that `mgp_tools_call` makes on behalf of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallArguments {
    /// The tool's name.
    pub name: String,
    /// The tool's arguments, unchanged. `None` if the caller gave none.
    pub arguments: Option<RawJson>,
    /// The caller's statement of the purpose of the call.
    pub intent: Option<Intent>,
    /// The session, as named by a host without a session.
    pub session: Option<String>,
    /// True for a dry run: the call is checked and not made.
    pub dry_run: bool,
    /// The member that requests that the kernel keep the result, as the host wrote it.
    pub keep_result: Option<RawJson>,
    /// The references to kept results, by their places in the arguments, as the host wrote them.
    pub refs: Option<RawJson>,
    /// The key under which the call is made at most once.
    pub idempotency: Option<IdempotentRequest>,
    /// The transaction of which the call is a step.
    pub transaction: Option<String>,
    /// The name of the step.
    pub step: Option<String>,
}

/// Parses a call of the tool `name`. Returns `None` for a name that is not reserved for the kernel: it is a server's tool.
///
/// # Errors
/// Returns 4000, naming the invalid argument, or 4001 for a name that is reserved for the kernel, but is not one of its tools.
#[must_use]
pub fn parse(name: &str, arguments: Option<&RawJson>) -> Option<Result<MetaCall, ErrorObject>> {
    if !MetaTool::reserves(name) {
        return None;
    }
    let own = |read: fn(&mut RawObject) -> Result<MetaRequest, ErrorObject>| {
        let mut object = read_object(arguments)?;
        let session = optional(&mut object, SESSION)?;
        Ok(MetaCall::Own(OwnCall { wanted: read(&mut object)?, session }))
    };
    Some(match name.parse() {
        Ok(MetaTool::Discover) => own(discover),
        Ok(MetaTool::Request) => own(request),
        Ok(MetaTool::Session) => own(session),
        Ok(MetaTool::Evict) => own(evict),
        Ok(MetaTool::Transaction) => own(transaction),
        Ok(MetaTool::Read) => own(read),
        Ok(MetaTool::Call) => call(arguments),
        Err(_) => Err(ErrorCode::ToolNotFound.error(format!("unknown tool {:?}", shown(name)))),
    })
}

/// The argument that names the session.
const SESSION: &str = "session";

fn request(object: &mut RawObject) -> Result<MetaRequest, ErrorObject> {
    only(object, "", &["requirements", "context", "reason", "task_trace_id", "creation"])?;
    let mut requirements: RawObject = required(object, "requirements")?;
    let known = ["capabilities", "input_types", "output_types", "preferred_risk_level"];
    only(&requirements, "requirements.", &known)?;
    Ok(MetaRequest::Request(RequestToolsParams {
        reason: optional(object, "reason")?,
        context: optional(object, "context")?,
        requirements: ToolRequirements {
            capabilities: required(&mut requirements, "capabilities")?,
            input_types: optional(&mut requirements, "input_types")?,
            output_types: optional(&mut requirements, "output_types")?,
            preferred_risk_level: optional(&mut requirements, "preferred_risk_level")?,
        },
        task_trace_id: optional(object, "task_trace_id")?,
        creation: creation(object)?,
    }))
}

/// Reads the code of a tool to create.
fn creation(object: &mut RawObject) -> Result<Option<ToolCreation>, ErrorObject> {
    let Some(mut creation) = optional::<RawObject>(object, "creation")? else { return Ok(None) };
    only(&creation, "creation.", &["language", "code", "function", "description"])?;
    Ok(Some(ToolCreation {
        language: required(&mut creation, "language")?,
        code: required(&mut creation, "code")?,
        function: optional(&mut creation, "function")?,
        description: optional(&mut creation, "description")?,
    }))
}

fn transaction(object: &mut RawObject) -> Result<MetaRequest, ErrorObject> {
    only(object, "", &["action", TRANSACTION_ID, "timeout_seconds", "description", "reason"])?;
    let action: String = required(object, "action")?;
    let transaction_id = required(object, TRANSACTION_ID)?;
    Ok(MetaRequest::Transaction(match action.as_str() {
        "begin" => TransactionRequest::Begin(BeginTransactionParams {
            transaction_id,
            timeout_seconds: optional(object, "timeout_seconds")?,
            description: optional(object, "description")?,
        }),
        "commit" => TransactionRequest::Commit(transaction_id),
        "rollback" => TransactionRequest::Rollback { transaction_id, reason: optional(object, "reason")? },
        "status" => TransactionRequest::Status(transaction_id),
        other => {
            return Err(invalid(format!(
                "invalid action: expected begin, commit, rollback or status, found {:?}",
                shown(other)
            )));
        }
    }))
}

fn session(object: &mut RawObject) -> Result<MetaRequest, ErrorObject> {
    only(object, "", &[])?;
    Ok(MetaRequest::Session)
}

fn evict(object: &mut RawObject) -> Result<MetaRequest, ErrorObject> {
    only(object, "", &["tools", "reason"])?;
    Ok(MetaRequest::Evict(EvictToolsParams {
        tools: required(object, "tools")?,
        reason: optional(object, "reason")?,
    }))
}

fn discover(object: &mut RawObject) -> Result<MetaRequest, ErrorObject> {
    only(object, "", &["query", "strategy", "max_results", "filter"])?;
    if let Some(filter) = object.get("filter").filter(|filter| filter.is_object()) {
        let filter = RawObject::from_json(filter).map_err(|error| wrong(&error))?;
        only(&filter, "filter.", &["categories", "risk_level_max", "status", "server_id"])?;
    }
    Ok(MetaRequest::Discover(DiscoverToolsParams {
        query: required(object, "query")?,
        strategy: optional(object, "strategy")?,
        max_results: optional(object, "max_results")?,
        filter: optional(object, "filter")?,
    }))
}

fn read(object: &mut RawObject) -> Result<MetaRequest, ErrorObject> {
    only(object, "", &["ref", "offset", "length"])?;
    Ok(MetaRequest::Read(ReadRequest {
        reference: required(object, "ref")?,
        offset: optional(object, "offset")?.unwrap_or_default(),
        length: optional(object, "length")?,
    }))
}

fn call(arguments: Option<&RawJson>) -> Result<MetaCall, ErrorObject> {
    let mut object = read_object(arguments)?;
    // Models often write arguments within arguments as text.
    if let Some(arguments) = object.get("arguments").and_then(RawJson::object_in_text) {
        object.insert("arguments", arguments);
    }
    if object.text("name").as_deref() == Some(MetaTool::Read.as_str()) {
        return read_through(&mut object);
    }
    let known = [
        "name",
        "arguments",
        Intent::MEMBER,
        "dry_run",
        "keep_result",
        "refs",
        IDEMPOTENCY_KEY,
        IDEMPOTENCY_TTL_SECONDS,
        TRANSACTION_ID,
        STEP_ID,
        SESSION,
    ];
    only(&object, "", &known)?;
    let name: String = required(&mut object, "name")?;
    let session = optional(&mut object, SESSION)?;
    let intent = object.remove(Intent::MEMBER).filter(|intent| !intent.is_null());
    let intent = intent.map(|intent| Intent::read(&intent, Intent::MEMBER)).transpose();
    let intent = intent.map_err(|error| invalid(error.message))?;
    let dry_run = optional(&mut object, "dry_run")?.unwrap_or_default();
    let idempotency = idempotency(&mut object)?;
    let (transaction, step) = (optional(&mut object, TRANSACTION_ID)?, optional(&mut object, STEP_ID)?);
    let arguments = object.remove("arguments").filter(|arguments| !arguments.is_null());
    match arguments.as_ref().filter(|arguments| !arguments.is_object()) {
        Some(other) => Err(invalid(format!("invalid arguments: expected an object, found {}", other.kind()))),
        // A call within a call would be checked under the wrong name.
        None if MetaTool::reserves(&name) => Err(invalid(format!(
            "invalid name: {:?} is called directly, not through mgp_tools_call",
            shown(&name)
        ))),
        None => {
            let (keep_result, refs) = (object.remove("keep_result"), object.remove("refs"));
            Ok(MetaCall::Call(CallArguments {
                name,
                arguments,
                intent,
                session,
                dry_run,
                keep_result,
                refs,
                idempotency,
                transaction,
                step,
            }))
        }
    }
}

/// Reads a call of [`MetaTool::Read`] through the tool that calls others. Most hosts do not list it, but kept results name it.
fn read_through(object: &mut RawObject) -> Result<MetaCall, ErrorObject> {
    only(object, "", &["name", "arguments", SESSION])?;
    let session = optional(object, SESSION)?;
    let mut arguments: RawObject = required(object, "arguments")?;
    Ok(MetaCall::Own(OwnCall { wanted: read(&mut arguments)?, session }))
}

/// Reads the key of a call. It is among the arguments, because a model writes no `_meta`.
fn idempotency(object: &mut RawObject) -> Result<Option<IdempotentRequest>, ErrorObject> {
    let mut meta = RawObject::new();
    for key in [IDEMPOTENCY_KEY, IDEMPOTENCY_TTL_SECONDS] {
        if let Some(value) = object.remove(key).filter(|value| !value.is_null()) {
            meta.insert(key, value);
        }
    }
    let mut params = RawObject::new();
    params.insert("_meta", meta.to_json());
    // One message for both places, without the prefix that a model did not write.
    IdempotentRequest::of(&params).map_err(|error| invalid(error.message.replace("_meta.", "")))
}

fn read_object(arguments: Option<&RawJson>) -> Result<RawObject, ErrorObject> {
    arguments.map_or(Ok(RawObject::new()), RawObject::from_json).map_err(|error| wrong(&error))
}

fn required<T: serde::de::DeserializeOwned>(
    object: &mut RawObject,
    key: &'static str,
) -> Result<T, ErrorObject> {
    object.take(key).and_then(|value| value.ok_or(JsonError::Missing(key))).map_err(|error| wrong(&error))
}

fn optional<T: serde::de::DeserializeOwned>(
    object: &mut RawObject,
    key: &str,
) -> Result<Option<T>, ErrorObject> {
    object.take::<Option<T>>(key).map(Option::flatten).map_err(|error| wrong(&error))
}

/// Refuses unknown arguments: a misspelled one would be ignored, and the model would not know why.
fn only(object: &RawObject, prefix: &str, known: &[&str]) -> Result<(), ErrorObject> {
    match object.iter().find(|(key, _)| !known.contains(key)) {
        Some((key, _)) => {
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            Err(invalid(format!("unknown argument \"{prefix}{}\": expected {known}", shown(key))))
        }
        None => Ok(()),
    }
}

fn shown(name: &str) -> String {
    name.chars().take(64).collect()
}

fn wrong(error: &JsonError) -> ErrorObject {
    invalid(error.to_string())
}

fn invalid(message: String) -> ErrorObject {
    ErrorCode::InvalidToolArgs.error(message)
}

#[cfg(test)]
mod tests;
