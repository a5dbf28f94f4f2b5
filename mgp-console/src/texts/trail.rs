//! The words of the page.

use super::table::words;

words! {
    /// The page of the audit trail.
    TrailWords {
        title views events charts by server tool event result since until trace any show reset last_hour today yesterday last_week
        time target details whole number took no_arguments announced_one announced_many show_announced begins
        none none_help none_fit none_fit_help parts newest older same_as command
        keep export export_help export_all verify verify_help head head_help
        intact event_one event_many problem_one problem_many trail shortened unchained first_fault
        all_events no_trace no_trace_help line not_drawn cut cause all_well to_approvals to_rules change_rule to_server to_similar
        transaction transaction_gone rolled_back_because steps step undone_by
        table calls_over_time latency tokens succeeded failed refused attempts_one attempts_many attempts_of half_within most_within
        by_group name share calls group_one group_many
    }
}
