//! The stage of the demo: a kernel with its own state folder, three servers, a host and an operator.

use super::{
    findings::Interruption,
    trail::Trail,
    user::User,
    wire::{Line, Wire},
    within::{TIMEOUT, within},
};
use crate::embedded::{files, in_process, jobs, notes};
use futures_util::future::ready;
use mgp_client_sdk::client::{CallbackAnswer, Client, RetryPolicy};
use mgp_discovery::config::{TargetLimit, ToolCreationConfig};
use mgp_kernel::{CallbackRequestParams, CompensationTemplate, Kernel, Server, ServerSpec, StateFolder};
use mgp_security::{audit::AuditLogConfig, profile::Confirmation};
use mgp_server_sdk::ServerStack;
use mgp_transport::{
    connection::{Config, Connection},
    memory,
};
use mgp_types::{
    access::{AccessDecision, AccessEntry, EntryType},
    context::Principal,
    json::{Nullable, RawJson},
    mcp::ClientCapabilities,
    transaction::Compensation,
};
use std::{fs, num::NonZeroU32, path::Path, sync::Arc};
use tempfile::TempDir;

/// The agent that the host calls for.
pub(super) const AGENT: &str = "agent.demo";
/// The servers, in the kernel's order.
pub(super) const SERVERS: [&str; 3] = ["files", jobs::ID, notes::ID];
/// The calls of `list_files` that the kernel allows per minute.
pub(super) const LISTINGS_A_MINUTE: NonZeroU32 = NonZeroU32::new(2).expect("2 is not 0");
/// The operator, who grants access.
pub(super) const OPERATOR: &str = "operator.demo";

/// The stage of the demo.
pub(super) struct Stage {
    pub(super) wire: Wire,
    pub(super) user: User,
    pub(super) kernel: Kernel,
    pub(super) trail: Trail,
    /// The kernel's server `jobs`, for direct requests.
    pub(super) jobs: ServerStack,
    host: Option<Client>,
    operator: Option<Client>,
    /// The kernel's ends of the connections.
    faces: Vec<Connection>,
    /// The index of the first line of the current step.
    begun: usize,
    state: StateFolder,
    /// The folder of the state and of the scratch files, which is deleted with the demo.
    folder: TempDir,
}

impl Stage {
    /// Starts the kernel and its servers, without any connection to the kernel.
    pub(super) async fn set() -> Result<Self, Interruption> {
        let folder = tempfile::tempdir()?;
        let scratch = folder.path().join("scratch");
        put_files(&scratch.join("files"))?;
        let state = StateFolder::open(folder.path().join("state"))?;
        let access = state.access().await?;
        access.put(first_rule()).await?;
        let log = state.audit(&AuditLogConfig::default())?;
        let jobs = jobs::stack()?;
        let servers = [
            files(&scratch.join("files"))?,
            in_process(jobs::ID, jobs.clone()),
            notes(&scratch.join("notes.sqlite3"))?,
        ];
        let mut kernel = Kernel::builder()
            .access(access)
            .stores(state.stores().await?)
            .audit_sink(log.clone())
            .config(|config| {
                config.permissions.wait_ms = u64::try_from(TIMEOUT.as_millis()).unwrap_or(u64::MAX);
                config.tool_creation =
                    ToolCreationConfig { agents: vec![AGENT.to_owned()], ..ToolCreationConfig::default() };
                config.kernel.agent = AGENT.into();
                let listings =
                    TargetLimit { requests_per_minute: Some(LISTINGS_A_MINUTE), ..TargetLimit::default() };
                config.limits.tools.insert("files__list_files".to_owned(), listings);
            });
        for server in servers {
            kernel = kernel.server(server);
        }
        let kernel = kernel.start().await?;
        let down = kernel.ready(TIMEOUT).await;
        let servers = kernel.servers();
        if let Some(server) = servers.iter().find(|server| down.iter().any(|id| id == server.id())) {
            let why = server.status().reason;
            return Err(Interruption::new(format!("the server {:?} did not start: {why}", server.id())));
        }
        Ok(Self {
            wire: Wire::default(),
            user: User::default(),
            kernel,
            trail: Trail::new(log),
            jobs,
            host: None,
            operator: None,
            faces: Vec::new(),
            begun: 0,
            state,
            folder,
        })
    }

    /// Connects the host, which can show questions to its user.
    pub(super) async fn connect_host(&mut self) -> Result<&Client, Interruption> {
        let client = Client::builder("demo-host", env!("CARGO_PKG_VERSION"))
            .capabilities(ClientCapabilities::default().with("elicitation"))
            // Each step sees the kernel's first answer.
            .retries(RetryPolicy::never())
            .service(self.user.clone());
        let end = self.face(Principal::agent(AGENT));
        let (input, output) = self.wire.tap(end);
        let client = within("the handshake of the host", client.connect(input, output)).await??;
        Ok(self.host.insert(client))
    }

    /// Connects a host of the same agent that shows no forms, and answers callbacks instead.
    pub(super) async fn host_without_forms(&mut self) -> Result<Client, Interruption> {
        let user = self.user.clone();
        let client = Client::builder("demo-terminal", env!("CARGO_PKG_VERSION")).on_callback(
            move |callback: CallbackRequestParams| {
                user.note(callback.message);
                ready(CallbackAnswer::confirm())
            },
        );
        let end = self.face(Principal::agent(AGENT));
        let (input, output) = self.wire.tap(end);
        Ok(within("the handshake of another host", client.connect(input, output)).await??)
    }

    /// Connects a host of the same agent that submits code for tools.
    pub(super) async fn host_with_code(&mut self) -> Result<Client, Interruption> {
        let client = Client::builder("demo-coder", env!("CARGO_PKG_VERSION")).tool_creation();
        let end = self.face(Principal::agent(AGENT));
        let (input, output) = self.wire.tap(end);
        Ok(within("the handshake of a host with code", client.connect(input, output)).await??)
    }

    /// Connects the operator's console.
    pub(super) async fn connect_operator(&mut self) -> Result<&Client, Interruption> {
        let client = Client::builder("demo-console", env!("CARGO_PKG_VERSION"));
        let end = self.face(Principal::operator(OPERATOR));
        let (input, output) = self.wire.tap(end);
        let client = within("the handshake of the operator", client.connect(input, output)).await??;
        Ok(self.operator.insert(client))
    }

    /// Begins a step.
    pub(super) fn begin(&mut self) {
        self.begun = self.wire.mark();
        self.user.take_questions();
    }

    /// Returns the lines that went over the wire since the step began.
    pub(super) fn lines(&self) -> Vec<Line> {
        self.wire.since(self.begun)
    }

    /// Stops the kernel, and reopens its stored audit trail from the file. The folder is deleted when it is dropped.
    pub(super) async fn close(self) -> Result<(Trail, TempDir), Interruption> {
        within("the kernel to stop", self.kernel.shutdown()).await?;
        Ok((Trail::new(self.state.audit(&AuditLogConfig::default())?), self.folder))
    }

    /// Returns the host, once it is connected.
    pub(super) fn host(&self) -> Result<&Client, Interruption> {
        self.host.as_ref().ok_or_else(|| Interruption::new("the host is not connected"))
    }

    /// Returns the operator's console, once it is connected.
    pub(super) fn operator(&self) -> Result<&Client, Interruption> {
        self.operator.as_ref().ok_or_else(|| Interruption::new("the operator is not connected"))
    }

    /// Returns a server behind the kernel.
    pub(super) fn server(&self, id: &str) -> Result<Arc<Server>, Interruption> {
        let server = self.kernel.servers().iter().find(|server| server.id() == id).cloned();
        server.ok_or_else(|| Interruption::new(format!("the kernel has no server {id:?}")))
    }

    /// Opens a connection to the kernel for a principal, and returns its near end.
    fn face(&mut self, principal: Principal) -> memory::End {
        let (near, far) = memory::pair();
        self.faces.push(self.kernel.face().serve(principal, Config::default(), far.0, far.1));
        near
    }
}

/// Writes the files that the steps read.
fn put_files(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("plan.txt"), "Spring plan\nThe budget is 40 loaves of bread.\n")?;
    fs::write(folder.join("list.txt"), "flour\nwater\nsalt\n")
}

/// Returns the agent's initial rule, like one that `mgp init` writes: the agent may use the files, and nothing else.
fn first_rule() -> AccessEntry {
    AccessEntry {
        entry_type: EntryType::ServerGrant,
        agent_id: AGENT.to_owned(),
        server_id: "files".to_owned(),
        tool_name: Nullable::Null,
        permission: Some(AccessDecision::Allow),
        granted_by: Nullable::Value(OPERATOR.to_owned()),
        granted_at: Nullable::Value(jiff::Timestamp::now().to_string()),
        expires_at: Nullable::Null,
        justification: Nullable::Value("the tour starts with it".to_owned()),
    }
}

/// Returns the files' server. The compensation for writing a file in a transaction is to write another text, as the operator configures
/// it.
fn files(folder: &Path) -> Result<ServerSpec, Interruption> {
    let mut server = files::spec(folder)?;
    let undo = Compensation::new("write_file")
        .arguments(RawJson::parse(r#"{"path":"$arguments/path","text":"cancelled"}"#)?);
    server.compensations.insert("write_file".to_owned(), CompensationTemplate(undo));
    Ok(server)
}

/// Returns the notes' server. If the notes cannot be searched, the files are searched instead.
fn notes(file: &Path) -> Result<ServerSpec, Interruption> {
    let mut server = notes::spec(file)?;
    // The rollback of a transaction deletes notes, and nobody can be asked then.
    server.confirmation = Some(Confirmation::Never);
    server.fallbacks.insert("search_notes".to_owned(), "search_files".to_owned());
    Ok(server)
}
