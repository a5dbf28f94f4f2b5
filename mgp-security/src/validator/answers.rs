//! The answers of the individual validators to a call, for people.

use super::{Input, Validators, Verdict, judge::leaves_in};
use crate::profile::ToolProfile;
use mgp_types::{json::RawJson, tool_security::ValidatorName};
use std::sync::atomic::AtomicBool;

/// The answer of one validator to the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidatorAnswer {
    /// The validator.
    pub validator: ValidatorName,
    /// Its answer.
    pub verdict: Verdict,
}

impl Validators {
    /// Runs each validator of a profile on the arguments of a call of `caller`, even after another one has refused them. A call
    /// itself gets the strictest of these answers.
    ///
    /// ```
    /// use mgp_security::{profile::{ConfiguredTool, ToolFacts, assess}, validator::{Validators, Verdict}};
    /// use mgp_types::{context::TrustLevel, json::RawJson, mcp::Tool};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let schema = RawJson::parse(r#"{"type":"object","properties":{"command":{"type":"string"}}}"#)?;
    /// let tool = Tool::new("execute_command", schema);
    /// let profile = assess(&ToolFacts::new(&tool, TrustLevel::Standard, &[], &ConfiguredTool::default()));
    /// let arguments = RawJson::parse(r#"{"command":"ls"}"#)?;
    /// let answers = Validators::standard().answers("ann", &profile, &arguments).await;
    /// assert_eq!((answers.len(), &answers[0].verdict), (1, &Verdict::Pass));
    /// # Ok(()) }
    /// ```
    pub async fn answers(
        &self,
        caller: &str,
        profile: &ToolProfile,
        arguments: &RawJson,
    ) -> Vec<ValidatorAnswer> {
        let mut answers = Vec::with_capacity(profile.validators.len());
        for validator in profile.validators.iter().filter(|name| **name != ValidatorName::None) {
            let alone = ToolProfile { validators: vec![validator.clone()], ..profile.clone() };
            let (validators, judged) = (self.clone(), arguments.clone());
            let judge = move |abandoned: &AtomicBool| validators.verdict_on(&alone, &judged, abandoned);
            let verdict = self.judged(caller, arguments.as_bytes().len(), judge).await;
            let verdict = verdict.unwrap_or_else(Verdict::Refuse);
            answers.push(ValidatorAnswer { validator: validator.clone(), verdict });
        }
        answers
    }

    fn verdict_on(&self, profile: &ToolProfile, arguments: &RawJson, abandoned: &AtomicBool) -> Verdict {
        let deadline = self.deadline();
        match leaves_in(arguments, &profile.leaves) {
            Ok(leaves) => {
                self.check(&Input { deadline, abandoned: Some(abandoned), ..Input::new(&leaves, profile) })
            }
            Err(violation) => Verdict::Refuse(violation),
        }
    }
}
