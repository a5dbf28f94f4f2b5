//! The tools of the server.

use super::{
    commands::{Commands, command_history, run_command},
    report::{send_report, write_report},
};
use mgp_server_sdk::{
    Error, RiskLevel, SecurityMetadata, Server, ServerStack, Tool, tool_metadata::ToolMetadata,
};
use mgp_types::tool_security::{SideEffect, ValidatorName};
use serde_json::json;

/// The server's id in grants, calls and the audit trail.
pub(crate) const ID: &str = "jobs";

/// Builds the server.
///
/// # Errors
/// [`Error`] if a definition is invalid.
pub(crate) fn stack() -> Result<ServerStack, Error> {
    let none: [String; 0] = [];
    let report =
        Tool::new("write_report", "Writes a report on a topic, slowly, paragraph by paragraph", write_report);
    let streams = ToolMetadata { supports_streaming: Some(true), ..ToolMetadata::default() };
    let report = report.metadata(streams).example(json!({ "topic": "flour", "paragraphs": 2 }));
    let send = Tool::new("send_report", "Asks whether to send a report, and sends nothing", send_report);
    let run = Tool::new("run_command", "Shows what a shell command would run, and runs nothing", run_command);
    let history =
        Tool::new("command_history", "Lists the commands that were given to run_command", command_history);
    Server::new(ID, env!("CARGO_PKG_VERSION"))
        .instructions("Slow jobs that stream, and shell commands that are shown and never run.")
        .state(Commands::default())
        .tool(report.read_only(true).risk(RiskLevel::Safe).permissions(none.clone()))
        .tool(send.read_only(true).risk(RiskLevel::Safe).permissions(none.clone()))
        .tool(run.security(of_a_shell()))
        .tool(history.read_only(true).risk(RiskLevel::Safe).permissions(none))
        .build()
}

/// Returns the security metadata of a tool that runs commands.
fn of_a_shell() -> SecurityMetadata {
    SecurityMetadata {
        permissions_required: Some(Vec::new()),
        side_effects: Some(vec![SideEffect::Process]),
        validator: Some(ValidatorName::Sandbox),
        reversible: Some(false),
        ..SecurityMetadata::new(RiskLevel::Dangerous)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_client_sdk::client::Client;
    use mgp_transport::seam::CallEvent;
    use mgp_types::{
        json::{RawJson, RawObject},
        mcp::{CallToolResult, Progress},
        rpc::{Notice, RequestId},
        stream::{CancelStream, StreamCancelParams, StreamChunk, StreamChunkParams, StreamSummary},
    };

    async fn client() -> Client {
        let (input, output) = stack().unwrap().in_process();
        Client::builder("test", "1").connect(input, output).await.unwrap()
    }

    fn arguments(text: &'static str) -> RawJson {
        RawJson::parse(text).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_report_is_streamed_with_progress_and_answered_whole() {
        let client = client().await;
        let wanted = arguments(r#"{"topic":"x","paragraphs":3,"pause_ms":1000}"#);
        let mut call = client.start_tool("write_report", wanted).await.unwrap();
        let (mut streamed, mut steps) = (String::new(), 0);
        let answer: CallToolResult = loop {
            match call.next().await {
                CallEvent::Notification(note) if note.method == *StreamChunk::METHOD => {
                    let chunk: StreamChunkParams = note.params.decode().unwrap();
                    streamed.push_str(chunk.content.as_text().unwrap());
                }
                CallEvent::Notification(note) => {
                    assert_eq!(note.method, *Progress::METHOD);
                    steps += 1;
                }
                CallEvent::Reply(reply) => break reply.unwrap().decode().unwrap(),
            }
        };
        assert_eq!((steps, streamed.lines().count()), (3, 3));
        assert_eq!(answer.content[0].as_text(), Some(&*streamed));
    }

    #[tokio::test(start_paused = true)]
    async fn a_cancelled_report_ends_at_once_with_its_partial_result() {
        let client = client().await;
        let wanted = arguments(r#"{"topic":"x","paragraphs":200,"pause_ms":1000}"#);
        let mut call = client.start_tool("write_report", wanted).await.unwrap();
        assert!(matches!(call.next().await, CallEvent::Notification(_)));
        let params = StreamCancelParams { request_id: RequestId::from(call.id()), reason: None };
        let cancelled = client.request::<CancelStream>(&params).await.unwrap();
        let partial: CallToolResult = cancelled.partial_result.unwrap().decode().unwrap();
        assert!(partial.content[0].as_text().unwrap().starts_with("Paragraph 1 on x.\n"));
        let answer = RawObject::from_json(&call.reply().await.unwrap()).unwrap();
        let summary = StreamSummary::read(&answer.object("_mgp").unwrap());
        assert!(cancelled.cancelled && summary.cancelled == Some(true) && summary.chunks_sent < Some(200));
    }

    #[tokio::test]
    async fn a_command_is_shown_and_remembered_and_limits_are_named() {
        let client = client().await;
        let call = async |tool: &str, arguments: RawJson| {
            let result = client.call_tool(tool, arguments).await.unwrap();
            (result.failed(), result.content[0].as_text().unwrap().to_owned())
        };
        let shown = call("run_command", arguments(r#"{"command":"ls -la"}"#)).await;
        assert_eq!(shown, (false, "would run: ls -la".to_owned()));
        assert_eq!(call("command_history", arguments("{}")).await.1, r#"{"commands":["ls -la"]}"#);
        let long = format!(r#"{{"command":"{}"}}"#, "x".repeat(5000));
        assert!(call("run_command", RawJson::parse(long).unwrap()).await.0);
        for (wrong, named) in [
            (r#"{"topic":"x","paragraphs":0}"#, "paragraphs: expected 1 to 200, found 0"),
            (r#"{"topic":"x","paragraphs":201}"#, "paragraphs: expected 1 to 200, found 201"),
            (r#"{"topic":"x","paragraphs":1,"pause_ms":1001}"#, "pause_ms: expected at most 1000"),
        ] {
            let (failed, text) = call("write_report", arguments(wrong)).await;
            assert!(failed && text.contains(named), "{text}");
        }
    }
}
