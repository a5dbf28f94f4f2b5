//! The exit codes of the program.

use mgp_types::{
    error::{ErrorCategory, ErrorCode},
    rpc::JsonRpcCode,
};
use std::process::ExitCode;

/// An exit code of the program. Scripts depend on the codes, so their meanings never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Success = 0,
    Failed = 1,
    Usage = 2,
    Configuration = 3,
    Refused = 4,
    NotFound = 5,
    Unreachable = 6,
}

/// The table of codes, for `mgp --help`.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  failure: a tool reported an error, or a server did not start
  2  the command line or an argument is invalid
  3  the configuration cannot be used, or is not trusted
  4  refused by access control, a permission, a validator or an unconfirmed call
  5  not found: a tool, server, file, rule, question, transaction, key or running gateway
  6  a server cannot be reached, or timed out";

impl Exit {
    /// Returns the name used in the JSON form of an error.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::Configuration => "configuration",
            Self::Refused => "refused",
            Self::NotFound => "not_found",
            Self::Unreachable => "unreachable",
        }
    }

    /// Returns the exit code for an error code of a call.
    pub(crate) fn of_error(code: i64) -> Self {
        if code == i64::from(JsonRpcCode::InvalidParams) {
            return Self::Usage;
        }
        let Some(code) = ErrorCode::from_code(code) else { return Self::Failed };
        match (code, code.category()) {
            (ErrorCode::InvalidToolArgs, _) => Self::Usage,
            (ErrorCode::ToolNotFound | ErrorCode::ResourceNotFound, _) => Self::NotFound,
            (_, ErrorCategory::Security) => Self::Refused,
            (ErrorCode::Timeout | ErrorCode::UpstreamTimeout | ErrorCode::UpstreamUnavailable, _)
            | (_, ErrorCategory::Lifecycle) => Self::Unreachable,
            _ => Self::Failed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_error_has_its_code() {
        let exit = |code: ErrorCode| Exit::of_error(code.into());
        assert_eq!(exit(ErrorCode::AccessDenied), Exit::Refused);
        assert_eq!(exit(ErrorCode::CodeSafetyViolation), Exit::Refused);
        assert_eq!(exit(ErrorCode::ToolNotFound), Exit::NotFound);
        assert_eq!(exit(ErrorCode::ServerNotReady), Exit::Unreachable);
        assert_eq!(exit(ErrorCode::Timeout), Exit::Unreachable);
        assert_eq!(exit(ErrorCode::InvalidToolArgs), Exit::Usage);
        assert_eq!(exit(ErrorCode::UpstreamError), Exit::Failed);
        assert_eq!(Exit::of_error(-32603), Exit::Failed);
    }

    #[test]
    fn the_help_names_every_code() {
        for code in 0..=6 {
            assert!(EXIT_CODES.contains(&format!("\n  {code}  ")), "{code}");
        }
    }
}
