//! Reads the outcome from any tool's result.

use super::{ErrorDetail, ErrorType, Outcome, ResultStatus, Verdict, carrier::ResultMember};
use crate::{
    json::{JsonError, RawJson},
    mcp::{CallToolResult, ContentBlock},
};
use serde::de::DeserializeOwned;
use std::{any::type_name, convert::Infallible, fmt};

/// The error of data that do not have the requested type.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OutcomeError {
    /// The status of the result.
    pub status: ResultStatus,
    /// The name of the expected type.
    pub expected: &'static str,
    /// The kind of the data that were found.
    pub found: &'static str,
    /// The error of decoding the data.
    pub error: JsonError,
}

impl CallToolResult {
    /// Reads the outcome: its status, its data as a Rust type, its error, the explanation and the sources.
    ///
    /// The data are the structured content, or else the text: directly if `T` can be made from a string, and as JSON otherwise. `()` stands
    /// for data that are not needed.
    ///
    /// A result without [`RESULT_KEY`](super::RESULT_KEY) is a success, or with `isError` a failure of the type `ToolExecutionError`. If the
    /// two contradict each other, the result is a failure.
    ///
    /// ```
    /// use mgp_types::{mcp::CallToolResult, tool_result::{ErrorType, Outcome}};
    /// let result = CallToolResult::error("the tape jammed");
    /// assert_eq!(result.outcome::<u32>()?, Outcome::failure(ErrorType::ToolExecutionError, "the tape jammed"));
    /// assert_eq!(CallToolResult::text("3").outcome::<u32>()?, Outcome::success(3));
    /// # Ok::<(), mgp_types::tool_result::OutcomeError>(())
    /// ```
    ///
    /// # Errors
    /// [`OutcomeError`] if the data are of another type; never for a failure.
    pub fn outcome<T: DeserializeOwned>(&self) -> Result<Outcome<T>, OutcomeError> {
        let outcome = self.without_data();
        let status = outcome.status();
        let content = self.content_beside(outcome.note().as_deref());
        let structured = self.structured_content.as_ref();
        let data = || {
            decode(structured, content).map_err(|error| {
                let found = structured.map_or("a text", RawJson::kind);
                OutcomeError { status, expected: type_name::<T>(), found, error }
            })
        };
        // A text that is not the data explains why there are none.
        let data_if_any = || match data() {
            Err(_) if structured.is_none() => Ok(None),
            data => data.map(Some),
        };
        outcome.fill(data, data_if_any)
    }

    /// Reads the outcome with its data as an object: the structured content, or else the member `content` with the blocks of the result.
    /// Serialised, it is the envelope `{status, data, error, explanation}`. The details of the error name the [trace](Self::trace_id) of the call.
    ///
    /// ```
    /// let envelope = mgp_types::mcp::CallToolResult::text("3").whole_outcome();
    /// let text = r#"{"status":"success","data":{"content":[{"type":"text","text":"3"}]},"error":null,"explanation":null}"#;
    /// assert_eq!(serde_json::to_string(&envelope)?, text);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn whole_outcome(&self) -> Outcome<RawJson> {
        let mut outcome = self.without_data();
        let content = self.content_beside(outcome.note().as_deref());
        if let (Verdict::Failure(error), Some(trace)) = (&mut outcome.verdict, self.trace_id()) {
            error.add_trace(&trace);
        }
        let data = match &self.structured_content {
            Some(structured) if structured.is_object() => Some(structured.clone()),
            _ if content.is_empty() => None,
            // Content that was read can be written.
            _ => RawJson::from_value(content).ok().map(|content| RawJson::with_member("content", &content)),
        };
        let required = || Ok::<_, Infallible>(data.clone().unwrap_or_else(RawJson::null));
        let Ok(outcome) = outcome.fill(required, || Ok(data.clone()));
        outcome
    }

    /// Returns the status.
    #[must_use]
    pub fn status(&self) -> ResultStatus {
        status(self, &ResultMember::of(self.meta.as_ref()))
    }

    /// Returns the trace of a call that failed, by which `mgp audit --trace` finds it; `None` if no gateway added one.
    #[must_use]
    pub fn trace_id(&self) -> Option<String> {
        ResultMember::of(self.meta.as_ref()).trace_id
    }

    /// Returns the outcome as stated in the result, without its data.
    fn without_data(&self) -> Outcome<()> {
        let mut member = ResultMember::of(self.meta.as_ref());
        let error = member.error.take();
        let verdict = match status(self, &member) {
            ResultStatus::Success => Verdict::Success(()),
            ResultStatus::NoChangeNeeded => Verdict::NoChangeNeeded { data: None },
            ResultStatus::PartialSuccess => Verdict::PartialSuccess { data: None, error },
            ResultStatus::Failure => Verdict::Failure(error.unwrap_or_else(|| self.told_error())),
        };
        let provenance = member.provenance.unwrap_or_default().0;
        Outcome { verdict, explanation: member.explanation, provenance }
    }

    /// Returns the error of a failure without one.
    fn told_error(&self) -> ErrorDetail {
        let text = self.joined_text();
        let text = if text.is_empty() { "the tool failed without a reason" } else { &text };
        ErrorDetail::new(ErrorType::ToolExecutionError, text)
    }

    /// Returns the content without the note at its end.
    fn content_beside(&self, note: Option<&str>) -> &[ContentBlock] {
        match self.content.split_last() {
            Some((last, before)) if note.is_some() && last.as_text() == note => before,
            _ => &self.content,
        }
    }

    /// Returns the texts of the result, one block a line.
    #[must_use]
    pub fn joined_text(&self) -> String {
        joined(&self.content)
    }

    /// Returns the content that is the data: all but the [note](Outcome::note) at its end.
    #[must_use]
    pub fn data_content(&self) -> &[ContentBlock] {
        self.content_beside(self.without_data().note().as_deref())
    }
}

fn status(result: &CallToolResult, member: &ResultMember) -> ResultStatus {
    match (result.failed(), member.status) {
        (true, _) => ResultStatus::Failure,
        (false, status) => status.unwrap_or(ResultStatus::Success),
    }
}

fn joined(content: &[ContentBlock]) -> String {
    content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n")
}

fn decode<T: DeserializeOwned>(
    structured: Option<&RawJson>,
    content: &[ContentBlock],
) -> Result<T, JsonError> {
    // `()` and the like hold no data.
    if size_of::<T>() == 0
        && let Ok(nothing) = RawJson::null().decode()
    {
        return Ok(nothing);
    }
    if let Some(structured) = structured {
        return structured.decode();
    }
    let text = joined(content);
    let nothing = |error| RawJson::null().decode().map_err(|_| error);
    RawJson::string(&text).decode().or_else(|_| RawJson::parse(text)?.decode()).or_else(nothing)
}

impl Outcome<()> {
    /// Puts data into an outcome: those of a success, or those of another one that may have data.
    fn fill<T, E>(
        self,
        of_success: impl FnOnce() -> Result<T, E>,
        if_any: impl FnOnce() -> Result<Option<T>, E>,
    ) -> Result<Outcome<T>, E> {
        let Self { verdict, explanation, provenance } = self;
        let verdict = match verdict {
            Verdict::Success(()) => Verdict::Success(of_success()?),
            Verdict::NoChangeNeeded { .. } => Verdict::NoChangeNeeded { data: if_any()? },
            Verdict::PartialSuccess { error, .. } => Verdict::PartialSuccess { data: if_any()?, error },
            Verdict::Failure(error) => Verdict::Failure(error),
        };
        Ok(Outcome { verdict, explanation, provenance })
    }
}

impl fmt::Display for OutcomeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, expected, found, error } = self;
        write!(f, "the data of a result that says {status} are {found}, expected {expected}: {error}")
    }
}

impl std::error::Error for OutcomeError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{json::RawObject, tool_result::RESULT_KEY};

    fn result(text: &'static str) -> CallToolResult {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_written_result_reads_back_with_any_status_and_data() {
        let error = || ErrorDetail::new("TapeJammed", "the tape jammed").details("twice");
        for text in [
            Outcome::success("a".to_owned()).explanation("e").provenance("s").provenance("t"),
            Outcome::no_change_needed("a\nb".to_owned()).explanation("e"),
            Outcome::partial_success("a".to_owned(), error()),
            Outcome::from(error()).explanation("e"),
        ] {
            assert_eq!(text.clone().into_result().unwrap().outcome().unwrap(), text);
            let object =
                text.try_map(|text| RawObject::parse(format!(r#"{{"a":"{}"}}"#, text.len()))).unwrap();
            assert_eq!(object.clone().into_result().unwrap().outcome().unwrap(), object);
            let unit = object.try_map(|_| Ok::<_, ()>(())).unwrap();
            assert_eq!(unit.clone().into_result().unwrap().outcome().unwrap(), unit);
        }
        for numbers in [Outcome::success(RawJson::parse("[1]").unwrap()), Outcome::success(true.into())] {
            assert!(numbers.into_result().unwrap_err().to_string().contains("expected a JSON object"));
        }
    }

    #[test]
    fn a_result_has_the_form_that_plain_hosts_read() {
        let failed = Outcome::<()>::from(ErrorDetail::new(ErrorType::TimeoutError, "m").details("d"));
        let text = r#"{"content":[{"type":"text","text":"m"},{"type":"text","text":"e"}],"isError":true,"_meta":{"dev.cloto/result":{"status":"failure","error":{"error_type":"TimeoutError","error_message":"m","error_details":"d"},"explanation":"e"}}}"#;
        let failed = failed.explanation("e").into_result().unwrap();
        assert_eq!(serde_json::to_string(&failed).unwrap(), text);
        let data = RawObject::parse(r#"{"n":1e500}"#).unwrap();
        let part = Outcome::partial_success(data, ErrorDetail::new(ErrorType::TimeoutError, "m"));
        let text = r#"{"content":[{"type":"text","text":"{\"n\":1e500}"},{"type":"text","text":"only a part was done: m"}],"structuredContent":{"n":1e500},"_meta":{"dev.cloto/result":{"status":"partial_success","error":{"error_type":"TimeoutError","error_message":"m"}}}}"#;
        assert_eq!(serde_json::to_string(&part.into_result().unwrap()).unwrap(), text);
    }

    #[test]
    fn an_empty_or_contradictory_result_has_its_flag_s_status() {
        let own = |error_type, text| Outcome::<()>::failure(error_type, text);
        let told = |text| own(ErrorType::ToolExecutionError, text);
        for (text, expected) in [
            (r#"{"content":[{"type":"text","text":"x"}]}"#, Outcome::success(())),
            (
                r#"{"content":[{"type":"text","text":"x"},{"type":"text","text":"y"}],"isError":true}"#,
                told("x\ny"),
            ),
            (r#"{"content":[],"isError":true}"#, told("the tool failed without a reason")),
            (
                r#"{"content":[],"isError":true,"_meta":{"dev.cloto/result":{"status":"success","error":{"error_type":"A","error_message":"b"}}}}"#,
                own("A".into(), "b"),
            ),
            (
                r#"{"content":[{"type":"text","text":"x"}],"_meta":{"dev.cloto/result":{"status":"failure"}}}"#,
                told("x"),
            ),
            (
                r#"{"content":[],"_meta":{"dev.cloto/result":{"status":"success","error":{"error_type":"A","error_message":"b"}}}}"#,
                Outcome::success(()),
            ),
            (r#"{"content":[],"_meta":{"dev.cloto/result":{"status":"done"}}}"#, Outcome::success(())),
            (r#"{"content":[],"_meta":{"dev.cloto/result":[1]}}"#, Outcome::success(())),
            (r#"{"content":[],"_meta":{"provenance":{"source":"s"}}}"#, Outcome::success(()).provenance("s")),
        ] {
            let read = result(text);
            assert_eq!(read.outcome::<()>().unwrap(), expected, "{text}");
            assert_eq!(read.status(), expected.status(), "{text}");
        }
    }

    #[test]
    fn unneeded_data_is_not_parsed() {
        for text in [
            r#"{"content":[],"structuredContent":{"n":1}}"#,
            r#"{"content":[],"structuredContent":[1]}"#,
            r#"{"content":[{"type":"text","text":"x"}]}"#,
            r#"{"content":[]}"#,
        ] {
            assert_eq!(result(text).outcome::<()>().unwrap(), Outcome::success(()), "{text}");
        }
        let part = r#"{"content":[],"structuredContent":{"n":1},"_meta":{"dev.cloto/result":{"status":"partial_success"}}}"#;
        assert_eq!(result(part).outcome::<()>().unwrap().status(), ResultStatus::PartialSuccess);
    }

    #[test]
    fn data_of_another_type_is_an_error_with_the_expectation() {
        let wrong = result(r#"{"content":[],"structuredContent":{"n":1}}"#).outcome::<Vec<u8>>().unwrap_err();
        let text = wrong.to_string();
        let begin = "the data of a result that says success are an object, expected alloc::vec::Vec<u8>: ";
        assert!(text.starts_with(begin), "{text}");
        let wrong = CallToolResult::text("x").outcome::<u32>().unwrap_err().to_string();
        assert!(wrong.contains("are a text, expected u32"), "{wrong}");
        // The text of a server that changed nothing is not data.
        let status = r#"{"content":[{"type":"text","text":"x"}],"_meta":{"dev.cloto/result":{"status":"no_change_needed"}}}"#;
        assert_eq!(result(status).outcome::<u32>().unwrap().data(), None);
        assert_eq!(result(status).outcome::<String>().unwrap().data().map(String::as_str), Some("x"));
    }

    #[test]
    fn the_envelope_holds_the_data_as_an_object() {
        let envelope = |result: CallToolResult| serde_json::to_string(&result.whole_outcome()).unwrap();
        let data =
            |data: &str| format!(r#"{{"status":"success","data":{data},"error":null,"explanation":null}}"#);
        let structured =
            result(r#"{"content":[{"type":"text","text":"x"}],"structuredContent":{"n":1e500}}"#);
        assert_eq!(envelope(structured), data(r#"{"n":1e500}"#));
        assert_eq!(envelope(CallToolResult::default()), data("null"));
        let image =
            r#"{"content":[{"type":"image","data":"aa","mimeType":"image/png"}],"structuredContent":[1]}"#;
        let block = r#"{"content":[{"type":"image","data":"aa","mimeType":"image/png"}]}"#;
        assert_eq!(envelope(result(image)), data(block));
        let failed = r#"{"status":"failure","data":null,"error":{"error_type":"ToolExecutionError","error_message":"x"},"explanation":null}"#;
        assert_eq!(envelope(CallToolResult::error("x")), failed);
    }

    #[test]
    fn other_members_next_to_the_outcome_stay() {
        let mut result = Outcome::success(()).into_result().unwrap();
        let meta = result.meta.as_mut().unwrap();
        meta.edit(RESULT_KEY, |member| member.insert("fallback", true.into()).is_none());
        let member = ResultMember::of(result.meta.as_ref());
        member.put(result.meta.as_mut().unwrap()).unwrap();
        let text = r#"{"dev.cloto/result":{"status":"success","fallback":true}}"#;
        assert_eq!(result.meta.unwrap().to_json().as_str(), text);
    }
}
