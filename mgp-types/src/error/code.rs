//! §14.3 The table of error codes.

use super::{ErrorType, Recovery};
use crate::rpc::ErrorObject;
use std::fmt;

spelled! {
    /// The category of an error (§14.5 `category`).
    pub enum ErrorCategory as "error category" {
        /// The caller may not do this.
        Security = "security",
        /// The server is not available.
        Lifecycle = "lifecycle",
        /// A resource is used up.
        Resource = "resource",
        /// The request itself is wrong.
        Validation = "validation",
        /// A service behind the server failed.
        External = "external",
    }
}

spelled! {
    /// The category of an error in the extension proposals (proposal 11), by which their clients choose a reaction.
    pub enum ProposedCategory as "category of the proposals" {
        /// Trying again may help.
        Transient = "transient",
        /// Trying again does not help.
        Permanent = "permanent",
        /// The caller has to authenticate, or to get a right.
        AuthRequired = "auth_required",
        /// The request has to be changed.
        InvalidInput = "invalid_input",
        /// Waiting helps.
        RateLimited = "rate_limited",
    }
}

spelled! {
    /// The spacing of retry attempts (§14.5 `retry_strategy`).
    pub enum RetryStrategy as "retry strategy" {
        /// At once.
        Immediate = "immediate",
        /// After the same wait each time.
        FixedDelay = "fixed_delay",
        /// After a wait that doubles each time.
        ExponentialBackoff = "exponential_backoff",
    }
}

/// Writes the enum and all facts about a code from one table.
macro_rules! error_codes {
    ($($number:literal $variant:ident $name:literal $error_type:literal $result_type:ident $category:ident $proposed:ident $retry:ident $strategy:ident $description:literal;)+) => {
        /// An MGP error code (§14.3). One table gives its number, name, type, category and retry advice.
        ///
        /// ```
        /// use mgp_types::error::{ErrorCode, Recovery};
        ///
        /// let error = ErrorCode::RateLimited.error("10 calls a minute are allowed");
        /// assert_eq!(error.code, 3000);
        /// let recovery = Recovery::from_error(&error).expect("MGP errors carry one");
        /// assert!(recovery.retryable);
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(i64)]
        pub enum ErrorCode {
            $(#[doc = $description] $variant = $number,)+
        }

        impl ErrorCode {
            /// Every code, in ascending order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the code with a number.
            #[must_use]
            pub const fn from_code(code: i64) -> Option<Self> {
                match code {
                    $($number => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// Returns the name in the specification, such as `TOOL_NOT_FOUND`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// Returns the `error_type`, such as `ToolNotFound`, by which hosts without MGP distinguish errors.
            #[must_use]
            pub const fn error_type(self) -> &'static str {
                match self { $(Self::$variant => $error_type,)+ }
            }

            /// Returns the type of the error in the outcome of a tool call.
            #[must_use]
            pub const fn result_error_type(self) -> ErrorType {
                match self { $(Self::$variant => ErrorType::$result_type,)+ }
            }

            /// Returns the category of the error.
            #[must_use]
            pub const fn category(self) -> ErrorCategory {
                match self { $(Self::$variant => ErrorCategory::$category,)+ }
            }

            /// Returns the category of the error in the extension proposals.
            #[must_use]
            pub const fn proposed_category(self) -> ProposedCategory {
                match self { $(Self::$variant => ProposedCategory::$proposed,)+ }
            }

            /// Returns the spacing of retries, or `None` if no retry can help.
            #[must_use]
            pub const fn strategy(self) -> Option<RetryStrategy> {
                match self { $(Self::$variant => error_codes!(@strategy $strategy),)+ }
            }

            /// Returns whether a retry is safe if nothing more is known about the call.
            ///
            /// Only a code for calls that were certainly not handed to a server is retryable by itself. Another code,
            /// such as 3003, is retryable only if the error states it: see [`Recovery::unsent`].
            #[must_use]
            pub const fn retryable(self) -> bool {
                match self { $(Self::$variant => error_codes!(@retryable $retry),)+ }
            }

            /// Returns the meaning of the code, in one sentence.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self { $(Self::$variant => $description,)+ }
            }
        }
    };
    (@strategy Never) => { None };
    (@strategy $strategy:ident) => { Some(RetryStrategy::$strategy) };
    (@retryable Yes) => { true };
    (@retryable Unsent) => { false };
    (@retryable No) => { false };
}

error_codes! {
    1000 PermissionDenied "PERMISSION_DENIED" "AuthorizationError" PermissionError Security AuthRequired No Never "The caller lacks a permission that this needs.";
    1001 AccessDenied "ACCESS_DENIED" "AuthorizationError" PermissionError Security AuthRequired No Never "The agent may not use this tool.";
    1002 AuthRequired "AUTH_REQUIRED" "AuthenticationError" AuthenticationError Security AuthRequired No Never "The caller did not say who it is.";
    1003 AuthExpired "AUTH_EXPIRED" "AuthenticationError" AuthenticationError Security AuthRequired No Never "The caller's credentials have run out.";
    1010 ValidationBlocked "VALIDATION_BLOCKED" "ValidationError" ValidationError Security InvalidInput No Never "A validator of the kernel refused the call.";
    1011 CodeSafetyViolation "CODE_SAFETY_VIOLATION" "ValidationError" ValidationError Security InvalidInput No Never "The code breaks the rules for submitted code.";
    2000 ServerNotReady "SERVER_NOT_READY" "ToolExecution" ToolExecutionError Lifecycle Transient Yes ExponentialBackoff "The server is not connected.";
    2001 ServerDraining "SERVER_DRAINING" "ToolExecution" ToolExecutionError Lifecycle Transient Yes FixedDelay "The server is stopping and takes no new calls.";
    2002 ServerRestarting "SERVER_RESTARTING" "ToolExecution" ToolExecutionError Lifecycle Transient Yes ExponentialBackoff "The server is being restarted.";
    3000 RateLimited "RATE_LIMITED" "ApiLimitExceeded" ApiLimitExceeded Resource RateLimited Yes ExponentialBackoff "The caller sends requests too fast.";
    3001 ResourceExhausted "RESOURCE_EXHAUSTED" "ToolExecution" ToolExecutionError Resource Transient Yes ExponentialBackoff "Memory, connections or a queue are full, or the audit trail cannot be written.";
    3002 QuotaExceeded "QUOTA_EXCEEDED" "ApiLimitExceeded" ApiLimitExceeded Resource RateLimited No Never "The caller's allowance is used up.";
    3003 Timeout "TIMEOUT" "ToolTimeout" TimeoutError Resource Transient Unsent ExponentialBackoff "The operation took longer than it may.";
    4000 InvalidToolArgs "INVALID_TOOL_ARGS" "ValidationError" ValidationError Validation InvalidInput No Never "The arguments do not fit the tool.";
    4001 ToolNotFound "TOOL_NOT_FOUND" "ToolNotFound" ResourceNotFound Validation InvalidInput No Never "There is no such tool.";
    4002 ToolDisabled "TOOL_DISABLED" "ToolNotFound" ResourceNotFound Validation Permanent No Never "The tool exists and is switched off.";
    4003 ToolNameConflict "TOOL_NAME_CONFLICT" "ValidationError" ValidationError Validation InvalidInput No Never "The tool's name is reserved or taken.";
    4004 ResourceNotFound "RESOURCE_NOT_FOUND" "ResourceNotFound" ResourceNotFound Validation Permanent No Never "There is no such resource.";
    4101 ServerAlreadyRegistered "SERVER_ALREADY_REGISTERED" "ValidationError" ValidationError Validation InvalidInput No Never "A server with this id exists.";
    5000 UpstreamError "UPSTREAM_ERROR" "ToolExecution" ToolExecutionError External Transient Unsent ExponentialBackoff "A service behind the server failed.";
    5001 UpstreamTimeout "UPSTREAM_TIMEOUT" "ToolTimeout" TimeoutError External Transient Unsent ExponentialBackoff "A service behind the server did not answer in time.";
    5002 UpstreamUnavailable "UPSTREAM_UNAVAILABLE" "ToolExecution" ToolExecutionError External Transient Unsent ExponentialBackoff "A service behind the server cannot be reached.";
}

impl ErrorCode {
    /// Creates an error with this code; `data._mgp` holds the advice of the table.
    pub fn error(self, message: impl Into<String>) -> ErrorObject {
        self.error_with(message, Recovery::of(self))
    }

    /// Creates an error for a call that was certainly not handed to its server; see [`Recovery::unsent`].
    pub fn error_unsent(self, message: impl Into<String>) -> ErrorObject {
        self.error_with(message, Recovery::unsent(self))
    }

    /// Creates an error for a call that was sent and may have run; see [`Recovery::outcome_unknown`].
    pub fn error_outcome_unknown(self, message: impl Into<String>) -> ErrorObject {
        self.error_with(message, Recovery::outcome_unknown(self))
    }

    /// Creates an error with this code and the given advice in `data._mgp`.
    pub fn error_with(self, message: impl Into<String>, recovery: Recovery) -> ErrorObject {
        recovery.attach(ErrorObject::new(self, message))
    }
}

impl From<ErrorCode> for i64 {
    fn from(code: ErrorCode) -> Self {
        code as Self
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ascend_and_map_back_to_their_code() {
        assert!(ErrorCode::ALL.is_sorted());
        for code in ErrorCode::ALL {
            assert_eq!(ErrorCode::from_code(i64::from(*code)), Some(*code));
        }
        assert_eq!(ErrorCode::from_code(-32602), None);
    }

    #[test]
    fn a_code_s_first_digit_gives_its_category() {
        for code in ErrorCode::ALL {
            let category = match i64::from(*code) / 1000 {
                1 => ErrorCategory::Security,
                2 => ErrorCategory::Lifecycle,
                3 => ErrorCategory::Resource,
                4 => ErrorCategory::Validation,
                _ => ErrorCategory::External,
            };
            assert_eq!(code.category(), category, "{code}");
        }
    }

    #[test]
    fn every_code_s_category_of_the_proposals_fits_its_advice() {
        for code in ErrorCode::ALL {
            let category = code.proposed_category();
            let expected = match code.result_error_type() {
                ErrorType::PermissionError | ErrorType::AuthenticationError => ProposedCategory::AuthRequired,
                ErrorType::ApiLimitExceeded => ProposedCategory::RateLimited,
                ErrorType::ValidationError => ProposedCategory::InvalidInput,
                _ if code.strategy().is_some() => ProposedCategory::Transient,
                _ if *code == ErrorCode::ToolNotFound => ProposedCategory::InvalidInput,
                _ => ProposedCategory::Permanent,
            };
            assert_eq!(category, expected, "{code}");
        }
    }

    #[test]
    fn security_and_validation_errors_are_never_retried() {
        for code in ErrorCode::ALL {
            if matches!(code.category(), ErrorCategory::Security | ErrorCategory::Validation) {
                assert!(!code.retryable(), "{code}");
            }
        }
    }

    #[test]
    fn codes_of_possibly_executed_calls_are_not_retried_by_default() {
        let after_sending = [
            ErrorCode::Timeout,
            ErrorCode::UpstreamError,
            ErrorCode::UpstreamTimeout,
            ErrorCode::UpstreamUnavailable,
        ];
        for code in ErrorCode::ALL {
            let expected = code.strategy().is_some() && !after_sending.contains(code);
            assert_eq!(code.retryable(), expected, "{code}");
        }
    }
}
