//! Asks the user at the terminal.

use super::{
    operator::{is_elsewhere, operator},
    output::{note, on_one_line, printable},
};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_kernel::arguments_on_screen;
use mgp_security::permission::{
    ApprovalTerm, Approver, ConfirmationQuestion, ConfirmationVerdict, PermissionQuestion, PermissionVerdict,
};
use mgp_types::json::RawJson;
use std::{
    fmt,
    io::{self, IsTerminal, Write},
    sync::Arc,
    time::Duration,
};
use tokio::sync::Mutex;

/// A function that asks a question and returns the line of the answer, or `None` if nobody answers.
type Ask = dyn Fn(&str) -> Option<String> + Send + Sync;

/// An approver that asks the user at the terminal about permissions of servers and about calls.
#[derive(Clone)]
pub(crate) struct TerminalApprover {
    ask: Arc<Ask>,
    /// Locked while a question is asked, so that there is one question at a time.
    turn: Arc<Mutex<()>>,
    /// The lifetime of an approval; `None` if it does not end.
    lifetime: Option<Duration>,
}

impl TerminalApprover {
    /// Returns an approver if stdin and stderr are a terminal.
    pub(crate) fn attached(lifetime: Option<Duration>) -> Option<Self> {
        is_attached().then(|| Self::new(ask_on_stderr, lifetime))
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

#[async_trait]
impl Approver for TerminalApprover {
    async fn permission(&self, question: &PermissionQuestion) -> PermissionVerdict {
        let text = format!(
            "Tool {:?} of server {:?} needs the permission {} (risk: {}).\nAllow it for this server? [y]es, [n]o, Enter to decide later: ",
            question.target.called_as, question.target.tool.server_id, question.permission, question.risk
        );
        let by = operator().id().to_owned();
        match self.answer(text).await {
            Answer::Yes => {
                let expires_at = self.lifetime.and_then(|length| Timestamp::now().checked_add(length).ok());
                PermissionVerdict::Approved { by, expires_at }
            }
            Answer::No => PermissionVerdict::Denied { by },
            Answer::Nothing => PermissionVerdict::Deferred,
        }
    }

    async fn confirm(&self, question: &ConfirmationQuestion) -> ConfirmationVerdict {
        let shown = arguments_on_screen(question.arguments.as_ref().unwrap_or(&RawJson::empty_object()));
        if !shown.whole {
            // Without an id there is nothing to show, and the refusal gives the reason.
            if let Some(id) = &question.request_id {
                note(&format!("not all of the call fits on a screen: `mgp approve {id} --show` shows it"));
            }
            return ConfirmationVerdict::Deferred;
        }
        let intent = question
            .intent
            .as_ref()
            .map(|intent| format!("The agent says what it is for: {:?}\n", intent.as_str()));
        let intent = intent.unwrap_or_default();
        let uses = question.estimate.sentences("It");
        let text = format!(
            "Tool {:?} of server {:?} is {} and wants to be confirmed. It would get:\n  {}\nWhy you are asked: {}.\n{intent}{uses}Call it once? [y]es, [n]o, Enter to decide \
             later: ",
            question.target.called_as,
            question.target.tool.server_id,
            question.risk,
            shown.text,
            on_one_line(&question.reason)
        );
        let by = operator().id().to_owned();
        match self.answer(text).await {
            Answer::Yes => ConfirmationVerdict::Approved { by, term: ApprovalTerm::Once },
            Answer::No => ConfirmationVerdict::Denied { by },
            Answer::Nothing => ConfirmationVerdict::Deferred,
        }
    }
}

/// Returns whether stdin and stderr are the terminal of the person for whom a command runs.
pub(super) fn is_attached() -> bool {
    !is_elsewhere() && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question on stderr, and returns the line of the answer; `None` at the end of the input.
pub(super) fn ask_on_stderr(question: &str) -> Option<String> {
    let mut out = io::stderr().lock();
    write!(out, "{}", printable(question)).and_then(|()| out.flush()).ok()?;
    let mut line = String::new();
    // Reading no bytes is the end of the input, not an answer.
    (io::stdin().read_line(&mut line).ok()? > 0).then_some(line)
}

/// An approver that asks nobody. A call is confirmed if the command line confirms calls. All other questions stay open for `mgp
/// approve`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnattendedApprover {
    /// True if calls are confirmed.
    pub(crate) confirms: bool,
}

#[async_trait]
impl Approver for UnattendedApprover {
    async fn permission(&self, _: &PermissionQuestion) -> PermissionVerdict {
        PermissionVerdict::Deferred
    }

    async fn confirm(&self, _: &ConfirmationQuestion) -> ConfirmationVerdict {
        if !self.confirms {
            return ConfirmationVerdict::Deferred;
        }
        ConfirmationVerdict::Approved { by: operator().id().to_owned(), term: ApprovalTerm::Once }
    }

    fn is_attended(&self, _: &ConfirmationQuestion) -> bool {
        self.confirms
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::{
        context::{Principal, RiskLevel, Target, ToolId},
        permission::Permission,
        tool_metadata::CallEstimate,
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
            grant_lifetime: None,
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
    async fn an_approval_ends_as_configured() {
        let (before, hour) = (Timestamp::now(), Duration::from_secs(3600));
        let PermissionVerdict::Approved { expires_at: Some(end), .. } = verdict(Some("y"), Some(hour)).await
        else {
            panic!("not approved for a time")
        };
        assert!((before + hour..=Timestamp::now() + hour).contains(&end), "{before}: {end}");
    }

    fn call(arguments: &str) -> ConfirmationQuestion {
        ConfirmationQuestion {
            request_id: Some("conf-1".into()),
            target: target(),
            arguments: Some(RawJson::parse(arguments.to_owned()).unwrap()),
            risk: RiskLevel::Dangerous,
            reason: "it is dangerous".into(),
            intent: None,
            estimate: CallEstimate::default(),
            every_time: false,
            principal: Principal::agent("a"),
            trace: None,
            session: None,
            peer: None,
        }
    }

    #[tokio::test]
    async fn a_call_continues_only_after_a_yes_and_only_once() {
        let confirm = async |line: Option<&'static str>| {
            let approver = TerminalApprover::new(move |_: &str| line.map(str::to_owned), None);
            approver.confirm(&call("{}")).await
        };
        let yes = confirm(Some("y")).await;
        assert!(matches!(yes, ConfirmationVerdict::Approved { term: ApprovalTerm::Once, .. }), "{yes:?}");
        assert!(matches!(confirm(Some("n")).await, ConfirmationVerdict::Denied { .. }));
        for unclear in [None, Some(""), Some("always")] {
            assert_eq!(confirm(unclear).await, ConfirmationVerdict::Deferred, "{unclear:?}");
        }
    }

    #[tokio::test]
    async fn the_question_contains_its_reason() {
        let ask = |question: &str| {
            assert!(question.contains("Why you are asked: it is dangerous.\n"), "{question}");
            Some("y".to_owned())
        };
        let verdict = TerminalApprover::new(ask, None).confirm(&call("{}")).await;
        assert!(matches!(verdict, ConfirmationVerdict::Approved { .. }), "{verdict:?}");
    }

    #[tokio::test]
    async fn a_truncated_call_is_not_asked_about() {
        let long: String = (0..3000).map(|i| format!("{i},")).collect();
        let ask = |_: &str| -> Option<String> { panic!("nobody can judge it") };
        let verdict = TerminalApprover::new(ask, None).confirm(&call(&format!(r#"{{"a":"{long}"}}"#))).await;
        assert_eq!(verdict, ConfirmationVerdict::Deferred);
    }
}
