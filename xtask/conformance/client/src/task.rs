//! The task that the suite sets.

use mgp_client_sdk::RawJson;
use serde::de::DeserializeOwned;
use std::env;

const SCENARIO: &str = "MCP_CONFORMANCE_SCENARIO";
const CONTEXT: &str = "MCP_CONFORMANCE_CONTEXT";

/// The task that the suite sets: a scenario, and its server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Task {
    /// The name of the scenario.
    pub(crate) scenario: String,
    /// The URL of the scenario's server.
    pub(crate) url: String,
    /// The scenario's further parameters, as JSON.
    context: Option<String>,
}

impl Task {
    /// Reads the task from the command line and the environment.
    pub(crate) fn read() -> Result<Self, String> {
        Self::of(env::args().skip(1).last(), env::var(SCENARIO).ok(), env::var(CONTEXT).ok())
    }

    /// Decodes the scenario's further parameters.
    pub(crate) fn context<T: DeserializeOwned>(&self) -> Result<T, String> {
        let context = self.context.clone().ok_or_else(|| format!("{CONTEXT} is not set: expected JSON"))?;
        let context = RawJson::parse(context).and_then(|context| context.decode());
        context.map_err(|error| format!("invalid {CONTEXT}: {error}"))
    }

    fn of(url: Option<String>, scenario: Option<String>, context: Option<String>) -> Result<Self, String> {
        let url = url.ok_or("usage: conformance-client URL")?;
        let scenario =
            scenario.ok_or_else(|| format!("{SCENARIO} is not set: expected a scenario's name"))?;
        Ok(Self { scenario, url, context })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_argument_is_named() {
        let text = |text: &str| Some(text.to_owned());
        assert!(Task::of(None, text("initialize"), None).unwrap_err().starts_with("usage:"));
        assert!(Task::of(text("http://localhost:1"), None, None).unwrap_err().starts_with(SCENARIO));
        let task = Task::of(text("http://localhost:1"), text("initialize"), text("[7]")).unwrap();
        assert_eq!(task.context::<Vec<u8>>(), Ok(vec![7]));
        assert!(task.context::<String>().unwrap_err().contains(CONTEXT));
        assert_eq!((task.scenario.as_str(), task.url.as_str()), ("initialize", "http://localhost:1"));
    }
}
