//! The gate that refuses arguments that are too large.

use mgp_transport::seam::{Decision, Judge, Refusal, RefusalKind, ToolCall};
use mgp_types::error::ErrorCode;

/// The gate that refuses calls whose arguments are larger than their tool accepts.
#[derive(Debug, Clone, Copy, Default)]
pub struct InputSize;

impl Judge for InputSize {
    fn judge(&self, call: &ToolCall) -> Decision {
        let size = call.arguments().map_or(0, |arguments| arguments.as_bytes().len() as u64);
        match call.profile.max_input_bytes {
            Some(most) if size > most => {
                let name = &call.target.called_as;
                let problem = format!(
                    "the arguments of {name:?} are too large: expected at most {most} bytes of JSON, found {size}; send less in one call"
                );
                Refusal::new(RefusalKind::Validation, ErrorCode::InvalidToolArgs.error(problem)).into()
            }
            _ => Decision::Allow,
        }
    }
}
