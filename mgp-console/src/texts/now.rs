//! The words of the page.

use super::table::words;

words! {
    /// The page of the present.
    NowWords {
        title servers server state in_flight queued restarts tools hosts none none_help
        waits_one waits_many live live_help no_calls notices version host agent protocol
        call_one call_many permission_one permission_many server_one server_many definition_one definition_many
        in_part_one in_part_many up since seconds minutes hours days parked_one parked_many
        per_minute p50 p95 errors refused tokens_spared stopped on_demand no_hosts no_hosts_help
        in_minute in_minutes sessions
        replica pause held digest_one digest_many needs_restart
    }
}
