//! Dry runs of tool calls: the gates judge the call, and it is not made.

mod check;
mod question;
mod quota;

pub use check::{
    CanExecute, CheckPermissions, CheckPermissionsParams, CheckPermissionsResult, CheckTool, CheckToolParams,
    CheckToolResult, ValidateTool,
};
pub use question::{CallQuestion, QuestionKind};
pub use quota::ToolQuota;
