//! §16.6 An agent's code becomes a tool of its session.

use super::Step;
use crate::demo::{
    findings::{Findings, Interruption},
    stage::{AGENT, SERVERS, Stage},
    trail::ExpectedEvent,
    within::within,
};
use async_trait::async_trait;
use mgp_client_sdk::client::{Client, CreateToolError};
use mgp_kernel::CallError;
use mgp_security::permission::PermissionRules;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    error::ErrorCode,
    permission::{Permission, PermissionPolicy, StandardPermission},
    tool_index::ToolCreation,
};
use serde_json::json;
use std::time::Duration;

pub(super) struct Creation;

/// The capability that no tool has.
const CAPABILITY: &str = "reverse the order of words";
/// The interval between two checks whether the tool is gone.
const LOOK: Duration = Duration::from_millis(5);
/// Code that is not safe.
const UNSAFE: &str = "import os\n\ndef reverse_words(text: str) -> str:\n    return os.popen(text).read()\n";
/// Code that does the same work safely.
const SAFE: &str = "def reverse_words(text: str) -> str:\n    return ' '.join(reversed(text.split()))\n";

#[async_trait(?Send)]
impl Step for Creation {
    fn name(&self) -> &'static str {
        "created"
    }

    fn title(&self) -> &'static str {
        "an agent's code becomes a tool of its session, once it is safe, and runs confined"
    }

    fn shown(&self) -> &'static [&'static str] {
        &["import os", r#""code":1011"#, "reversed(text.split())"]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let host = stage.host_with_code().await?;
        let permissions = stage.kernel.permissions();
        // Tools are only created under this policy.
        permissions.set_rules(rules(PermissionPolicy::AutoApprove));
        let made = make(host, findings).await;
        let gone = async {
            while stage.kernel.servers().len() > SERVERS.len() {
                tokio::time::sleep(LOOK).await;
            }
        };
        within("the end of the tool with its session", gone).await?;
        permissions.set_rules(rules(PermissionPolicy::Interactive));
        made
    }
}

/// Returns rules that allow the use of the files, like the kernel's initial rules.
fn rules(policy: PermissionPolicy) -> PermissionRules {
    let files = [StandardPermission::FilesystemRead, StandardPermission::FilesystemWrite];
    files.into_iter().fold(PermissionRules::new(policy), |rules, permission| {
        rules.approve("files", Permission::Standard(permission))
    })
}

/// Creates a tool and calls it. Its session ends with this function.
async fn make(host: Client, findings: &mut Findings) -> Result<(), Interruption> {
    let create = |code: &str| {
        let creation =
            ToolCreation { language: "python".into(), code: code.into(), ..ToolCreation::default() };
        within("a tool made of code", host.create_tool(CAPABILITY, creation))
    };
    let refused = create(UNSAFE).await?;
    let names_os = |violations: &[String]| violations.iter().any(|violation| violation.contains("os"));
    findings.check(
        matches!(&refused, Err(CreateToolError::Rejected(rejection)) if names_os(&rejection.violations)),
        "code that starts programs is rejected with its reason",
    );
    let requested = || ExpectedEvent::new("dev.cloto.mgp.TOOLS_REQUESTED".into(), AGENT, "");
    let created = |server: String| ExpectedEvent::new("dev.cloto.mgp.TOOL_CREATED".into(), AGENT, server);
    findings
        .audited(ExpectedEvent::new(AuditEventType::CodeRejected, AGENT, "").result(AuditResult::Blocked));
    findings.audited(requested().result(AuditResult::Blocked));

    let made = create(SAFE).await?;
    findings.audited(ExpectedEvent::new(AuditEventType::PermissionGranted, "kernel", ""));
    let tool = match made {
        Ok(tool) => tool,
        Err(CreateToolError::Call(CallError::Peer(error)))
            if error.code == i64::from(ErrorCode::PermissionDenied) =>
        {
            findings.note(format!("it needs Linux and python3: {}", error.message));
            findings.audited(created(String::new()).result(AuditResult::Blocked));
            findings.audited(requested().result(AuditResult::Blocked));
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    let arguments = json!({"text": "time flies like an arrow"});
    let reversed = within("a call of the tool", host.call_created(&tool, &arguments)).await??;
    let text = reversed.content.first().and_then(|block| block.as_text());
    findings.equal("the answer", text, Some("arrow an like flies time"));
    let (server, name) = (tool.tool.server_id, tool.tool.name);
    findings.audited(ExpectedEvent::intended(AGENT, server.clone()).tool(name.clone()));
    findings.audited(created(server.clone()).tool(name.clone()));
    findings.audited(requested());
    findings.audited(ExpectedEvent::dispatched(AGENT, server.clone(), name.clone()));
    findings.audited(ExpectedEvent::executed(AGENT, server.clone(), name));
    let removed = "dev.cloto.mgp.TOOL_REMOVED".into();
    for event in [AuditEventType::ServerConnected, AuditEventType::ServerDisconnected, removed] {
        findings.audited(ExpectedEvent::by_kernel(event, server.clone()));
    }
    Ok(())
}
