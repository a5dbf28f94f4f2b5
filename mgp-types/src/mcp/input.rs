//! Rounds of input: a server answers a request with questions, and the client sends the request again with the answers.

use super::ResultType;
use crate::{
    json::{JsonError, RawJson, RawObject},
    rpc::{Call, ErrorObject, RawParams},
};

/// The questions that a server needs answered before it can answer a request.
///
/// ```
/// use mgp_types::{json::RawJson, mcp::{InputRequest, InputRequired, ListRoots}};
/// let mut required = InputRequired::default();
/// required.ask("where", InputRequest::new::<ListRoots>(&Default::default())?);
/// let text = r#"{"resultType":"input_required","inputRequests":{"where":{"method":"roots/list","params":{}}}}"#;
/// assert_eq!(required.to_json().as_str(), text);
/// assert_eq!(InputRequired::read(&RawJson::parse(text)?)?, required);
/// # Ok::<(), mgp_types::json::JsonError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InputRequired {
    /// The questions, by the keys under which they are answered.
    pub requests: Vec<(String, InputRequest)>,
    /// The state that the client returns unchanged with its next round.
    pub state: Option<String>,
}

/// One question, which would be a request of the server in an earlier revision.
#[derive(Debug, Clone, PartialEq)]
pub struct InputRequest {
    /// The method: `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: String,
    /// The method's params.
    pub params: RawParams,
}

impl InputRequest {
    /// Creates a question.
    ///
    /// # Errors
    /// [`JsonError`] if the params cannot be JSON.
    pub fn new<C: Call>(params: &C::Params) -> Result<Self, JsonError> {
        Ok(Self { method: C::METHOD.to_owned(), params: RawParams::from_value(params)? })
    }

    /// Reads a question.
    ///
    /// # Errors
    /// [`JsonError`], naming the member that is missing or has another form.
    pub fn read(json: &RawJson) -> Result<Self, JsonError> {
        let mut object = RawObject::from_json(json)?;
        let method = object.take("method")?.ok_or(JsonError::Missing("method"))?;
        let params = match object.remove("params") {
            Some(params) if params.is_object() => params.into(),
            Some(params) => return Err(JsonError::NotAnObject(params.kind())),
            None => RawParams::none(),
        };
        Ok(Self { method, params })
    }

    /// Returns the question as it is sent.
    #[must_use]
    pub fn to_json(&self) -> RawJson {
        let mut object = RawObject::new();
        object.insert("method", RawJson::string(self.method.as_str()));
        object.insert("params", self.params.get().cloned().unwrap_or_else(RawJson::empty_object));
        object.to_json()
    }
}

impl InputRequired {
    /// Adds a question. It replaces an earlier one under the same key.
    pub fn ask(&mut self, key: &str, request: InputRequest) {
        match self.requests.iter_mut().find(|(known, _)| known == key) {
            Some((_, before)) => *before = request,
            None => self.requests.push((key.to_owned(), request)),
        }
    }

    /// Reads the questions from a result of the kind [`ResultType::InputRequired`].
    ///
    /// # Errors
    /// [`JsonError`], naming the member that is missing or has another form.
    pub fn read(result: &RawJson) -> Result<Self, JsonError> {
        let mut object = RawObject::from_json(result)?;
        let state = object.take::<Option<String>>("requestState")?.flatten();
        let requests = match object.remove("inputRequests") {
            None => Vec::new(),
            Some(requests) => RawObject::from_json(&requests)?
                .iter()
                .map(|(key, request)| Ok((key.to_owned(), InputRequest::read(request)?)))
                .collect::<Result<_, JsonError>>()?,
        };
        if requests.is_empty() && state.is_none() {
            return Err(JsonError::Missing("inputRequests or requestState"));
        }
        Ok(Self { requests, state })
    }

    /// Returns the whole result.
    #[must_use]
    pub fn to_json(&self) -> RawJson {
        let mut result = RawObject::new();
        result.insert("resultType", RawJson::string(ResultType::InputRequired.as_str()));
        if !self.requests.is_empty() {
            let mut requests = RawObject::new();
            for (key, request) in &self.requests {
                requests.insert_named(key, request.to_json());
            }
            result.insert("inputRequests", requests.to_json());
        }
        if let Some(state) = &self.state {
            result.insert("requestState", RawJson::string(state.as_str()));
        }
        result.to_json()
    }
}

/// The answers that a client sends with its next round.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InputResponses {
    /// The answers by key, each the result of the requested method.
    pub answers: RawObject,
    /// The state that the server sent with its questions.
    pub state: Option<String>,
}

impl InputResponses {
    /// Reads the answers in a request; there are none in its first round.
    ///
    /// # Errors
    /// -32602 if a member has another form.
    pub fn read(params: &RawObject) -> Result<Self, ErrorObject> {
        let invalid = |key, found: &str, expected| {
            ErrorObject::invalid_params(format!("invalid params: {key}: expected {expected}, found {found}"))
        };
        let answers = match params.get("inputResponses") {
            None => RawObject::new(),
            Some(json) => {
                RawObject::from_json(json).map_err(|_| invalid("inputResponses", json.kind(), "an object"))?
            }
        };
        let state = match params.get("requestState") {
            None => None,
            Some(json) => Some(
                json.to_text()
                    .ok_or_else(|| invalid("requestState", json.kind_without_text(), "a string"))?,
            ),
        };
        Ok(Self { answers, state })
    }

    /// Returns whether the request is in its first round, without answers or state.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty() && self.state.is_none()
    }

    /// Removes a client's answers from params that are forwarded as a first round.
    pub fn strip(params: &mut RawObject) {
        params.remove("inputResponses");
        params.remove("requestState");
    }

    /// Puts the answers into the params of a request.
    pub fn write(self, params: &mut RawObject) {
        Self::strip(params);
        if !self.answers.is_empty() {
            params.insert("inputResponses", self.answers.to_json());
        }
        if let Some(state) = self.state {
            params.insert("requestState", RawJson::string(state.as_str()));
        }
    }
}

/// Returns whether a request may be answered with a round of input.
#[must_use]
pub fn asks_for_input(method: &str) -> bool {
    matches!(method, "tools/call" | "prompts/get" | "resources/read")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<InputRequired, JsonError> {
        InputRequired::read(&RawJson::parse(text.to_owned()).unwrap())
    }

    #[test]
    fn a_round_without_question_and_state_is_refused() {
        assert!(read(r#"{"resultType":"input_required"}"#).is_err());
        assert!(read(r#"{"inputRequests":{"a":{"params":{}}}}"#).is_err());
        assert!(read(r#"{"inputRequests":{"a":{"method":"roots/list","params":1}}}"#).is_err());
        assert_eq!(read(r#"{"requestState":"s"}"#).unwrap().state.as_deref(), Some("s"));
    }

    #[test]
    fn a_client_s_input_is_read_written_and_removed() {
        let text = r#"{"name":"a","inputResponses":{"k":{"action":"accept"}},"requestState":"s"}"#;
        let mut params = RawObject::parse(text).unwrap();
        let brought = InputResponses::read(&params).unwrap();
        assert!(!brought.is_empty());
        InputResponses::strip(&mut params);
        assert_eq!(params.to_json().as_str(), r#"{"name":"a"}"#);
        brought.write(&mut params);
        assert_eq!(params.to_json().as_str(), text);
        for wrong in [r#"{"inputResponses":[]}"#, r#"{"requestState":1}"#] {
            let error = InputResponses::read(&RawObject::parse(wrong).unwrap()).unwrap_err();
            assert_eq!(error.code, -32602);
        }
    }
}
