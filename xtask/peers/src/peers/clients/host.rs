//! The input of a client that plays a host, and its results.

use crate::{
    json::{Normal, plain_result},
    tap::Command,
};

/// The way in which a host reaches a server.
#[derive(Debug, Clone)]
pub(crate) enum Reach {
    /// The command with which the host starts the server.
    Command(Command),
    /// The URL of the server, over Streamable HTTP.
    Url(String),
}

/// The user of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostUser {
    /// The host has no user to ask, and declares no elicitation.
    Absent,
    /// The user submits every form.
    Agrees,
}

/// A call, with arguments as JSON.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) tool: String,
    pub(crate) arguments: String,
}

impl Call {
    pub(crate) fn new(tool: &str, arguments: &str) -> Self {
        Self { tool: tool.to_owned(), arguments: arguments.to_owned() }
    }
}

/// The results that a client saw from a server.
#[derive(Debug, Clone)]
pub(crate) struct HostResults {
    /// The negotiated revision, if the client reports it.
    pub(crate) version: Option<String>,
    pub(crate) tools: Answer,
    /// `None` if the server has no resources, or the client was not asked for them.
    pub(crate) resources: Option<Answer>,
    pub(crate) prompts: Option<Answer>,
    pub(crate) calls: Vec<Answer>,
}

/// The result of a call or of a list, as the host's SDK read it.
#[derive(Debug, Clone)]
pub(crate) struct Answer(pub(crate) Normal);

impl Answer {
    /// Returns the names of the tools in a list.
    pub(crate) fn names(&self) -> Result<Vec<String>, String> {
        let tools = self.0.get("tools").and_then(|tools| match tools {
            Normal::List(tools) => tools.iter().map(|tool| text(tool.get("name")?)).collect(),
            _ => None,
        });
        tools.ok_or_else(|| format!("this is not a list of tools: {:?}", self.0))
    }

    /// Returns all text of a call's result, or an error if the tool failed.
    pub(crate) fn text(&self) -> Result<String, String> {
        let Some(Normal::List(content)) = self.0.get("content") else {
            return Err(format!("this is not the result of a call: {:?}", self.0));
        };
        let texts: Vec<_> = content.iter().filter_map(|block| text(block.get("text")?)).collect();
        let all = texts.join("\n");
        match self.0.get("isError") {
            Some(Normal::Word(word)) if word == "true" => Err(format!("the tool failed: {all}")),
            _ => Ok(all),
        }
    }

    /// Returns the names of the tools that a search found, the best first. They are in the text, for models.
    pub(crate) fn found(&self) -> Result<Vec<String>, String> {
        Self(Normal::parse(&self.text()?)?).names()
    }

    /// Returns the answer without the members that only one era adds.
    pub(crate) fn plain(&self) -> Normal {
        plain_result(self.0.clone())
    }
}

fn text(value: &Normal) -> Option<String> {
    match value {
        Normal::Text(text) => Some(text.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> Answer {
        Answer(Normal::parse(text).unwrap())
    }

    #[test]
    fn a_tool_that_failed_is_an_error_with_its_text() {
        let good =
            answer(r#"{"content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}"#);
        assert_eq!(good.text().unwrap(), "a\nb");
        let bad = answer(r#"{"content":[{"type":"text","text":"no"}],"isError":true}"#);
        assert_eq!(bad.text().unwrap_err(), "the tool failed: no");
        assert!(answer("{}").text().is_err());
    }

    #[test]
    fn names_are_read_from_lists_and_searches() {
        let list = answer(r#"{"tools":[{"name":"b"},{"name":"a"}]}"#);
        assert_eq!(list.names().unwrap(), ["b", "a"]);
        let found = answer(r#"{"content":[{"type":"text","text":"{\"tools\":[{\"name\":\"x\"}]}"}]}"#);
        assert_eq!(found.found().unwrap(), ["x"]);
        assert!(answer(r#"{"tools":7}"#).names().is_err());
    }
}
