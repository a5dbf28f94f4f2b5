//! An outcome as one object: `{status, data, error, explanation}`, and `provenance`, if any.

use super::{ErrorDetail, Outcome, Provenance, ResultStatus, Verdict, carrier::Sources};
use crate::json::{JsonError, RawJson, RawObject};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeMap};

/// ```
/// use mgp_types::tool_result::{ErrorType, Outcome};
/// let outcome = Outcome::<u32>::failure(ErrorType::ValidationError, "n: expected a number");
/// let text = r#"{"status":"failure","data":null,"error":{"error_type":"ValidationError","error_message":"n: expected a number"},"explanation":null}"#;
/// assert_eq!(serde_json::to_string(&outcome)?, text);
/// assert_eq!(serde_json::from_str::<Outcome<u32>>(text)?, outcome);
/// # Ok::<(), serde_json::Error>(())
/// ```
impl<T: Serialize> Serialize for Outcome<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("status", &self.status())?;
        map.serialize_entry("data", &self.data())?;
        map.serialize_entry("error", &self.error())?;
        map.serialize_entry("explanation", &self.explanation)?;
        if !self.provenance.is_empty() {
            map.serialize_entry("provenance", &Sources(self.provenance.clone()))?;
        }
        map.end()
    }
}

/// The members of the object, before its rules are checked.
struct Members {
    status: ResultStatus,
    data: RawJson,
    error: Option<ErrorDetail>,
    explanation: Option<String>,
    provenance: Vec<Provenance>,
}

impl Members {
    fn read(mut object: RawObject) -> Result<Self, JsonError> {
        Ok(Self {
            status: object.take("status")?.ok_or(JsonError::Missing("status"))?,
            data: object.remove("data").unwrap_or_else(RawJson::null),
            error: object.take::<Option<_>>("error")?.flatten(),
            explanation: object.take::<Option<_>>("explanation")?.flatten(),
            provenance: object.take::<Option<Sources>>("provenance")?.flatten().unwrap_or_default().0,
        })
    }

    fn outcome<T: de::DeserializeOwned>(self) -> Result<Outcome<T>, JsonError> {
        let Self { status, data, error, explanation, provenance } = self;
        let wrong = |key: &str, problem: String| JsonError::Member { key: key.to_owned(), problem };
        let decoded = |data: &RawJson| {
            data.decode().map_err(|error| wrong("data", format!("{error}, in a result that says {status}")))
        };
        let optional = |data: &RawJson| (!data.is_null()).then(|| decoded(data)).transpose();
        let verdict = match status {
            ResultStatus::Failure if !data.is_null() => {
                return Err(wrong("data", format!("expected null in a failure, found {}", data.kind())));
            }
            ResultStatus::Failure => Verdict::Failure(error.ok_or(JsonError::Missing("error"))?),
            ResultStatus::PartialSuccess => Verdict::PartialSuccess { data: optional(&data)?, error },
            _ if error.is_some() => {
                return Err(wrong("error", format!("expected none in a result that says {status}")));
            }
            ResultStatus::NoChangeNeeded => Verdict::NoChangeNeeded { data: optional(&data)? },
            ResultStatus::Success => Verdict::Success(decoded(&data)?),
        };
        Ok(Outcome { verdict, explanation, provenance })
    }
}

impl<'de, T: de::DeserializeOwned> Deserialize<'de> for Outcome<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let object = RawObject::deserialize(deserializer)?;
        Members::read(object).and_then(Members::outcome).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool_result::ErrorType;

    #[test]
    fn every_status_has_its_object_and_survives() {
        let error = || ErrorDetail::new(ErrorType::TimeoutError, "m").details("d");
        for (outcome, text) in [
            (Outcome::success(1), r#"{"status":"success","data":1,"error":null,"explanation":null}"#),
            (
                Outcome::no_change_needed(1).explanation("e"),
                r#"{"status":"no_change_needed","data":1,"error":null,"explanation":"e"}"#,
            ),
            (
                Outcome::partial_success(1, error()).provenance("s"),
                r#"{"status":"partial_success","data":1,"error":{"error_type":"TimeoutError","error_message":"m","error_details":"d"},"explanation":null,"provenance":{"source":"s"}}"#,
            ),
            (
                error().into(),
                r#"{"status":"failure","data":null,"error":{"error_type":"TimeoutError","error_message":"m","error_details":"d"},"explanation":null}"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&outcome).unwrap(), text);
            assert_eq!(serde_json::from_str::<Outcome<u32>>(text).unwrap(), outcome);
        }
        let several: Outcome<()> = serde_json::from_str(
            r#"{"status":"success","provenance":[{"source":"a"},7,{"source":"b"}],"data":null}"#,
        )
        .unwrap();
        assert_eq!(several, Outcome::success(()).provenance("a").provenance("b"));
    }

    #[test]
    fn an_invalid_object_is_refused_by_its_member() {
        for (text, problem) in [
            (r#"{"data":1}"#, "missing status"),
            (r#"{"status":"done"}"#, "unknown status of a result \"done\": expected one of success"),
            (r#"{"status":"failure"}"#, "missing error"),
            (
                r#"{"status":"failure","data":{},"error":{"error_type":"x","error_message":"m"}}"#,
                "invalid data: expected null in a failure, found an object",
            ),
            (
                r#"{"status":"success","data":1,"error":{"error_type":"x","error_message":"m"}}"#,
                "invalid error: expected none in a result that says success",
            ),
            (r#"{"status":"failure","error":{"error_type":"x"}}"#, "missing error_message"),
            (r#"{"status":"success","data":"x"}"#, "expected u32"),
        ] {
            let error = serde_json::from_str::<Outcome<u32>>(text).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}
