//! The conditions for creating tools from code, and the terms that agents are given.

use super::{
    interpreter::interpreter,
    load_turns::LoadTurns,
    made_tools::{MAX_MADE, MadeTools},
    program::RunError,
};
use crate::features::server_set::ServerSet;
use mgp_discovery::config::ToolCreationConfig;
use mgp_security::{code_safety::CodeRules, permission::Permissions, validator::Validators};
use mgp_transport::seam::{Incoming, Session};
use mgp_types::{
    code_safety::{CodeSafety, SafetyLevel},
    context::{Principal, SessionTag},
    error::ErrorCode,
    negotiation::{Extension, Negotiation},
    permission::{Permission, PermissionPolicy, StandardPermission},
    rpc::ErrorObject,
    tool_index::CreationTerms,
};
use std::sync::Arc;
use tokio::sync::{Mutex, OnceCell};

/// The language of code that becomes a tool.
const LANGUAGE: &str = "python";

/// The subject of the permission `code_execution` for all code of agents.
pub(super) const SUBJECT: &str = "tool_creation";

/// The creation of tools from agents' code: its settings, the created tools, and the servers that have them.
#[derive(Debug)]
pub(crate) struct ToolCreator {
    pub(super) creation: Creation,
    pub(super) set: Arc<ServerSet>,
}

/// The settings of tools created from code, and the created tools.
#[derive(Debug)]
pub(super) struct Creation {
    pub(super) settings: ToolCreationConfig,
    pub(super) validators: Validators,
    pub(super) made: MadeTools,
    /// Held while a tool is created, so that concurrent requests cannot exceed a limit.
    pub(super) turn: Mutex<()>,
    /// The turns for loading code that is not a tool yet.
    pub(super) loads: LoadTurns,
    /// The path of the interpreter, once it is known.
    interpreter: OnceCell<String>,
}

impl Creation {
    pub(super) fn new(settings: ToolCreationConfig, validators: Validators) -> Self {
        Self {
            settings,
            validators,
            made: MadeTools::default(),
            turn: Mutex::default(),
            loads: LoadTurns::new(),
            interpreter: OnceCell::new(),
        }
    }

    /// Returns the path of the interpreter, searching for it until it is found.
    pub(super) async fn interpreter(&self) -> Result<&str, RunError> {
        let find = || interpreter(self.settings.python.value());
        self.interpreter.get_or_try_init(find).await.map(String::as_str)
    }

    /// Returns the rules for code: those of the level `strict`, narrowed by the configuration.
    pub(super) fn rules(&self) -> CodeRules {
        CodeRules::of([&CodeSafety {
            level: SafetyLevel::Strict,
            language: Some(LANGUAGE.to_owned()),
            max_code_size_bytes: Some(self.settings.max_code_size_bytes),
            allowed_imports: self.settings.allowed_imports.clone(),
            ..CodeSafety::default()
        }])
    }

    /// Checks that a session has room for another tool, unless the new tool replaces one.
    ///
    /// # Errors
    /// 3001 with the exceeded limit.
    pub(super) fn room(&self, session: SessionTag, replaces: bool) -> Result<(), ErrorObject> {
        let (of_session, all) = (self.made.count(session), self.made.total());
        let most = self.settings.max_tools;
        let bound = if replaces {
            return Ok(());
        } else if of_session >= most {
            format!(
                "the session has {of_session} tools that were made of code: expected at most {most} (tool_creation.max_tools)"
            )
        } else if all >= MAX_MADE {
            format!(
                "{all} tools are made of code in all sessions: expected at most {MAX_MADE}; they end with their sessions"
            )
        } else {
            return Ok(());
        };
        Err(ErrorCode::ResourceExhausted
            .error(format!("{bound}; a function of the same name replaces its tool")))
    }

    /// Returns the terms for the next tool of a session.
    pub(super) fn terms(&self, session: SessionTag) -> CreationTerms {
        let left = self.settings.max_tools.saturating_sub(self.made.count(session));
        let left_of_all = MAX_MADE.saturating_sub(self.made.total());
        let allowed = self.rules().allowed_imports();
        CreationTerms {
            languages: vec![LANGUAGE.to_owned()],
            level: SafetyLevel::Strict,
            allowed_imports: allowed,
            max_code_size_bytes: self.settings.max_code_size_bytes,
            tools_left: left.min(left_of_all) as u64,
            hint: "no tool has these capabilities: write one. Repeat the request with a member `creation`, such as \
                {\"language\": \"python\", \"code\": \"def word_count(text: str) -> int:\\n    ...\"}: one function, with a type for each \
                parameter and a string that says what it does. It runs without files, network and other processes"
                .to_owned(),
        }
    }
}

impl ToolCreator {
    pub(crate) fn new(
        settings: ToolCreationConfig,
        validators: Validators,
        set: Arc<ServerSet>,
    ) -> Arc<Self> {
        Arc::new(Self { creation: Creation::new(settings, validators), set })
    }

    /// Checks that tools may be created from the code of a request's agent.
    ///
    /// # Errors
    /// The unmet condition, as text.
    pub(super) fn may_create(&self, message: &Incoming, principal: &Principal) -> Result<(), String> {
        let negotiated = message.session().and_then(Session::get::<Negotiation>);
        let has_extension = negotiated.is_some_and(|negotiated| negotiated.has(Extension::ToolCreation));
        let Creation { settings, .. } = &self.creation;
        let missing = if !has_extension {
            "expected a client that negotiated the extension tool_creation"
        } else if !principal.parties().all(|agent| settings.agents.iter().any(|holder| holder == agent)) {
            "expected an agent that holds code_execution: tool_creation.agents in the configuration lists them"
        } else if principal.is_delegated() {
            "expected a request without _mgp.delegation: a tool is made for the caller's own session"
        } else if principal.key_scopes().is_some() {
            "expected an API key without scopes: a tool that is made of code is in no scope"
        } else if !policy_approves(&self.set.rights.permissions) {
            "expected the policy permissions.policy = \"auto_approve\", without code_execution among permissions.exceptions"
        } else {
            return Ok(());
        };
        Err(format!("no tool is made of code for {:?}: {missing}", principal.id()))
    }
}

/// Returns whether the policy approves the execution of code, and no operator denied it.
fn policy_approves(permissions: &Permissions) -> bool {
    let code_execution = Permission::Standard(StandardPermission::CodeExecution);
    permissions.policy() == PermissionPolicy::AutoApprove && permissions.has_all(SUBJECT, [&code_execution])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::creation::made_tools::MadeTool;

    const OWN: SessionTag = SessionTag::new([1; 16]);

    fn with(own: usize, others: usize) -> Creation {
        let settings = ToolCreationConfig { max_tools: 4, ..ToolCreationConfig::default() };
        let creation = Creation::new(settings, Validators::standard());
        let tool = MadeTool { server_id: "made-1".into(), function: "f".into(), agent_id: "a".into() };
        for _ in 0..own {
            creation.made.add(OWN, tool.clone());
        }
        for _ in 0..others {
            creation.made.add(SessionTag::new([2; 16]), tool.clone());
        }
        creation
    }

    #[test]
    fn both_bounds_limit_new_tools_but_not_replacements() {
        for (own, others, left, bound) in [
            (0, 0, 4, None),
            (3, 0, 1, None),
            (4, 0, 0, Some("tool_creation.max_tools")),
            (1, MAX_MADE - 3, 2, None),
            (1, MAX_MADE - 1, 0, Some("expected at most 64")),
        ] {
            let creation = with(own, others);
            assert_eq!(creation.terms(OWN).tools_left, left, "{own} {others}");
            let refused = creation.room(OWN, false).err().map(|error| (error.code, error.message));
            match (refused, bound) {
                (None, None) => {}
                (Some((3001, message)), Some(bound)) => assert!(message.contains(bound), "{message}"),
                (refused, _) => panic!("{own} {others}: {refused:?}"),
            }
            assert!(creation.room(OWN, true).is_ok(), "{own} {others}");
        }
    }
}
