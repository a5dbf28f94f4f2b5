//! Rules that cannot be read.

use crate::output::note;
use mgp_security::access::UnreadableRule;

/// Prints a note on stderr for each rule that cannot be read, with the command that replaces or removes it.
pub(super) fn say_unreadable(rules: &[UnreadableRule]) {
    for rule in rules {
        let subject = match (&rule.agent_id, &rule.server_id, &rule.tool_name) {
            (Some(agent), Some(server), Some(tool)) => Some(format!("{agent} {server} {tool}")),
            _ => None,
        };
        let what_to_do = match subject {
            Some(subject) => {
                let subject = subject.trim_end();
                format!(
                    "replace it with `mgp access grant {subject}`, or take it away with `mgp access revoke {subject}`"
                )
            }
            None => "take its row out of the table `rules` of the state folder's access.sqlite3".to_owned(),
        };
        note(&format!("{rule}; {what_to_do}"));
    }
}
