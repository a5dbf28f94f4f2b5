//! Asks the host's user, by elicitation.

use super::face::is_local;
use async_trait::async_trait;
use mgp_security::permission::{
    Approver, ConfirmationQuestion, Pending, PermissionQuestion, PermissionVerdict,
};
use mgp_transport::seam::Peer;
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
    mcp::{ClientCapabilities, Elicit, ElicitAction, ElicitParams},
    rpc::Call,
};

/// Asks the user of the host that called, where the host can ask (MCP's elicitation); otherwise the question stays open for
/// `mgp approve`, or for another approver.
///
/// Only a local host is asked, or one whose principal has the admin role: an approval is the operator's word, and an agent must
/// not give it to itself. What the kernel asks begins with its mark, so that no server's question passes for it.
#[derive(Debug, Clone)]
pub struct AskHost<A = Pending> {
    otherwise: A,
}

/// What every question of the kernel begins with.
const MARK: &str = "[mgp kernel]";

impl AskHost {
    /// Asks the host, and leaves the question open where that cannot be.
    #[must_use]
    pub const fn new() -> Self {
        Self { otherwise: Pending }
    }
}

impl Default for AskHost {
    fn default() -> Self {
        Self::new()
    }
}

impl<A> AskHost<A> {
    /// Asks the host, and another approver where that cannot be.
    pub const fn or(otherwise: A) -> Self {
        Self { otherwise }
    }
}

#[async_trait]
impl<A: Approver> Approver for AskHost<A> {
    async fn permission(&self, question: &PermissionQuestion) -> PermissionVerdict {
        let Some(peer) = question.peer.as_ref().filter(|peer| may_decide(peer)) else {
            return self.otherwise.permission(question).await;
        };
        let text = format!(
            "{MARK} Tool {:?} of server {:?} needs the permission {} (risk: {}). Allow it for this server?",
            question.target.called_as, question.target.tool.server_id, question.permission, question.risk
        );
        let by =
            format!("host of {}", question.principal.as_ref().map_or("an unknown agent", |agent| agent.id()));
        match ask(peer, &text, "Allow").await {
            Answer::Yes => PermissionVerdict::Approved { by, expires_at: None },
            Answer::No => PermissionVerdict::Denied { by },
            // A host that closed the question has not decided it: it stays open.
            Answer::None => self.otherwise.permission(question).await,
        }
    }

    async fn confirm(&self, question: &ConfirmationQuestion) -> bool {
        let Some(peer) = question.peer.as_ref().filter(|peer| may_decide(peer)) else {
            return self.otherwise.confirm(question).await;
        };
        let arguments = question.arguments.as_ref().map_or_else(|| "{}".to_owned(), shown);
        let text = format!(
            "{MARK} Call tool {:?} of server {:?} (risk: {}) with {arguments}?",
            question.target.called_as, question.target.tool.server_id, question.risk
        );
        ask(peer, &text, "Call it").await == Answer::Yes
    }
}

/// How much of a call's arguments is shown, in characters, and how much of one text in them.
const MAX_SHOWN: usize = 2000;
const MAX_STRING: usize = 300;

#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    None,
}

/// Whether the host's user may decide, and can be asked.
fn may_decide(peer: &Peer) -> bool {
    let session = peer.session();
    let operator =
        is_local(session) || session.get::<Principal>().is_some_and(|principal| principal.is_admin());
    operator && session.get::<ClientCapabilities>().is_some_and(|capabilities| capabilities.elicits_forms())
}

/// A call's arguments as a human can judge them: nothing pushed out of sight by blanks or by a long text before it, nothing that
/// a screen would not show as it is and where it is, and a word on what was left out.
fn shown(arguments: &RawJson) -> String {
    let (mut text, mut escaped) = (String::new(), false);
    // How long the string is that is being read.
    let mut string: Option<usize> = None;
    for c in arguments.as_str().chars() {
        match &mut string {
            None if c.is_ascii_whitespace() => {}
            None => {
                string = (c == '"').then_some(0);
                push(&mut text, c);
            }
            Some(length) if c == '"' && !escaped => {
                if let Some(more @ 1..) = length.checked_sub(MAX_STRING) {
                    text.push_str(&format!("… and {more} more characters"));
                }
                text.push('"');
                string = None;
            }
            Some(length) => {
                escaped = c == '\\' && !escaped;
                if *length < MAX_STRING {
                    push(&mut text, c);
                }
                *length += 1;
            }
        }
    }
    match text.char_indices().nth(MAX_SHOWN) {
        None => text,
        Some((cut, _)) => format!("{} … and {} more characters", &text[..cut], text[cut..].chars().count()),
    }
}

/// Adds a character, by its number where a screen would not show it as itself.
fn push(text: &mut String, c: char) {
    if c.is_ascii_graphic() || c == ' ' || (c.is_alphanumeric() && !is_blank(c) && !runs_leftwards(c)) {
        text.push(c);
    } else {
        text.extend(c.escape_unicode());
    }
}

/// Letters that look like nothing.
fn is_blank(c: char) -> bool {
    matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
}

/// Letters of scripts that are written from right to left: beside others they would change the order of what is seen.
fn runs_leftwards(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

async fn ask(peer: &Peer, text: &str, label: &str) -> Answer {
    let schema = format!(
        r#"{{"type":"object","properties":{{"allow":{{"type":"boolean","title":"{label}"}}}},"required":["allow"]}}"#
    );
    let Ok(schema) = RawJson::parse(schema) else { return Answer::None };
    let params = ElicitParams::form(text, schema);
    match peer.request::<Elicit>(&params).await {
        Ok(result) if result.action == ElicitAction::Accept => {
            let allow = result.content.as_ref().and_then(|content: &RawObject| content.get("allow").cloned());
            if allow.is_some_and(|allow| allow.as_str() == "true") { Answer::Yes } else { Answer::No }
        }
        Ok(result) if result.action == ElicitAction::Decline => Answer::No,
        Ok(_) => Answer::None,
        Err(error) => {
            tracing::debug!(%error, method = Elicit::METHOD, "the host could not be asked");
            Answer::None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        shown(&RawJson::parse(text.to_owned()).unwrap())
    }

    #[test]
    fn nothing_is_pushed_out_of_sight_or_shown_as_something_else() {
        let hidden = format!(r#"{{"path":"ok",{}"command":"rm -rf ~"}}"#, " \n".repeat(2000));
        assert_eq!(show(&hidden), r#"{"path":"ok","command":"rm -rf ~"}"#);
        assert_eq!(show("{\"a\":\"x\u{202e}y \\\" z\"}"), "{\"a\":\"x\\u{202e}y \\\" z\"}");
        assert_eq!(show("{\"a\":\"\u{3164}\u{5d0}é文\"}"), "{\"a\":\"\\u{3164}\\u{5d0}é文\"}");
        let blanks = format!(r#"{{"path":"ok{}","command":"rm -rf ~"}}"#, " ".repeat(1950));
        assert!(
            show(&blanks).ends_with(r#"… and 1652 more characters","command":"rm -rf ~"}"#),
            "{}",
            show(&blanks)
        );
        assert_eq!(show(r#"{"a":"b\\","c":"\"d"}"#), r#"{"a":"b\\","c":"\"d"}"#);
        let many: Vec<_> = (0..500).map(|i| format!("\"k{i}\":1")).collect();
        let many = show(&format!("{{{}}}", many.join(",")));
        assert!(many.chars().count() < 2050 && many.ends_with("more characters"), "{many}");
    }
}
