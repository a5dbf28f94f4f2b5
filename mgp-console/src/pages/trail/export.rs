//! The events that fit the filters, as a file.

use super::{event::Events, filter::TrailFilter};
use crate::{
    commands::CommandError,
    page::{Context, error_box},
};
use axum::response::{Html, IntoResponse, Response};
use http::{HeaderName, StatusCode, header};

/// The most events of a file, the newest.
const MOST: usize = 10_000;

const HEADERS: [(HeaderName, &str); 2] = [
    (header::CONTENT_TYPE, "application/x-ndjson"),
    (header::CONTENT_DISPOSITION, "attachment; filename=\"trail.jsonl\""),
];

/// Sends the newest events that fit, one in each line, the oldest first.
pub(crate) async fn export(context: Context) -> Response {
    match lines(&context).await {
        Ok(lines) => (HEADERS, lines).into_response(),
        Err(error) => (StatusCode::UNPROCESSABLE_ENTITY, Html(error_box(&context, &error).into_string()))
            .into_response(),
    }
}

async fn lines(context: &Context) -> Result<String, CommandError> {
    let read: Events = context.read_words(TrailFilter::of(context).events(MOST)).await?;
    let lines = read.events.iter().filter_map(|event| serde_json::to_string(event).ok());
    Ok(lines.fold(String::new(), |lines, line| lines + &line + "\n"))
}

#[cfg(test)]
mod tests {
    use crate::{operator::OperatorRole, testing::TestConsole};

    #[tokio::test]
    async fn a_file_has_one_event_in_each_line() {
        let event = r#"{"timestamp": "2026-11-20T10:04:22.362Z", "event_type": "TOOL_EXECUTED", "actor": {"type": "agent", "id": "a\nb"},
            "result": "SUCCESS", "_mgp": {"seq": 7}}"#;
        let console = TestConsole::new(
            OperatorRole::Viewer,
            &[("audit", &format!("{{\"events\":[{event},{event}]}}"))],
        );
        let (status, file) = console.get("/trail/export?agent=x&since=7d").await;
        assert_eq!(status, 200);
        assert_eq!(console.ran(), ["audit --last=10000 --agent=x --since=7d"]);
        assert_eq!(file.lines().count(), 2);
        assert!(file.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{file}");
        let disposition = console.header("/trail/export", "content-disposition").await;
        assert_eq!(disposition, "attachment; filename=\"trail.jsonl\"");
    }
}
