//! The check of code that becomes a tool.

use super::{Validators, Violation};
use crate::{
    code_safety::{CodeRules, Signature},
    syntax::Interrupt,
};
use mgp_types::code_safety::CodeRejection;
use std::{sync::atomic::Ordering, time::Instant};

impl Validators {
    /// Checks code of a caller and reads the signature of one of its functions, as [`CodeRules::signature`] does, on the threads and within
    /// the time limit of the validators.
    ///
    /// ```
    /// use mgp_security::{code_safety::CodeRules, validator::Validators};
    /// use mgp_types::code_safety::{CodeSafety, SafetyLevel};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let declared = CodeSafety { level: SafetyLevel::Strict, language: Some("python".into()), ..Default::default() };
    /// let code = "def double(n: int) -> int:\n    return 2 * n".to_owned();
    /// let signature = Validators::standard().signature("ann", CodeRules::of([&declared]), code, None).await?;
    /// assert_eq!(signature.is_ok_and(|signature| signature.function == "double"), true);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The refusal of code that was not checked in time (3003), or whose check failed. The inner error is the rejection (§7.4) of code that
    /// is not safe, or whose function cannot become a tool.
    pub async fn signature(
        &self,
        caller: &str,
        rules: CodeRules,
        code: String,
        function: Option<String>,
    ) -> Result<Result<Signature, Box<CodeRejection>>, Violation> {
        let (length, deadline) = (code.len(), self.deadline());
        let read = self.judged(caller, length, move |abandoned| {
            let is_over =
                || abandoned.load(Ordering::Relaxed) || deadline.is_some_and(|end| Instant::now() >= end);
            let read = rules.signature_until(&code, function.as_deref(), Interrupt::new(&is_over));
            if is_over() { Err(Violation::late(format_args!("{length} bytes"))) } else { Ok(read) }
        });
        read.await.flatten()
    }
}
