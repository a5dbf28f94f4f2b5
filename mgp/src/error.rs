//! Errors of commands, with advice.

use super::{exit::Exit, masking::masked_in_place, output::continued};
use mgp_discovery::{
    config::{ConfigError, Problem},
    trust::TrustError,
};
use mgp_kernel::{ConfigurationError, KernelError, StateError, command_word};
use mgp_security::permission::StoreError;
use mgp_transport::seam::CallError;
use mgp_types::{
    json::{JsonError, RawJson, RawObject},
    rpc::ErrorObject,
};
use serde::Serialize;
use std::fmt;

/// The error of a command: one sentence, and advice on what to do next.
#[derive(Debug)]
pub(crate) struct CliError {
    pub(crate) exit: Exit,
    message: String,
    help: Option<String>,
    more: Box<ErrorDetails>,
}

/// Additional details of some errors.
#[derive(Debug, Default)]
struct ErrorDetails {
    /// A longer text for people, such as the lines of a file with their problems.
    report: Option<String>,
    problems: Vec<PlacedProblem>,
    /// The error response of a kernel or a server.
    answer: Option<ErrorObject>,
    /// The result of a failed tool, which is then the JSON form of the error.
    result: Option<RawJson>,
    /// The trace of the failed call.
    trace: Option<String>,
}

/// A problem in a configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct PlacedProblem {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) help: Option<String>,
}

impl PlacedProblem {
    /// Creates a problem of a whole file.
    pub(crate) fn of_file(message: impl Into<String>) -> Self {
        Self { line: 1, column: 1, message: message.into(), help: None }
    }

    /// Adds advice.
    #[must_use]
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

impl fmt::Display for PlacedProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, continued(&self.message))?;
        self.help.iter().try_for_each(|help| write!(f, " ({})", continued(help)))
    }
}

/// The JSON form of an error.
#[derive(Serialize)]
struct ErrorReport<'a> {
    error: ErrorBody<'a>,
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    kind: &'static str,
    exit_code: u8,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    problems: &'a [PlacedProblem],
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'a ErrorObject>,
}

impl CliError {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), help: None, more: Box::default() }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    pub(crate) fn failed(message: impl fmt::Display) -> Self {
        Self::new(Exit::Failed, message.to_string())
    }

    /// Adds advice on what to do next.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets another exit code.
    #[must_use]
    pub(crate) const fn with_exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    /// Adds the result of a failed tool.
    #[must_use]
    pub(crate) fn with_result(mut self, result: RawJson) -> Self {
        self.more.result = Some(result);
        self
    }

    /// Adds the trace of the failed call, for looking it up in the audit trail.
    #[must_use]
    pub(crate) fn with_trace(mut self, trace: String) -> Self {
        self.more.trace = Some(trace);
        self
    }

    /// Returns the result of a failed tool, as JSON.
    pub(crate) fn result(&self) -> Option<String> {
        self.more.result.as_ref().and_then(|result| serde_json::to_string_pretty(result).ok())
    }

    /// Returns the trace of the failed call.
    #[cfg(feature = "console")]
    pub(crate) fn trace(&self) -> Option<&str> {
        self.more.trace.as_deref()
    }

    /// Returns the sentence.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Returns the advice on what to do next.
    pub(crate) fn advice(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Adds the problems of a text, each with its place, for programs and for people.
    #[must_use]
    pub(crate) fn with_problems(mut self, problems: Vec<PlacedProblem>) -> Self {
        let lines: Vec<_> = problems.iter().map(|problem| format!("  {problem}")).collect();
        self.more.report = Some(lines.join("\n"));
        self.more.problems = problems;
        self
    }

    /// Returns the problems of a file. An error of the whole file is one problem at its beginning.
    pub(crate) fn into_problems(mut self) -> Vec<PlacedProblem> {
        match std::mem::take(&mut self.more.problems) {
            problems if problems.is_empty() => {
                vec![PlacedProblem { help: self.help, ..PlacedProblem::of_file(self.message) }]
            }
            problems => problems,
        }
    }

    /// Returns the error response of a kernel or a server.
    pub(crate) fn answer(&self) -> Option<&ErrorObject> {
        self.more.answer.as_ref()
    }

    /// Returns the text for stderr.
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("error: {}", continued(&self.message));
        if let Some(report) = &self.more.report {
            text.push('\n');
            text.push_str(report.trim_end());
        }
        if let Some(help) = &self.help {
            text.push_str("\n  help: ");
            text.push_str(&continued(help));
        }
        if let Some(trace) = &self.more.trace {
            text.push_str("\n  trace: mgp audit --trace ");
            text.push_str(&command_word(trace));
        }
        text
    }

    /// Returns the text for stdout with `--json`.
    pub(crate) fn to_json(&self) -> String {
        if let Some(result) = self.result() {
            return result;
        }
        let error = ErrorBody {
            kind: self.exit.name(),
            exit_code: self.exit as u8,
            message: &self.message,
            help: self.help.as_deref(),
            problems: &self.more.problems,
            answer: self.more.answer.as_ref(),
        };
        // The error holds only texts, numbers and parsed JSON, so serializing cannot fail.
        serde_json::to_string_pretty(&ErrorReport { error }).unwrap_or_default()
    }
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> Self {
        let message = match &error {
            ConfigError::Read { source, .. } => format!("{error}: {source}"),
            other => other.summary(),
        };
        let problems: Vec<_> = error.problems().iter().map(placed).collect();
        let help = match &error {
            ConfigError::Read { .. } => Some(
                "check the path in --config or MGP_CONFIG_PATH, or make a file with `mgp init`".to_owned(),
            ),
            _ => None,
        };
        let report = (!problems.is_empty()).then(|| report(&error.map_text(masked_in_place)));
        let more = Box::new(ErrorDetails { report, problems, ..ErrorDetails::default() });
        Self { help, more, ..Self::new(Exit::Configuration, message) }
    }
}

fn placed(problem: &Problem) -> PlacedProblem {
    PlacedProblem {
        line: problem.line(),
        column: problem.column(),
        message: problem.to_string(),
        help: problem.advice().map(str::to_owned),
    }
}

/// Returns the lines of the file with their problems.
fn report(error: &ConfigError) -> String {
    use std::io::IsTerminal;
    let theme = if std::io::stderr().is_terminal() {
        miette::GraphicalTheme {
            characters: miette::ThemeCharacters::unicode(),
            styles: miette::ThemeStyles::ansi(),
        }
    } else {
        miette::GraphicalTheme::unicode_nocolor()
    };
    let handler = miette::GraphicalReportHandler::new_themed(theme).with_links(false).with_width(100);
    let mut text = String::new();
    for problem in error.problems() {
        // Writing into a string cannot fail.
        let _ = handler.render_report(&mut text, problem);
    }
    text
}

impl From<ConfigurationError> for CliError {
    fn from(error: ConfigurationError) -> Self {
        Self::new(Exit::Configuration, error.to_string())
    }
}

impl From<KernelError> for CliError {
    fn from(error: KernelError) -> Self {
        match error {
            KernelError::Servers(_) | KernelError::Configuration(_) => {
                Self::new(Exit::Configuration, error.to_string())
            }
            other => Self::failed(other),
        }
    }
}

impl From<StateError> for CliError {
    fn from(error: StateError) -> Self {
        Self::new(Exit::Configuration, error.to_string())
            .help("name another folder with --state-dir or MGP_STATE_DIR")
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        Self::failed(error)
    }
}

impl From<TrustError> for CliError {
    fn from(error: TrustError) -> Self {
        Self::new(Exit::Configuration, error.to_string())
    }
}

impl From<ErrorObject> for CliError {
    fn from(error: ErrorObject) -> Self {
        let exit = Exit::of_error(error.code);
        let more = Box::new(ErrorDetails { answer: Some(error.clone()), ..ErrorDetails::default() });
        Self { more, ..Self::new(exit, without_suggestion(&error)) }
    }
}

/// Returns the message of an error without the kernel's suggestion to a model, because the command has its own advice. Members that
/// a server adds to the error's data do not change the message.
fn without_suggestion(error: &ErrorObject) -> &str {
    let data = error.data.as_ref().and_then(|data| RawObject::from_json(data).ok());
    let suggestion = data.and_then(|data| data.text("suggestion"));
    let reason = suggestion.and_then(|text| error.message.strip_suffix(&*text)?.strip_suffix("; "));
    reason.filter(|reason| !reason.is_empty()).unwrap_or(&error.message)
}

impl From<CallError> for CliError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Peer(error) => error.into(),
            CallError::Connection(_) | CallError::Lost(_) => Self::new(Exit::Unreachable, error.to_string()),
            other => Self::failed(other),
        }
    }
}

impl From<JsonError> for CliError {
    fn from(error: JsonError) -> Self {
        Self::failed(error)
    }
}

impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        Self::failed(error)
    }
}

/// Parses the arguments of a tool.
pub(crate) fn arguments(text: &str) -> Result<RawJson, CliError> {
    RawObject::parse(text.to_owned()).map(|object| object.to_json()).map_err(|error| {
        CliError::usage(format!("the arguments are not a JSON object: {error}"))
            .help("pass one JSON object, such as '{\"path\": \"a.txt\"}', or - to read it from stdin")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::error::ErrorCode;

    fn told(message: &str, data: &str) -> String {
        let error = ErrorObject { code: -32000, message: message.to_owned(), data: None };
        CliError::from(error.with_data(RawJson::parse(data.to_owned()).unwrap())).to_text()
    }

    #[test]
    fn a_server_s_message_is_kept_whatever_its_data_contain() {
        let message = "cannot open the vault: the key is missing";
        for data in [
            r#"{"reason":"E_NOKEY"}"#,
            r#"{"reason":"E_NOKEY","suggestion":"look for the key"}"#,
            r#"{"suggestion":""}"#,
            r#"{"suggestion":"cannot open the vault: the key is missing"}"#,
            r#"["reason"]"#,
        ] {
            assert_eq!(told(message, data), format!("error: {message}"), "{data}");
        }
    }

    #[test]
    fn suggestions_for_a_model_are_left_out() {
        let data = r#"{"reason":"it is not there","suggestion":"find tools with mgp_tools_discover."}"#;
        let message = "it is not there; find tools with mgp_tools_discover.";
        assert_eq!(told(message, data), "error: it is not there");
        assert_eq!(CliError::from(ErrorCode::ToolNotFound.error("gone")).to_text(), "error: gone");
    }
}
