//! The words of the page.

use super::table::words;

words! {
    /// The page of the audit trail.
    TrailWords {
        title views events charts by server tool event result since until trace any show reset pick time_help
        time target details whole number took
        none none_help none_fit none_fit_help parts newest older same_as command
        keep export export_help export_all verify verify_help head head_help
        intact event_one event_many problem_one problem_many trail shortened unchained first_fault
        all_events no_trace no_trace_help line not_drawn cut cause all_well to_approvals to_rules to_server to_similar
        transaction transaction_gone rolled_back_because steps step undone_by
        table calls_over_time latency tokens succeeded failed refused failed_of refused_of call_one call_many
        by_group name share calls group_one group_many
    }
}
