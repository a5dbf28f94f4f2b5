//! Which validators there are.

use super::{CodeSafety, Input, NetworkRestricted, ReadOnly, Sandbox, Violation, rejection::shown};
use crate::profile::ToolProfile;
use std::{collections::HashMap, fmt, sync::Arc};

/// Looks at the arguments of a call before it goes to a server.
///
/// It must answer at once and from the input alone: the same arguments always get the same answer.
pub trait Validator: fmt::Debug + Send + Sync + 'static {
    /// The name by which configuration and tools ask for it.
    fn name(&self) -> &str;

    /// Looks at the arguments.
    ///
    /// # Errors
    /// What is wrong with them.
    fn check(&self, input: &Input<'_>) -> Result<(), Violation>;
}

/// The validators of a kernel, by name. A clone is cheap.
#[derive(Debug, Clone, Default)]
pub struct Validators(Arc<HashMap<Box<str>, Arc<dyn Validator>>>);

/// The name that asks for no validator.
const NONE: &str = "none";

impl Validators {
    /// Those of the specification.
    #[must_use]
    pub fn standard() -> Self {
        Self::default().with(Sandbox).with(ReadOnly).with(NetworkRestricted).with(CodeSafety)
    }

    /// The same, and one more; it replaces one of the same name.
    #[must_use]
    pub fn with(self, validator: impl Validator) -> Self {
        let mut all = Arc::unwrap_or_clone(self.0);
        all.insert(validator.name().into(), Arc::new(validator));
        Self(Arc::new(all))
    }

    /// Runs every validator that a profile asks for. A name that none has refuses the call.
    ///
    /// # Errors
    /// The first violation.
    pub fn check(&self, input: &Input<'_>) -> Result<(), Violation> {
        for name in asked_for(input.profile) {
            let Some(validator) = self.0.get(name) else {
                let unknown = format!("unknown validator {:?}", shown(name));
                return Err(Violation::new("no such validator, so the call is refused", vec![unknown]));
            };
            validator.check(input)?;
        }
        Ok(())
    }
}

/// The names of the validators that a profile asks for.
pub(super) fn asked_for(profile: &ToolProfile) -> impl Iterator<Item = &str> {
    profile
        .validators
        .iter()
        .map(mgp_types::tool_security::ValidatorName::as_str)
        .filter(|name| *name != NONE)
}
