//! The words of an explanation.

use super::table::words;

words! {
    /// The explanation of a decision on a call.
    JudgementWords {
        may may_not because granted_by ends policy tool_rule server_rule default_policy role risk asked permissions
        validators confinement limits definition call_now refused runs runs_after quota quota_use rules of agent server
        tool rule standing whole_server never decides overridden ended registered unreadable other_tool other_server allow forbid
    }
}
