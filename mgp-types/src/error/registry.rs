//! The numbers that the registry seed gives to errors of tools. They are read from peers and never sent, because MCP and its SDKs
//! use the same numbers for other things.

use super::ErrorCode;
use crate::{json::RawObject, rpc::ErrorObject};

impl ErrorObject {
    /// Returns the error with MGP's code if it is one of the registry seed: a number from -32001 to -32005, and an `error_type` in the
    /// data. Message and data are unchanged, and so is any other error.
    ///
    /// The type decides; the number decides for a type that is not in the table.
    ///
    /// ```
    /// use mgp_types::{json::RawJson, rpc::ErrorObject};
    /// let data = RawJson::parse(r#"{"error_type":"ValidationError","field":"ticker"}"#)?;
    /// let error = ErrorObject::new(-32001_i64, "no such ticker").with_data(data);
    /// assert_eq!(error.with_registry_code_read().code, 4000);
    /// # Ok::<(), mgp_types::json::JsonError>(())
    /// ```
    #[must_use]
    pub fn with_registry_code_read(self) -> Self {
        let Some(by_number) = by_number(self.code) else { return self };
        let data = self.data.as_ref().and_then(|data| RawObject::from_json(data).ok());
        match data.and_then(|data| data.text("error_type")) {
            Some(error_type) => {
                let code = by_type(&error_type).unwrap_or(by_number);
                Self { code: code.into(), ..self }
            }
            None => self,
        }
    }
}

const fn by_number(code: i64) -> Option<ErrorCode> {
    match code {
        -32001 => Some(ErrorCode::InvalidToolArgs),
        -32002 => Some(ErrorCode::ToolNotFound),
        -32003 => Some(ErrorCode::UpstreamError),
        -32004 => Some(ErrorCode::AuthRequired),
        -32005 => Some(ErrorCode::PermissionDenied),
        _ => None,
    }
}

/// Returns the code of a type of the registry seed, or of the result seed.
fn by_type(error_type: &str) -> Option<ErrorCode> {
    Some(match error_type {
        "ValidationError" => ErrorCode::InvalidToolArgs,
        "ToolNotFound" => ErrorCode::ToolNotFound,
        "ToolExecution" | "ToolExecutionError" => ErrorCode::UpstreamError,
        "ToolTimeout" | "TimeoutError" => ErrorCode::Timeout,
        "AuthenticationError" => ErrorCode::AuthRequired,
        "AuthorizationError" | "PermissionError" => ErrorCode::PermissionDenied,
        "ApiLimitExceeded" => ErrorCode::RateLimited,
        "ResourceNotFound" | "FileNotFoundError" => ErrorCode::ResourceNotFound,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::RawJson;

    fn read(code: i64, data: Option<&str>) -> i64 {
        let error = ErrorObject::new(code, "why");
        let error = match data {
            Some(data) => error.with_data(RawJson::parse(data.to_owned()).unwrap()),
            None => error,
        };
        let read = error.clone().with_registry_code_read();
        assert_eq!((&read.message, &read.data), (&error.message, &error.data));
        read.code
    }

    #[test]
    fn a_registered_number_with_a_type_is_the_type_s_code() {
        for code in ErrorCode::ALL {
            let data = format!(r#"{{"error_type":"{}"}}"#, code.error_type());
            let found = ErrorCode::from_code(read(-32003, Some(&data))).unwrap();
            assert_eq!(found.error_type(), code.error_type(), "{code}");
        }
        for (number, code) in [(-32001, 4000), (-32002, 4001), (-32003, 5000), (-32004, 1002), (-32005, 1000)]
        {
            assert_eq!(read(number, Some(r#"{"error_type":"FieldValidation"}"#)), code);
        }
    }

    #[test]
    fn any_other_error_stays_unchanged() {
        for data in
            [None, Some(r#"{"uri":"file:///x"}"#), Some(r#""ValidationError""#), Some(r#"{"error_type":1}"#)]
        {
            assert_eq!(read(-32002, data), -32002, "{data:?}");
        }
        for number in [-32000, -32006, -32602, 4000, 7] {
            assert_eq!(read(number, Some(r#"{"error_type":"ToolNotFound"}"#)), number);
        }
    }
}
