//! The gates of the validators: one that checks that they exist, and one that runs them.

use super::{Input, Leaf, Validators, Verdict, Violation, input::leaves_of, registry::asked_for};
use crate::{confirmed::is_confirmed, profile::Leaves};
use futures_core::future::BoxFuture;
use mgp_transport::seam::{Decision, Judge, Refusal, ToolCall};
use mgp_types::{
    json::{RawJson, read_deep},
    rpc::ErrorObject,
    tool_check::QuestionKind,
};
use std::{future::ready, sync::atomic::AtomicBool};

/// Refuses calls whose arguments a validator of their tool rejects, and unconfirmed calls that a validator doubts.
impl Judge for Validators {
    fn judge(&self, call: &ToolCall) -> Decision {
        if asked_for(&call.profile).next().is_none() {
            return Decision::Allow;
        }
        note_names(call);
        if is_short(call) {
            return decided(call, self.verdict(call, None)).into();
        }
        let (validators, call) = (self.clone(), call.clone());
        Decision::read(async move {
            let verdict = validators.verdict_of_long(&call).await;
            decided(&call, verdict)
        })
    }
}

/// Refuses calls whose tool requires a validator that does not exist. Put it before the gates that ask for an approval, so that
/// nobody is asked about a call that is refused whatever the answer is.
#[derive(Debug, Clone)]
pub struct KnownValidators(pub Validators);

impl Judge for KnownValidators {
    fn judge(&self, call: &ToolCall) -> Decision {
        let known = self.0.all_known(&call.profile).map_err(|violation| {
            note_names(call);
            Refusal::from(violation)
        });
        known.into()
    }
}

/// Notes for the call's event which validators its tool requires.
fn note_names(call: &ToolCall) {
    let names: Vec<&str> = asked_for(&call.profile).collect();
    call.record.update(|record| record.validator = Some(names.join("+")));
}

/// Returns the decision on a call with this verdict.
fn decided(call: &ToolCall, verdict: Verdict) -> Result<(), Refusal> {
    match verdict {
        Verdict::Pass => Ok(()),
        Verdict::Ask(_)
            if is_confirmed(&call.record, &call.target.tool, call.arguments())
                || would_be_confirmed(call) =>
        {
            Ok(())
        }
        Verdict::Ask(violation) | Verdict::Refuse(violation) => Err(Refusal::from(violation)),
    }
}

/// The longest arguments that are judged on the thread of the call, in bytes.
const SHORT: usize = 512;

/// The most commas and colons in them: a part follows each of them, and each part may be read in several languages.
const FEW: usize = 32;

fn is_short(call: &ToolCall) -> bool {
    call.arguments().is_none_or(|arguments| are_short(arguments.as_bytes()))
}

fn are_short(arguments: &[u8]) -> bool {
    let parts = arguments.iter().filter(|byte| [b',', b':'].contains(byte)).take(FEW + 1).count();
    arguments.len() <= SHORT && parts <= FEW
}

impl Validators {
    /// Returns the reason why a call may do harm, if a validator doubts it; `None` if no validator applies. Give it to the gate that asks
    /// for confirmation before this one.
    #[must_use]
    pub fn doubt(&self, call: &ToolCall) -> Option<BoxFuture<'static, Option<String>>> {
        asked_for(&call.profile).next()?;
        let doubt = |verdict| match verdict {
            Verdict::Ask(violation) => Some(Violation::listed(&violation)),
            Verdict::Pass | Verdict::Refuse(_) => None,
        };
        if is_short(call) {
            let doubt = doubt(self.verdict(call, None))?;
            return Some(Box::pin(ready(Some(doubt))));
        }
        let (validators, call) = (self.clone(), call.clone());
        Some(Box::pin(async move { doubt(validators.verdict_of_long(&call).await) }))
    }

    /// Judges a call with long arguments, on a thread of the pool.
    async fn verdict_of_long(&self, call: &ToolCall) -> Verdict {
        let (validators, judged) = (self.clone(), call.clone());
        let length = call.arguments().map_or(0, |arguments| arguments.as_bytes().len());
        let judge = move |abandoned: &AtomicBool| validators.verdict(&judged, Some(abandoned));
        self.judged(call.principal.id(), length, judge).await.unwrap_or_else(Verdict::Refuse)
    }

    fn verdict(&self, call: &ToolCall, abandoned: Option<&AtomicBool>) -> Verdict {
        let (profile, deadline) = (&*call.profile, self.deadline());
        match read_leaves(call, &profile.leaves) {
            Ok(leaves) => self.check(&Input { deadline, abandoned, ..Input::new(&leaves, profile) }),
            Err(violation) => Verdict::Refuse(violation),
        }
    }
}

/// Returns whether the call is a dry run, and would need a confirmation.
fn would_be_confirmed(call: &ToolCall) -> bool {
    call.dry_run && call.record.is_question(QuestionKind::Confirmation)
}

/// Reads the leaves of a call's arguments.
fn read_leaves(call: &ToolCall, which: &Leaves) -> Result<Vec<Leaf>, Violation> {
    let params = call.params.object().map_err(|ErrorObject { message, .. }| unreadable(message))?;
    params.get("arguments").map_or_else(|| Ok(Vec::new()), |arguments| leaves_in(arguments, which))
}

/// Reads the leaves of arguments. Ambiguous arguments are refused.
pub(super) fn leaves_in(arguments: &RawJson, which: &Leaves) -> Result<Vec<Leaf>, Violation> {
    let deep = read_deep(arguments).map_err(|error| unreadable(error.to_string()))?;
    leaves_of(&deep, arguments.as_bytes().len(), which).map_err(unreadable)
}

fn unreadable(error: String) -> Violation {
    Violation::new("the arguments cannot be read", vec![error])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_few_parts_and_bytes_are_short() {
        for (count, short) in [(FEW, true), (FEW + 1, false)] {
            let items = vec!["1"; count].join(",");
            assert_eq!(are_short(format!("{{\"sql\":[{items}]}}").as_bytes()), short, "{count} items");
        }
        assert!(are_short("x".repeat(SHORT).as_bytes()));
        assert!(!are_short("x".repeat(SHORT + 1).as_bytes()));
    }
}
