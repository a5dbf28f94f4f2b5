//! The program of a tool: one function, each call of which runs in its own process.

use crate::upstream::KernelFiles;
use mgp_discovery::config::ToolCreationConfig;
use mgp_security::confine::{
    Confinement, ConfinementMode, ConfinementSettings, Limits, Profile, ProfileFacts, ProgramFiles,
    home_folders,
};
use mgp_transport::child::{ChildCommand, RunOutcome};
use mgp_types::{
    context::TrustLevel,
    json::{RawJson, RawObject},
    mcp::{CallToolResult, ContentBlock},
};
use serde::{Deserialize, Serialize};
use std::{io::ErrorKind, path::Path, process::ExitStatus, sync::Arc, time::Duration};

/// The code that runs the agent's code: it reads a [`Request`] and writes an [`Answer`].
const HARNESS: &str = include_str!("harness.py");

/// The options of Python: no user settings, no site packages, no bytecode files.
const OPTIONS: &[&str] = &["-I", "-S", "-B", "-X", "utf8", "-c", HARNESS];

/// The maximum number of processes and threads of one call, and of its open files.
pub(super) const PROCESSES: u64 = 4;
const OPEN_FILES: u64 = 64;

/// One function of an agent's code. Clones are cheap.
#[derive(Debug, Clone)]
pub(super) struct Program(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    command: ChildCommand,
    code: String,
    function: String,
    settings: ToolCreationConfig,
}

#[derive(Serialize)]
struct Request<'a> {
    code: &'a str,
    function: &'a str,
    /// `None` loads the code without a call.
    arguments: Option<&'a RawJson>,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    value: Option<RawJson>,
    #[serde(default)]
    error: Option<String>,
}

/// The reason why a run has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RunError {
    /// The code failed, or exceeded a limit.
    Code(String),
    /// The process could not be started and confined.
    Start(String),
}

impl Program {
    /// Creates the program of a function. Its processes are confined without any permission: they can read the interpreter and its
    /// libraries, and write nothing.
    pub(super) fn new(
        server_id: &str,
        interpreter: &str,
        (code, function): (String, String),
        settings: &ToolCreationConfig,
        kernel_files: &KernelFiles,
    ) -> Self {
        let cwd = Path::new("/");
        let command = ChildCommand::new(server_id, interpreter).args(OPTIONS.iter().copied());
        let path = command.variable("PATH");
        let program = ProgramFiles::find(command.program(), command.arguments(), Some(cwd), path.as_deref());
        let confinement = ConfinementSettings {
            mode: Some(ConfinementMode::Require),
            network: Some(false),
            ports: Some(Vec::new()),
            limits: Limits {
                memory_mb: Some(settings.memory_mb),
                processes: Some(PROCESSES),
                open_files: Some(OPEN_FILES),
                file_mb: Some(0),
                cpu_secs: Some(settings.cpu_secs),
            },
            ..ConfinementSettings::default()
        };
        let profile = Profile::derive(&ProfileFacts {
            trust: TrustLevel::Sandboxed,
            settings: &confinement,
            granted: &[],
            program: &program,
            granted_programs: &ProgramFiles::default(),
            private_folder: None,
            kernel_files: &kernel_files.all(),
            homes: &home_folders(),
        });
        let mut command = command.cwd(cwd);
        // The mode requires confinement, so this is always present.
        if let Some(confinement) = Confinement::new(server_id, profile) {
            command = command.setup(Arc::new(confinement));
        }
        Self(Arc::new(Inner { command, code, function, settings: settings.clone() }))
    }

    /// Loads the code once, without a call.
    pub(super) async fn load(&self) -> Result<(), RunError> {
        self.run(None).await.map(drop)
    }

    /// Calls the function.
    pub(super) async fn call(&self, arguments: &RawJson) -> CallToolResult {
        match self.run(Some(arguments)).await {
            Ok(value) => result(value),
            Err(RunError::Code(reason) | RunError::Start(reason)) => CallToolResult::error(reason),
        }
    }

    async fn run(&self, arguments: Option<&RawJson>) -> Result<Option<RawJson>, RunError> {
        let Inner { command, code, function, settings } = &*self.0;
        let request = serde_json::to_vec(&Request { code, function, arguments });
        let request = request.map_err(|error| RunError::Code(error.to_string()))?;
        let limit = Duration::from_millis(settings.timeout_ms);
        let RunOutcome { output, status } =
            match command.run(&request, settings.max_result_bytes, limit).await {
                Ok(outcome) => outcome,
                Err(error) if error.kind() == ErrorKind::TimedOut => {
                    let limit = settings.timeout_ms;
                    return Err(RunError::Code(format!(
                        "no result within {limit} ms (tool_creation.timeout_ms)"
                    )));
                }
                Err(error) => {
                    return Err(RunError::Start(format!("its code cannot be run confined here: {error}")));
                }
            };
        let Some(status) = status else {
            let most = settings.max_result_bytes;
            return Err(RunError::Code(format!(
                "its result is too long: expected at most {most} bytes of JSON (tool_creation.max_result_bytes)"
            )));
        };
        match serde_json::from_slice(&output) {
            Ok(Answer { error: Some(error), .. }) => Err(RunError::Code(error)),
            Ok(Answer { value, error: None }) => Ok(value),
            Err(_) => Err(RunError::Code(self.ended(status))),
        }
    }

    /// Returns the text about a process that ended without a result.
    fn ended(&self, status: ExitStatus) -> String {
        let ToolCreationConfig { memory_mb, cpu_secs, .. } = &self.0.settings;
        format!(
            "its process ended without a result ({status}): it may take at most {memory_mb} MiB of memory and {cpu_secs} s of CPU time \
             (tool_creation.memory_mb, tool_creation.cpu_secs)"
        )
    }
}

/// Returns the result of a call: a text unchanged, anything else as JSON.
fn result(value: Option<RawJson>) -> CallToolResult {
    let Some(value) = value else { return CallToolResult::new(vec![ContentBlock::text("null")]) };
    let text = value.to_text().unwrap_or_else(|| value.as_str().to_owned());
    let structured_content = RawObject::from_json(&value).is_ok().then(|| value.clone());
    CallToolResult { structured_content, ..CallToolResult::new(vec![ContentBlock::text(text)]) }
}
