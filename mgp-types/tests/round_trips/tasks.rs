//! Tasks of the core and of the extension.

use crate::generate::{json, object, string, written};
use mgp_types::mcp::tasks::{
    self,
    core::{self, TaskMetadata, TaskParams},
    extension::UpdateTaskParams,
};
use proptest::{option, prelude::*, sample::select};

/// Generates the members that both kinds of task begin with.
fn start() -> impl Strategy<Value = String> {
    let status = select(&["working", "input_required", "completed", "failed", "cancelled"][..]);
    (string(), status, string(), string()).prop_map(|(id, status, message, time)| {
        format!(
            r#""taskId":{id},"status":"{status}","statusMessage":{message},"createdAt":{time},"lastUpdatedAt":{time}"#
        )
    })
}

fn number(value: Option<u64>) -> String {
    value.map_or_else(|| "null".to_owned(), |value| value.to_string())
}

proptest! {
    #[test]
    fn tasks_of_the_core(start in start(), ttl in option::of(any::<u64>()), poll in any::<u64>(), meta in object(), other in json()) {
        let text = format!(r#"{{{start},"ttl":{},"pollInterval":{poll},"_meta":{meta},"x":{other}}}"#, number(ttl));
        prop_assert_eq!(written::<core::Task>(&text), text);
    }

    #[test]
    fn tasks_of_the_extension(start in start(), ttl in option::of(any::<u64>()), asked in object(), result in json(), message in string()) {
        let text = format!(
            r#"{{{start},"ttlMs":{},"inputRequests":{asked},"result":{result},"error":{{"code":-1,"message":{message},"data":{asked}}},"x":{result}}}"#,
            number(ttl)
        );
        prop_assert_eq!(written::<tasks::Task>(&text), text);
    }

    #[test]
    fn task_requests(id in string(), answers in object(), ttl in any::<u64>(), other in json()) {
        let text = format!(r#"{{"taskId":{id},"_meta":{answers},"x":{other}}}"#);
        prop_assert_eq!(written::<TaskParams>(&text), text);
        let text = format!(r#"{{"taskId":{id},"inputResponses":{answers},"x":{other}}}"#);
        prop_assert_eq!(written::<UpdateTaskParams>(&text), text);
        let text = format!(r#"{{"ttl":{ttl},"x":{other}}}"#);
        prop_assert_eq!(written::<TaskMetadata>(&text), text);
    }
}
