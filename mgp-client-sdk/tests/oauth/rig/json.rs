//! JSON as an answer.

use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;

pub(super) struct Json(pub(super) serde_json::Value);

impl IntoResponse for Json {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, "application/json")], self.0.to_string()).into_response()
    }
}
