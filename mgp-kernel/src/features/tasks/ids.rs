//! Converts the ids of tasks in results, because hosts and servers know a task by different ids.

use mgp_types::{
    json::{RawJson, RawObject},
    mcp::tasks::core::RELATED_TASK_KEY,
};

/// Replaces the id of a task everywhere in a result: at its top level, in its member `task`, or in `_meta` as the related task.
pub(crate) fn rename(result: &mut RawObject, id: &str) {
    set(result, id);
    if let Some(mut task) = result.object("task") {
        set(&mut task, id);
        result.insert("task", task.to_json());
    }
    if let Some(mut meta) = result.object("_meta")
        && let Some(mut related) = meta.object(RELATED_TASK_KEY)
    {
        set(&mut related, id);
        meta.insert(RELATED_TASK_KEY, related.to_json());
        result.insert("_meta", meta.to_json());
    }
}

fn set(object: &mut RawObject, id: &str) {
    if object.get("taskId").is_some() {
        object.insert("taskId", RawJson::string(id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_id_of_a_task_is_replaced() {
        let text = r#"{"taskId":"s","x":{"taskId":"s"},"task":{"n":1,"taskId":"s"},"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"s"},"y":1}}"#;
        let mut result = RawObject::parse(text).unwrap();
        rename(&mut result, "k");
        let expected = r#"{"taskId":"k","x":{"taskId":"s"},"task":{"n":1,"taskId":"k"},"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"k"},"y":1}}"#;
        assert_eq!(result.to_json().as_str(), expected);
    }
}
