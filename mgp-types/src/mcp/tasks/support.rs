//! A tool's support for tasks, as its definition states it in the revision 2025-11-25.

use crate::{
    json::{RawJson, RawObject},
    mcp::Tool,
};

spelled! {
    /// A tool's support for tasks: `execution.taskSupport` of its definition.
    #[derive(Default)]
    pub enum TaskSupport as "task support" {
        /// The tool never runs as a task.
        #[default]
        Forbidden = "forbidden",
        /// The tool runs as a task on request.
        Optional = "optional",
        /// The tool always runs as a task.
        Required = "required",
    }
}

impl Tool {
    /// Returns the tool's support for tasks. It is `Forbidden` if the definition states none, or an unreadable one.
    ///
    /// ```
    /// use mgp_types::{json::RawJson, mcp::{Tool, tasks::TaskSupport}};
    /// let tool = Tool::new("build", RawJson::empty_object());
    /// assert_eq!(tool.task_support(), TaskSupport::Forbidden);
    /// assert_eq!(tool.with_task_support(TaskSupport::Required).task_support(), TaskSupport::Required);
    /// ```
    #[must_use]
    pub fn task_support(&self) -> TaskSupport {
        let said = self.other.object("execution").and_then(|execution| execution.text("taskSupport"));
        said.and_then(|said| said.parse().ok()).unwrap_or_default()
    }

    /// Sets the tool's support for tasks. The rest of `execution` is unchanged.
    #[must_use]
    pub fn with_task_support(mut self, support: TaskSupport) -> Self {
        let mut execution: RawObject = self.other.object("execution").unwrap_or_default();
        execution.insert("taskSupport", RawJson::string(support.as_str()));
        self.other.insert("execution", execution.to_json());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_known_declaration_makes_a_tool_run_as_a_task() {
        let read = |text: &str| serde_json::from_str::<Tool>(text).unwrap().task_support();
        assert_eq!(read(r#"{"name":"a","execution":{"taskSupport":"optional"}}"#), TaskSupport::Optional);
        for unsaid in [
            r#"{"name":"a"}"#,
            r#"{"name":"a","execution":{"taskSupport":"perhaps"}}"#,
            r#"{"name":"a","execution":1}"#,
        ] {
            assert_eq!(read(unsaid), TaskSupport::Forbidden, "{unsaid}");
        }
    }

    #[test]
    fn other_members_of_execution_stay() {
        let tool: Tool = serde_json::from_str(r#"{"name":"a","execution":{"x":1e500}}"#).unwrap();
        let text = serde_json::to_string(&tool.with_task_support(TaskSupport::Required)).unwrap();
        assert_eq!(text, r#"{"name":"a","execution":{"x":1e500,"taskSupport":"required"}}"#);
    }
}
