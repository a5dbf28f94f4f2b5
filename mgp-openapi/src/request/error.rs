//! The reasons for which arguments do not make a request.

/// Arguments that do not make a request. Each message names the argument.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentError {
    /// The arguments are not an object.
    #[error("got {value} as arguments, expected an object")]
    NotAnObject {
        /// The beginning of the value.
        value: String,
    },
    /// The tool does not have the argument.
    #[error("unknown argument `{argument}`, expected {expected}")]
    Unknown {
        /// The name of the argument.
        argument: String,
        /// The names that the tool has.
        expected: String,
    },
    /// A required argument is absent.
    #[error("missing argument `{argument}`, expected {expected}")]
    Missing {
        /// The name of the argument.
        argument: String,
        /// The kinds of values that the argument has.
        expected: String,
    },
    /// The value of an argument cannot be sent.
    #[error("argument `{argument}`: got {value}, expected {expected}")]
    Invalid {
        /// The name of the argument.
        argument: String,
        /// The beginning of the value.
        value: String,
        /// The values that the argument has.
        expected: String,
    },
}
