//! The creation of a tool from code.

use super::{
    ToolCreator,
    events::CreationRecord,
    install::JudgedCode,
    made_server::{self, MAX_CALLS},
    made_tools::MadeTool,
    program::{Program, RunError},
    rejection::refusal,
};
use crate::{ServerSpec, catalog::tool_index::host_of};
use mgp_discovery::config::{KernelConfig, ServerMgp};
use mgp_security::{code_safety::Signature, definition::ToolNames};
use mgp_toolindex::{catalogue::NamedTool, session::ToolSession};
use mgp_transport::seam::{Incoming, Visibility};
use mgp_types::{
    access::DefaultPolicy,
    audit::AuditEvent,
    code_safety::CodeRejection,
    context::{Principal, ToolId, TrustLevel},
    error::ErrorCode,
    lifecycle::RestartPolicy,
    permission::{Permission, StandardPermission},
    rpc::ErrorObject,
    tool_index::{MetaTool, RequestToolsParams, ToolCreation},
};
use std::{sync::Arc, time::Duration};
use uuid::Uuid;

/// The maximum length of a description, in bytes.
const MAX_DESCRIPTION: usize = 1024;

/// The maximum length of a function's name, in bytes. With the kernel's additions, it becomes the name of the tool.
const MAX_FUNCTION: usize = 48;

impl ToolCreator {
    /// Creates a tool from the code of a request, for its session only, and returns it. A tool of the session from a function with the
    /// same name is replaced. Each outcome is recorded before it is answered.
    ///
    /// # Errors
    /// - 1011 if the code is rejected, with the rejection of §7.4
    /// - 1000 if the caller may not create tools, or the code cannot be confined
    /// - -32602 if a member is out of bounds
    /// - 3001 if the maximum number of tools is reached, or other code is loaded for too long
    pub(super) async fn create_tool(
        self: &Arc<Self>,
        message: &Incoming,
        principal: &Principal,
        session: &ToolSession,
        (params, creation): (&RequestToolsParams, &ToolCreation),
    ) -> Result<NamedTool, ErrorObject> {
        let caller = principal.caller();
        let request = CreationRecord { message, caller: &caller, creation };
        let refused = match self.may_create(message, principal) {
            Ok(()) => self.try_create(&request, session, params).await,
            Err(reason) => Err(ErrorCode::PermissionDenied.error(reason).into()),
        };
        match refused {
            Ok(tool) => Ok(tool),
            Err(CreationRefusal::Recorded(error)) => Err(error),
            Err(CreationRefusal::Code(rejection)) => {
                self.record_creation(request.rejected(&rejection.violations)).await?;
                Err(refusal(&rejection))
            }
            Err(CreationRefusal::Request(error)) => {
                self.record_creation(request.refused(&error)).await?;
                Err(error)
            }
        }
    }

    async fn try_create(
        self: &Arc<Self>,
        request: &CreationRecord<'_>,
        session: &ToolSession,
        params: &RequestToolsParams,
    ) -> Result<NamedTool, CreationRefusal> {
        let creation = request.creation;
        bounds(creation)?;
        if !creation.language.eq_ignore_ascii_case("python") {
            let language: String = creation.language.chars().take(64).collect();
            let error = format!("invalid creation.language: {language:?}: expected \"python\"");
            return Err(ErrorObject::invalid_params(error).into());
        }
        let (rules, code) = (self.creation.rules(), creation.code.clone());
        let validators = &self.creation.validators;
        let read = validators.signature(request.caller.id(), rules, code, creation.function.clone()).await;
        let signature = read.map_err(|late| late.code.error(late.listed()))??;
        self.judge_name(request.caller, &signature.function)?;
        let kernel = &self.set.rights.trail.myself;
        self.record_creation(request.approved(kernel)).await?;

        let tag = session.tag();
        let replaces = || self.creation.made.of_function(tag, &signature.function);
        self.creation.room(tag, replaces().is_some())?;
        let (server_id, tool_name) = self.free_names(&signature.function)?;
        let interpreter = self.creation.interpreter().await?;
        let program = Program::new(
            &server_id,
            interpreter,
            (creation.code.clone(), signature.function.clone()),
            &self.creation.settings,
            &self.set.kernel_files,
        );
        // The maximum duration of one load.
        let longest = Duration::from_millis(self.creation.settings.timeout_ms);
        let turn = self.creation.loads.take(request.caller.id(), longest).await?;
        let loaded = program.load().await;
        drop(turn);
        match loaded {
            Err(RunError::Code(reason)) => {
                let rules = self.creation.rules();
                return Err(CreationRefusal::Code(
                    rules.reject(format!("The code cannot be loaded: {reason}")),
                ));
            }
            loaded => loaded?,
        }
        let description = description(creation, &signature, params);
        let spec = self.made_spec(&server_id, &tool_name, description, &signature, program)?;
        let judged = JudgedCode {
            spec,
            event: request.created(&server_id, &tool_name, &signature.function),
            session: session.clone(),
            host: host_of(request.message, session),
            tool: ToolId::new(&*server_id, &*tool_name),
            made: MadeTool {
                server_id,
                function: signature.function,
                agent_id: request.caller.id().to_owned(),
            },
        };
        // In a separate task, so that a request that is cancelled halfway leaves no server behind.
        let installed = tokio::spawn(self.clone().install(judged)).await;
        installed.map_err(|error| ErrorObject::internal(error.to_string()))?
    }

    /// Rejects the name of a function that could be mistaken for another tool that the caller sees.
    fn judge_name(&self, caller: &Principal, function: &str) -> Result<(), CreationRefusal> {
        let problem = if function.len() > MAX_FUNCTION {
            Some(format!("it has {} bytes, expected at most {MAX_FUNCTION}", function.len()))
        } else if MetaTool::reserves(function) {
            Some("names that start with mgp are the kernel's own".to_owned())
        } else {
            let view = self.set.tools.offered.view(caller);
            let table = self.set.tools.load();
            let seen: Vec<_> = table.entries().map(|entry| &entry.id).filter(|id| view.sees(id)).collect();
            let same = seen.iter().find(|id| *id.tool_name == *function);
            let own = ToolId::new("", function);
            let imitates = ToolNames::new(seen.iter().copied()).imitations(&own).into_iter().next();
            same.map(|id| format!("a tool of server {:?} has it already", &*id.server_id))
                .or_else(|| imitates.map(|finding| finding.reason))
        };
        match problem {
            None => Ok(()),
            Some(problem) => {
                let function: String = function.chars().take(64).collect();
                let violation = format!("Function name '{function}' cannot be a tool's: {problem}");
                Err(CreationRefusal::Code(self.creation.rules().reject(violation)))
            }
        }
    }

    /// Returns an unused id for the server, and an unused name for the tool.
    fn free_names(&self, function: &str) -> Result<(String, String), CreationRefusal> {
        for _ in 0..16 {
            // The last bytes of an id are random.
            let mark = mgp_types::hex::encode(&Uuid::now_v7().as_bytes()[12..]);
            let (server_id, tool_name) = (format!("made-{mark}"), format!("made_{function}_{mark}"));
            let is_free = !self.set.servers.has(&server_id);
            if is_free && self.set.tools.load().resolve(&tool_name).is_none() {
                return Ok((server_id, tool_name));
            }
        }
        Err(ErrorObject::internal("no name is free for the tool").into())
    }

    fn made_spec(
        &self,
        server_id: &str,
        tool_name: &str,
        description: String,
        signature: &Signature,
        program: Program,
    ) -> Result<ServerSpec, CreationRefusal> {
        let endpoint = made_server::endpoint(server_id, tool_name, description, signature, program);
        let endpoint = endpoint.map_err(|error| {
            CreationRefusal::Code(
                self.creation.rules().reject(format!("The function cannot become a tool: {error}")),
            )
        })?;
        let mut spec =
            ServerSpec::with_settings(server_id, endpoint, &ServerMgp::default(), &KernelConfig::default());
        spec.trust = TrustLevel::Sandboxed;
        spec.default_policy = DefaultPolicy::OptIn;
        // The tool runs code, so each call needs the approval that the policy gives and may withdraw.
        spec.permissions = vec![Permission::Standard(StandardPermission::CodeExecution)];
        spec.max_concurrent = MAX_CALLS;
        spec.max_tools = 1;
        spec.restart.restart_policy = RestartPolicy::Never;
        // Longer than the time limit of the code itself, so that the latter's error is returned.
        let limit = Duration::from_millis(self.creation.settings.timeout_ms);
        spec.call_timeout = spec.call_timeout.max(limit + Duration::from_secs(5));
        Ok(spec)
    }

    /// Records an event of a created tool, before its request is answered.
    async fn record_creation(&self, event: AuditEvent) -> Result<(), ErrorObject> {
        self.set
            .rights
            .trail
            .sink
            .record(event)
            .await
            .map_err(|error| ErrorObject::internal(error.to_string()))
    }
}

/// The reason why no tool is created.
pub(super) enum CreationRefusal {
    /// The code is rejected.
    Code(Box<CodeRejection>),
    /// The request is refused.
    Request(ErrorObject),
    /// The tool could not be added, and the trail already has the event.
    Recorded(ErrorObject),
}

impl From<ErrorObject> for CreationRefusal {
    fn from(error: ErrorObject) -> Self {
        Self::Request(error)
    }
}

impl From<RunError> for CreationRefusal {
    fn from(error: RunError) -> Self {
        let (RunError::Start(reason) | RunError::Code(reason)) = error;
        Self::Request(ErrorCode::PermissionDenied.error(format!("no tool is made of code: {reason}")))
    }
}

impl From<Box<CodeRejection>> for CreationRefusal {
    fn from(rejection: Box<CodeRejection>) -> Self {
        Self::Code(rejection)
    }
}

/// Checks the texts of a request. The code itself is checked by its rules.
fn bounds(creation: &ToolCreation) -> Result<(), ErrorObject> {
    let description = creation.description.as_deref().unwrap_or_default();
    let function = creation.function.as_deref().unwrap_or_default();
    for (field, text, most) in
        [("description", description, MAX_DESCRIPTION), ("function", function, MAX_FUNCTION)]
    {
        if text.len() > most {
            let length = text.len();
            let error = format!("invalid creation.{field}: {length} bytes: expected at most {most}");
            return Err(ErrorObject::invalid_params(error));
        }
    }
    Ok(())
}

/// Returns the description of a tool: the agent's own text or the documentation of the function, and the requested capabilities, so that
/// the tool can be found again.
fn description(creation: &ToolCreation, signature: &Signature, params: &RequestToolsParams) -> String {
    let own = creation.description.clone().or_else(|| signature.documentation.clone());
    let own = own.unwrap_or_else(|| format!("The function {} of an agent's code.", signature.function));
    let capabilities: String = params.requirements.capabilities.join(", ").chars().take(256).collect();
    format!("{} Made for: {capabilities}.", own.trim())
}
