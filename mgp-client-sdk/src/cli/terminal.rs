//! Asks the person at the terminal.

use super::{output::printable, setup};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_security::permission::{Approver, ConfirmationQuestion, PermissionQuestion, PermissionVerdict};
use mgp_types::json::RawJson;
use std::{
    fmt,
    io::{self, IsTerminal, Write},
    sync::Arc,
    time::Duration,
};
use tokio::sync::Mutex;

/// Puts a question and returns the line that was answered; none where nobody answers.
type Ask = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Asks the person at the terminal: whether a server may have a permission, whether a call may be made.
#[derive(Clone)]
pub(crate) struct TerminalApprover {
    ask: Arc<Ask>,
    /// One question at a time.
    turn: Arc<Mutex<()>>,
    /// How long an approval holds; none is for good.
    lifetime: Option<Duration>,
}

impl TerminalApprover {
    /// Where stdin and stderr are a terminal.
    pub(crate) fn attached(lifetime: Option<Duration>) -> Option<Self> {
        let attached = io::stdin().is_terminal() && io::stderr().is_terminal();
        attached.then(|| Self::new(ask_on_stderr, lifetime))
    }

    fn new(ask: impl Fn(&str) -> Option<String> + Send + Sync + 'static, lifetime: Option<Duration>) -> Self {
        Self { ask: Arc::new(ask), turn: Arc::default(), lifetime }
    }

    async fn answer(&self, question: String) -> Answer {
        let _turn = self.turn.lock().await;
        let ask = self.ask.clone();
        let line = tokio::task::spawn_blocking(move || ask(&question)).await;
        line.ok().flatten().map_or(Answer::Nothing, |line| Answer::read(&line))
    }
}

impl fmt::Debug for TerminalApprover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TerminalApprover").finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    Nothing,
}

impl Answer {
    fn read(line: &str) -> Self {
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => Self::Yes,
            "n" | "no" => Self::No,
            _ => Self::Nothing,
        }
    }
}

/// How much of a call's arguments is shown, in characters.
const MAX_SHOWN: usize = 2000;

#[async_trait]
impl Approver for TerminalApprover {
    async fn permission(&self, question: &PermissionQuestion) -> PermissionVerdict {
        let text = format!(
            "Tool {:?} of server {:?} needs the permission {} (risk: {}).\nAllow it for this server? [y]es, [n]o, Enter to decide later: ",
            question.target.called_as, question.target.tool.server_id, question.permission, question.risk
        );
        let by = setup::operator().id().to_owned();
        match self.answer(text).await {
            Answer::Yes => {
                let expires_at = self.lifetime.and_then(|length| Timestamp::now().checked_add(length).ok());
                PermissionVerdict::Approved { by, expires_at }
            }
            Answer::No => PermissionVerdict::Denied { by },
            Answer::Nothing => PermissionVerdict::Deferred,
        }
    }

    async fn confirm(&self, question: &ConfirmationQuestion) -> bool {
        let arguments = question.arguments.as_ref().map_or("{}", RawJson::as_str);
        let text = format!(
            "Tool {:?} of server {:?} is {} and wants to be confirmed. It would get:\n  {}\nCall it? [y]es, [N]o: ",
            question.target.called_as,
            question.target.tool.server_id,
            question.risk,
            arguments.chars().take(MAX_SHOWN).collect::<String>()
        );
        self.answer(text).await == Answer::Yes
    }
}

fn ask_on_stderr(question: &str) -> Option<String> {
    let mut out = io::stderr().lock();
    write!(out, "{}", printable(question)).and_then(|()| out.flush()).ok()?;
    let mut line = String::new();
    // No bytes at all is the end of the input, not an answer.
    (io::stdin().read_line(&mut line).ok()? > 0).then_some(line)
}

/// Asks nobody: a permission stays an open question that `mgp approve` answers, and a call is confirmed where the command
/// line says so.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unattended {
    /// Whether calls are confirmed.
    pub(crate) confirms: bool,
}

#[async_trait]
impl Approver for Unattended {
    async fn permission(&self, _: &PermissionQuestion) -> PermissionVerdict {
        PermissionVerdict::Deferred
    }

    async fn confirm(&self, _: &ConfirmationQuestion) -> bool {
        self.confirms
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::{
        context::{RiskLevel, Target, ToolId},
        permission::Permission,
    };

    fn target() -> Target {
        Target { tool: ToolId::new("s\u{1b}", "t"), called_as: "t".into() }
    }

    async fn verdict(line: Option<&'static str>, lifetime: Option<Duration>) -> PermissionVerdict {
        let question = PermissionQuestion {
            request_id: "perm-1".into(),
            target: target(),
            permission: "shell.execute".parse::<Permission>().unwrap(),
            risk: RiskLevel::Dangerous,
            principal: None,
            peer: None,
        };
        let ask = move |question: &str| {
            assert!(question.contains("shell.execute") && question.contains("dangerous"), "{question}");
            line.map(str::to_owned)
        };
        TerminalApprover::new(ask, lifetime).permission(&question).await
    }

    #[tokio::test]
    async fn only_a_clear_answer_decides() {
        let approved = |verdict| matches!(verdict, PermissionVerdict::Approved { expires_at: None, .. });
        assert!(approved(verdict(Some("y\n"), None).await));
        assert!(approved(verdict(Some(" YES \n"), None).await));
        assert!(matches!(verdict(Some("n\n"), None).await, PermissionVerdict::Denied { .. }));
        for unclear in [None, Some("\n"), Some("yep\n"), Some("1\n")] {
            assert_eq!(verdict(unclear, None).await, PermissionVerdict::Deferred, "{unclear:?}");
        }
    }

    #[tokio::test]
    async fn an_approval_ends_when_the_configuration_says_so() {
        let PermissionVerdict::Approved { expires_at: Some(end), .. } =
            verdict(Some("y"), Some(Duration::from_secs(3600))).await
        else {
            panic!("not approved for a time")
        };
        let left = end.duration_since(Timestamp::now()).as_secs();
        assert!((3590..=3600).contains(&left), "{left}");
    }

    #[tokio::test]
    async fn a_call_goes_on_only_after_a_yes() {
        for (line, expected) in [(Some("y"), true), (Some("n"), false), (Some(""), false), (None, false)] {
            let question = ConfirmationQuestion {
                target: target(),
                arguments: None,
                risk: RiskLevel::Dangerous,
                principal: None,
                trace: None,
                peer: None,
            };
            let approver = TerminalApprover::new(move |_: &str| line.map(str::to_owned), None);
            assert_eq!(approver.confirm(&question).await, expected, "{line:?}");
        }
    }
}
