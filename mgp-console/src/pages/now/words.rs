//! The words of the page.

use crate::texts::words;

words! {
    /// The page of the present.
    NowWords {
        title servers server state in_flight queued restarts tools hosts none none_help
        waits_one waits_many decide live live_help no_calls notices uptime version host agent protocol
    }
}
