//! The words of the page.

use crate::texts::words;

words! {
    /// The page of decisions.
    ApprovalWords {
        title nothing nothing_help permissions calls servers definitions
        approve approve_once approve_8h approve_always deny why arguments needed_for asked_by asked_at risk
    }
}
