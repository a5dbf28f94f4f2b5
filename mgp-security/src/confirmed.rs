//! The confirmation of a call, as its record states it.

use crate::canonical;
use mgp_transport::seam::CallRecord;
use mgp_types::{context::ToolId, json::RawJson};

/// Returns whether a person, or an approval that an operator stored, confirmed the call of a tool with these arguments.
#[must_use]
pub fn is_confirmed(record: &CallRecord, tool: &ToolId, arguments: Option<&RawJson>) -> bool {
    let Some((of, confirmed)) = record.update(|record| record.confirmed.clone()) else { return false };
    let none = RawJson::empty_object();
    of == *tool && confirmed == canonical::digest(arguments.unwrap_or(&none))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confirmation_covers_one_tool_and_its_arguments() {
        let (record, tool) = (CallRecord::new(), ToolId::new("srv", "erase"));
        let arguments = RawJson::parse(r#"{"a":1,"b":2}"#).unwrap();
        assert!(!is_confirmed(&record, &tool, Some(&arguments)));
        record.update(|record| record.confirmed = Some((tool.clone(), canonical::digest(&arguments))));
        let same = RawJson::parse(r#"{"b":2, "a":1}"#).unwrap();
        assert!(is_confirmed(&record, &tool, Some(&same)));
        assert!(!is_confirmed(&record, &tool, None));
        assert!(!is_confirmed(&record, &ToolId::new("srv", "other"), Some(&arguments)));
    }
}
