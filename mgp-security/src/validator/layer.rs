//! The layer that runs the validators.

use super::{Validate, Validators};
use tower_layer::Layer;

/// Refuses calls whose arguments are rejected by a validator of their tool.
#[derive(Debug, Clone)]
pub struct ValidatorLayer {
    validators: Validators,
}

impl ValidatorLayer {
    /// Creates a layer that runs these validators.
    #[must_use]
    pub fn new(validators: Validators) -> Self {
        Self { validators }
    }
}

impl<S> Layer<S> for ValidatorLayer {
    type Service = Validate<S>;

    fn layer(&self, inner: S) -> Validate<S> {
        Validate { inner, validators: self.validators.clone() }
    }
}
